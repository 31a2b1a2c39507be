"""Which packages the client matrix runs, at which versions, and which probes drive each set.

A set is one folder, a probe one process. The versions are the newest of their major on 2026-11-22.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ClientSet:
    """Packages that are installed together, and the probes that drive them.

    `packages` go into a folder of the set's own, or are in the `environment` of that name, which
    `make test-integrations` uses too, at the versions of `tests/integrations/<environment>.txt`.
    """

    name: str
    probes: tuple[str, ...]
    packages: tuple[str, ...] = ()
    environment: str | None = None

    @property
    def node(self):
        return self.probes[0].endswith(".mjs") and not self.browser

    @property
    def browser(self):
        return self.name == "browser"


SETS = (
    ClientSet("openai-1", ("probe_openai.py",), ("openai==1.109.1",)),
    ClientSet(
        "providers",
        ("probe_google.py", "probe_cohere.py"),
        ("google-genai==3.4.0", "cohere==7.3.1"),
    ),
    # openai 2 is the one that LiteLLM and LlamaIndex take.
    ClientSet(
        "litellm",
        ("probe_openai.py", "probe_litellm.py", "probe_llama_index.py"),
        ("openai", "litellm", "llama-index-llms-openai-like"),
        environment="litellm",
    ),
    ClientSet(
        "frameworks",
        (
            "probe_openai.py", "probe_anthropic.py", "probe_http.py", "probe_langchain.py",
            "probe_pydantic_ai.py", "probe_openai_agents.py",
        ),
        (
            "openai", "anthropic", "httpx-sse", "ollama", "langchain-openai", "pydantic-ai-slim",
            "openai-agents",
        ),
        environment="frameworks",
    ),
    ClientSet(
        "node-before",
        ("probe_openai.mjs", "probe_ai.mjs"),
        (
            "openai@6.49.0", "ai@6.0.326", "@ai-sdk/openai@3.0.141", "@ai-sdk/anthropic@3.0.138",
            "@ai-sdk/openai-compatible@2.0.87", "zod@4.6.7",
        ),
    ),
    ClientSet(
        "node",
        ("probe_openai.mjs", "probe_ai.mjs", "probe_more.mjs"),
        (
            "openai@7.57.0", "ai@7.0.173", "@ai-sdk/openai@4.0.118", "@ai-sdk/anthropic@4.0.105",
            "@ai-sdk/openai-compatible@3.0.92", "zod@4.6.7", "@anthropic-ai/sdk@1.12.0",
            "@langchain/openai@1.6.0", "@langchain/core@1.4.0", "ollama@0.6.4", "eventsource@5.1.5",
            "@microsoft/fetch-event-source@2.0.1",
        ),
    ),
    ClientSet(
        "node-providers",
        ("probe_providers.mjs",),
        ("@google/genai@3.1.0", "cohere-ai@8.1.0"),
    ),
    ClientSet("browser", ("probe_browser.mjs",)),
)  # fmt: skip
