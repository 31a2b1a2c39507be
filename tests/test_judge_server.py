"""How a judge's server is spoken to, and what is learned of one that refuses."""

import json

import pytest

from streamguard.errors import ConfigError, DecodeError
from streamguard.verify.judge_prompt import SCHEMA, TOKENS_OF_THOUGHT
from streamguard.verify.judge_server import Known, reply_in, server_of

ASKED = {
    "model": "m",
    "messages": [{"role": "system", "content": "Compare."}, {"role": "user", "content": "{}"}],
    "temperature": 0,
    "max_tokens": 360,
    "response_format": {"type": "json_schema", "json_schema": {"name": "v", "schema": SCHEMA}},
}
BEARER, AZURE = {"Authorization": "Bearer k"}, {"api-key": "k"}
CLAUDE = {"anthropic-version": "2023-06-01", "x-api-key": "k"}
ADDRESSES = [
    ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions", BEARER),
    ("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions", BEARER),
    ("http://localhost:11434", "http://localhost:11434/v1/chat/completions", BEARER),
    ("http://h:8000/v1/chat/completions", "http://h:8000/v1/chat/completions", BEARER),
    ("http://localhost:11434/api/chat", "http://localhost:11434/api/chat", BEARER),
    (
        "https://x.openai.azure.com",
        "https://x.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21",
        AZURE,
    ),
    (
        "https://gate/openai/deployments/d/chat/completions?api-version=2025-01-01",
        "https://gate/openai/deployments/d/chat/completions?api-version=2025-01-01",
        AZURE,
    ),
    (
        "https://x.openai.azure.com/openai/v1",
        "https://x.openai.azure.com/openai/v1/chat/completions",
        AZURE,
    ),
    ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages", CLAUDE),
    ("https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages", CLAUDE),
    ("https://gate/v1/messages", "https://gate/v1/messages", CLAUDE),
]


@pytest.mark.parametrize(("url", "address", "headers"), ADDRESSES)
def test_an_address_is_completed_and_the_key_put_where_the_server_looks_for_it(
    url, address, headers
):
    server = server_of(url, "m", "k")
    assert (server.address, dict(server.headers)) == (address, headers)
    assert "k" not in server_of(url, "m", None).headers.values()


@pytest.mark.parametrize(("url", "error"), [
    ("ftp://x", "the judge's address is 'ftp://x', expected http:// or https:// and a host"),
    ("https://", "expected http:// or https:// and a host"),
    ("http://[x/v1", "expected http:// or https:// and a host"),
    ("http://me:secret@x/v1", "the judge's address holds a user or password, expected none"),
])  # fmt: skip
def test_what_is_no_address_is_refused_without_its_password(url, error):
    with pytest.raises(ConfigError) as raised:
        server_of(url, "m", None)
    assert error in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_request_is_made_in_the_form_of_its_server():
    assert server_of("http://h/v1", "m", None).body(ASKED) == ASKED
    assert server_of("https://api.anthropic.com", "m", None).body(ASKED) == {
        "model": "m", "max_tokens": 360, "temperature": 0, "system": "Compare.",
        "messages": [{"role": "user", "content": "{}"}],
    }  # fmt: skip
    ollama = server_of("http://h/api/chat", "m", None)
    made = ollama.body(ASKED)
    assert (made["format"], made["stream"]) == (SCHEMA, False)
    assert made["options"] == {"num_predict": 360, "temperature": 0}
    assert ollama.body(Known("json_object").body(ASKED))["format"] == "json"
    plain = ollama.body(Known("text", warm=False).body(ASKED))
    assert "format" not in plain
    assert plain["options"] == {"num_predict": 360}


REFUSALS = [
    ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
     {"completion_tokens": True}),
    ("'temperature' does not support 0 with this model", {"warm": False}),
    ("Invalid parameter: 'response_format' of type 'json_schema' is not supported",
     {"shape": "json_object"}),
    ("bad request", {"shape": "json_object"}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "learned"), REFUSALS)
def test_what_a_server_refuses_is_left_out(words, learned):
    assert Known().after_refusal(words.encode()) == Known(**learned)


def test_a_server_that_says_nothing_is_asked_ever_more_plainly_and_then_not():
    tried = [known := Known()]
    while (known := known.after_refusal(b"no")) is not None:
        tried.append(known)
    assert [(one.shape, one.warm) for one in tried] == [
        ("json_schema", True), ("json_object", True), ("text", True), ("text", False),
    ]  # fmt: skip
    assert Known().after_refusal(b"the maximum context length is 8192 tokens") is None
    # What was done does not help a second time.
    again = Known("text", warm=False, completion_tokens=True)
    assert again.after_refusal(b"temperature max_completion_tokens schema") is None


def test_a_request_holds_what_the_server_is_known_to_take():
    body = Known("json_object", warm=False, completion_tokens=True).body(ASKED)
    assert body["response_format"] == {"type": "json_object"}
    assert body["max_completion_tokens"] == 360 + TOKENS_OF_THOUGHT
    assert not {"temperature", "max_tokens"} & set(body)
    assert Known(thinks=True).body(ASKED)["max_tokens"] == 360 + TOKENS_OF_THOUGHT
    assert "response_format" not in Known("text").body(ASKED)


REPLIES = [
    ({"choices": [{"message": {"content": "A"}, "finish_reason": "length"}],
      "usage": {"prompt_tokens": 3, "completion_tokens": 2}}, True),
    ({"choices": [{"message": {"content": [{"type": "text", "text": "A"}, 5]}}],
      "usage": {"input_tokens": 3, "output_tokens": 2}}, False),
    ({"content": [{"type": "thinking", "thinking": "B"}, {"type": "text", "text": "A"}],
      "usage": {"input_tokens": 3, "output_tokens": 2}, "stop_reason": "max_tokens"}, True),
    ({"message": {"role": "assistant", "content": "A"}, "done_reason": "stop",
      "prompt_eval_count": 3, "eval_count": 2}, False),
]  # fmt: skip


@pytest.mark.parametrize(("body", "is_cut"), REPLIES)
def test_a_reply_is_read_in_every_form(body, is_cut):
    reply = reply_in(json.dumps(body).encode())
    assert (reply.content, reply.is_cut) == ("A", is_cut)
    assert reply.cost == {"input_tokens": 3.0, "output_tokens": 2.0}


@pytest.mark.parametrize(("body", "error"), [
    (b"<html>", "no Chat Completions response"), (b"[]", "no Chat Completions response"),
    (b'{"choices": []}', "no Chat Completions response"),
    (b'{"error": "no"}', "no Chat Completions response"),
    (b'{"choices": [{"message": {"content": null, "refusal": "No."}}]}', "without text"),
    (b'{"content": []}', "without text"),
])  # fmt: skip
def test_what_is_no_reply_is_an_error(body, error):
    with pytest.raises(DecodeError, match=error):
        reply_in(body)


def test_a_cost_that_is_none_is_left_out():
    usage = {"prompt_tokens": True, "completion_tokens": -1}
    reply = {"choices": [{"message": {"content": "A"}}], "usage": usage}
    assert reply_in(json.dumps(reply).encode()).cost == {}
