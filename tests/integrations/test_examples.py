"""The examples of the integrations, run as programs; two have tests beside their package's."""

import pytest

from tests.integrations.checks import check_example

PACKAGES = {
    "with_anthropic": "anthropic", "with_bedrock": "boto3", "with_langchain": "langchain",
    "with_langfuse": "langfuse", "with_llama_index": "llama_index.core", "with_openai": "openai",
    "with_openai_agents": "agents", "with_open_webui": "streamguard",
    "with_opentelemetry": "opentelemetry.sdk", "with_pydantic_ai": "pydantic_ai",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # of the frameworks' own
@pytest.mark.parametrize("name", PACKAGES)
def test_an_example_says_the_answer_the_verdict_and_the_finding(name):
    pytest.importorskip(PACKAGES[name], reason="needs its package: make test-integrations")
    in_json = name == "with_opentelemetry"
    quotes = "\\u201c{}\\u201d" if in_json else "“{}”"
    check_example(name, finding=f"says {quotes.format('$49 per month')}")
