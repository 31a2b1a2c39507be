"""OpenAI's key goes to OpenAI's own host alone; every other server has a variable of its own."""

import logging
from contextlib import closing

import pytest

from streamguard import check_text
from streamguard.commands import chat
from streamguard.server.chat.app import make_app
from streamguard.server.workers.serve import make_runner, start
from streamguard.verify.keys import key_for
from streamguard.verify.specs import named_verifiers
from tests.integrations.services import service
from tests.kit.chatting import say
from tests.kit.upstreams import upstream
from tests.test_chat_command import parsed
from tests.test_judge import ANSWER, CONTEXT
from tests.test_verifier_doors import judged

OPENAI = "https://api.openai.com/v1"
ELSEWHERE = [
    "https://openrouter.example/api/v1",
    "http://api.openai.com/v1",
    "https://api.openai.com:8443/v1",
    "https://api.openai.com.example/v1",
    "https://api.openai.com@evil.example/v1",
    "https://user:pass@api.openai.com/v1",
    "https://evil.example\\@api.openai.com/v1",
    "https://evil.example/api.openai.com",
    "https://api.openai.com:nine/v1",
    "http://[::1",
    "",
]


def test_openais_key_goes_to_openai():
    for url in (OPENAI, "https://API.openai.com:443/v1"):
        assert key_for(url, {"OPENAI_API_KEY": "sk-openai"}, "STREAMGUARD_JUDGE_KEY") == "sk-openai"


@pytest.mark.parametrize("url", ELSEWHERE)
def test_openais_key_goes_nowhere_else_and_the_log_says_what_to_set(url, caplog):
    environ = {"OPENAI_API_KEY": "sk-openai", "STREAMGUARD_JUDGE_KEY": ""}
    assert key_for(url, environ, "STREAMGUARD_JUDGE_KEY") is None
    assert "needs a key, set STREAMGUARD_JUDGE_KEY" in caplog.text
    assert "sk-openai" not in caplog.text
    assert "pass@" not in caplog.text
    environ["STREAMGUARD_JUDGE_KEY"] = "own"
    assert key_for(url, environ, "STREAMGUARD_JUDGE_KEY") == "own"


def test_nothing_is_said_where_no_key_is_held_back(caplog):
    caplog.set_level(logging.DEBUG)
    assert key_for("http://127.0.0.1/v1", {}, "STREAMGUARD_JUDGE_KEY") is None
    assert not caplog.records


@pytest.mark.parametrize(("spec", "path", "own"), [
    ("judge:mini", "/v1/chat/completions", "STREAMGUARD_JUDGE_KEY"),
    ("embeddings:mini", "/v1/embeddings", "STREAMGUARD_EMBEDDING_KEY"),
])  # fmt: skip
def test_a_verifiers_server_is_sent_its_own_key_alone(spec, path, own):
    keys = dict.fromkeys(("OPENAI_API_KEY", "STREAMGUARD_UPSTREAM_KEY"), "sk-wrong")
    for environ, sent in ((keys, None), (keys | {own: "sk-own"}, "Bearer sk-own")):
        with service(other=(500, {})) as known:
            verifiers = named_verifiers([f"{spec}@{known.base}/v1"], environ)
            check_text(ANSWER, context=CONTEXT, verifiers=verifiers)
        assert {each.headers["authorization"] for each in known.to(path)} == {sent}


@pytest.mark.asyncio
@pytest.mark.parametrize(("variable", "sent"), [
    ("OPENAI_API_KEY", None), ("STREAMGUARD_UPSTREAM_KEY", "Bearer sk-mine"),
])  # fmt: skip
async def test_a_model_elsewhere_is_asked_and_judges_with_its_own_key_alone(
    monkeypatch, variable, sent
):
    for name in ("OPENAI_API_KEY", "STREAMGUARD_UPSTREAM_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "sk-mine")
    async with upstream(judged) as up:
        args = parsed("--upstream", f"{up.url}/v1", "--model", "mini", "--judge", "upstream")
        with closing(chat.open_store(args)) as store:
            runner = make_runner(make_app(chat.chat_settings(args, store, "127.0.0.1")))
            try:
                await say(await start(runner, "127.0.0.1", 0), "What are the vacation days?")
            finally:
                await runner.cleanup()
    assert any(b'"response_format"' in each.body for each in up.requests)  # the judge was asked
    assert {each.headers.get("authorization") for each in up.requests} == {sent}
