"""The guardrail in LiteLLM's own proxy, started as a process: every mode, streamed and whole."""

import asyncio
import json
import os
import sys
import warnings

import pytest

from tests.integrations.cases import ANSWER, PASSAGE, PIECES, QUESTION, ROOT
from tests.integrations.checks import check_verdict
from tests.integrations.litellm_proxy import guardrail, model, proxy
from tests.integrations.services import service

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
pytestmark = pytest.mark.filterwarnings("ignore")  # of LiteLLM's own models and clients
with warnings.catch_warnings(action="ignore"):
    pytest.importorskip("litellm.proxy.proxy_cli", reason="needs litellm: make test-integrations")
    import openai
    import yaml
    from litellm.exceptions import GuardrailRaisedException
    from litellm.types.utils import EmbeddingResponse, ModelResponse, ModelResponseStream

    from streamguard.integrations.litellm_guardrail import Guardrail

    ModelResponseStream()  # builds its schema, and warns, on first use

from streamguard.errors import ConfigError
from streamguard.integrations.openai import context_of

sys.path.insert(0, str(ROOT / "examples"))
from fake_model import CHAT, fake_model

SYSTEM = f"Answer from this passage only:\n[C1] {PASSAGE}"
MESSAGES = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]
REQUEST = {"model": "fake", "messages": MESSAGES}
SHOWN = context_of(REQUEST)
MAIL = "joe@corp.example"
WITH_MAIL = [MESSAGES[0], {"role": "user", "content": f"I am {MAIL}. {QUESTION}"}]


def signed(messages, sign):
    """Return the messages with a word by which their call is known in the log."""
    return [*messages[:-1], {"role": "user", "content": f"{messages[-1]['content']} {sign}"}]


PRICE = ["unsupported_price"]


def of_the_page(name):
    """Return the guardrail that the guide begins with, under another name and not for all."""
    page = (ROOT / "docs/guides/frameworks.md").read_text()
    block = page.partition("```yaml\n")[2].partition("```")[0]
    (given,) = yaml.safe_load(block)["guardrails"]
    params = {**given["litellm_params"], "default_on": False}
    return {"guardrail_name": name, "litellm_params": params}


MASKED = ANSWER.replace("$59 per month", "•••")
GUARDRAILS = [
    guardrail("note", "post_call", "strict"),
    guardrail("stop", "post_call", {"block": PRICE}),
    guardrail("mask", "post_call", {"block": PRICE, "on_violation": "mask"}),
    guardrail(
        "replace",
        "post_call",
        {"block": PRICE, "on_violation": "replace", "replacement_text": "Ask us."},
    ),
    guardrail("fine", "post_call", {"block": ["pii"]}),
    guardrail("during", "during_call", {"block": [*PRICE, "pii"]}),
    guardrail("before-mask", "pre_call", {"block": ["pii"], "on_violation": "mask"}),
    guardrail("before-stop", "pre_call", {"block": ["pii"]}),
    guardrail("before-note", "pre_call", {"packs": ["pii"]}),
    guardrail("log", "logging_only", {"block": PRICE}),
    guardrail("system", "post_call", "moderate", context_from="system"),
    of_the_page("page"),
]


@pytest.fixture(scope="module")
def kept():
    """A model that keeps what it is sent."""
    with service(v1__chat__completions=(200, CHAT)) as upstream:
        yield upstream


@pytest.fixture(scope="module")
def running(tmp_path_factory, kept):
    """The proxy, with a model of every kind."""
    with fake_model() as base:
        models = [
            model("fake", model="openai/fake", api_base=f"{base}/v1"),
            model("claude", model="anthropic/fake", api_base=base),
            model("kept", model="openai/fake", api_base=f"{kept.base}/v1"),
        ]
        with proxy(tmp_path_factory.mktemp("proxy"), models, GUARDRAILS) as made:
            yield made


def chat(running, name, **more):
    """Return what OpenAI's own client reads of a streamed answer: text, reason, verdict."""
    client = openai.OpenAI(base_url=f"{running.base}/v1", api_key=running.key, max_retries=0)
    with client:
        extra = {"guardrails": [name], **more}
        stream = client.chat.completions.create(**REQUEST, stream=True, extra_body=extra)
        chunks = list(stream)
    choices = [chunk.choices[0] for chunk in chunks if chunk.choices]
    told = [chunk.streamguard for chunk in chunks if hasattr(chunk, "streamguard")]
    reasons = [choice.finish_reason for choice in choices if choice.finish_reason]
    return [choice.delta.content or "" for choice in choices], reasons, told


def whole(running, path="/v1/chat/completions", **body):
    status, text = running.post(path, **body)
    assert status == 200, text
    return json.loads(text)


@pytest.mark.parametrize(
    ("name", "text", "reason", "action"),
    [
        ("stop", "", "content_filter", "stopped"),
        ("during", "", "content_filter", "stopped"),
        ("replace", "Ask us.", "stop", "replaced"),
        ("mask", MASKED, "stop", "masked"),
        ("fine", ANSWER, "stop", "none"),
    ],
)
def test_an_answer_is_held_streamed_and_whole(running, name, text, reason, action):
    pieces, reasons, (told,) = chat(running, name)
    assert ("".join(pieces), reasons) == (text, [reason])
    assert told["hold"]["action"] == action
    if action == "none":
        assert [piece for piece in pieces if piece] == PIECES
    answer = whole(running, **REQUEST, guardrails=[name])
    (choice,) = answer["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == (text, reason)
    assert answer["streamguard"]["hold"]["action"] == action
    assert answer["usage"]["total_tokens"] == 2


def test_the_lines_of_the_guide_mask_request_and_answer(running, kept):
    kept.sent.clear()
    answer = whole(running, model="kept", messages=WITH_MAIL, guardrails=["page"])
    assert MAIL not in json.dumps(kept.sent[0].json)
    assert answer["choices"][0]["message"]["content"] == MASKED


def test_a_policy_that_holds_nothing_notes_alone(running):
    pieces, reasons, (told,) = chat(running, "note")
    answer = whole(running, **REQUEST, guardrails=["note"])
    assert ("".join(pieces), reasons) == (ANSWER, ["stop"])
    assert answer["choices"][0]["message"]["content"] == ANSWER
    for data in (told, answer["streamguard"]):
        assert (data["result"]["policy"], data["result"]["status"]) == ("strict", "WARN")
        assert data["hold"] is None
    check_verdict(whole(running, **REQUEST, guardrails=["system"])["streamguard"], context=SHOWN)


def events(text):
    lines = [line[6:] for line in text.split("\n") if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


def test_responses_are_held_streamed_and_whole(running):
    asked = {"model": "fake", "instructions": SYSTEM, "input": QUESTION}
    masked = events(
        running.post("/v1/responses", **asked, stream=True, guardrails=["mask"])[1],
    )
    deltas = [each["delta"] for each in masked if each["type"] == "response.output_text.delta"]
    assert "".join(deltas) == MASKED
    assert "$59 per" not in json.dumps([{**each, "response": None} for each in masked])
    assert masked[-1]["response"]["output"][0]["content"][0]["text"] == MASKED
    assert masked[-1]["response"]["streamguard"]["hold"]["action"] == "masked"
    stopped = events(
        running.post("/v1/responses", **asked, stream=True, guardrails=["stop"])[1],
    )
    last = stopped[-1]["response"]
    assert stopped[-1]["type"] == "response.incomplete"
    assert last["incomplete_details"] == {"reason": "content_filter"}
    assert last["streamguard"]["result"]["ended"] == "blocked"
    answer = whole(running, "/v1/responses", **asked, guardrails=["stop"])
    assert (answer["status"], answer["output"][0]["content"][0]["text"]) == ("incomplete", "")
    assert answer["incomplete_details"]["reason"] == "content_filter"
    answer = whole(running, "/v1/responses", **asked, guardrails=["mask"])
    assert answer["output"][0]["content"][0]["text"] == MASKED
    assert answer["streamguard"]["hold"]["action"] == "masked"


def test_messages_are_held_streamed_and_whole(running):
    asked = {"model": "claude", "max_tokens": 9, "system": SYSTEM, "messages": MESSAGES[1:]}
    for name, text, reason in (("mask", MASKED, "end_turn"), ("stop", "", "refusal")):
        told = events(running.post("/v1/messages", **asked, stream=True, guardrails=[name])[1])
        deltas = [each["delta"]["text"] for each in told if each["type"] == "content_block_delta"]
        assert "".join(deltas) == text
        end, stop = told[-2:]
        assert (end["delta"]["stop_reason"], stop["type"]) == (reason, "message_stop")
        assert end["streamguard"]["hold"]["mode"] == "sentence"
        assert "streamguard" not in stop
        answer = whole(running, "/v1/messages", **asked, guardrails=[name])
        assert (answer["content"][0]["text"], answer["stop_reason"]) == (text, reason)
        assert "streamguard" in answer


def test_a_request_is_masked_before_the_model_sees_it(running, kept):
    kept.sent.clear()
    asked = {"model": "kept", "messages": signed(WITH_MAIL, "masked-call")}
    whole(running, **asked, guardrails=["before-mask"])
    (sent,) = kept.sent
    assert sent.json["messages"][0] == MESSAGES[0]
    assert sent.json["messages"][1]["content"] == f"I am [EMAIL]. {QUESTION} masked-call"
    (note,) = [
        each
        for each in running.logged("masked-call")["guardrail_information"]
        if each["guardrail_name"] == "before-mask"
    ]
    assert note["guardrail_status"] == "guardrail_intervened"
    assert note["guardrail_response"]["findings"][0]["shown"] == "[EMAIL]"
    assert MAIL not in json.dumps(note)


@pytest.mark.parametrize("name", ["before-stop", "during"])
def test_a_request_is_rejected_with_its_kinds_and_no_text(running, name):
    for path, body in (
        ("/v1/chat/completions", {"model": "fake", "messages": WITH_MAIL}),
        ("/v1/chat/completions", {"model": "fake", "messages": WITH_MAIL, "stream": True}),
        ("/v1/responses", {"model": "fake", "input": f"I am {MAIL}."}),
    ):
        status, text = running.post(path, **body, guardrails=[name])
        assert status == 400
        assert "streamguard rejected the request: pii:email in " in text
        assert MAIL not in text


def test_a_rejected_request_does_not_reach_the_model(running, kept):
    kept.sent.clear()
    asked = {"model": "kept", "messages": WITH_MAIL}
    assert running.post("/v1/chat/completions", **asked, guardrails=["before-stop"])[0] == 400
    assert kept.sent == []


def test_a_request_is_noted_where_the_policy_says_no_more(running, kept):
    kept.sent.clear()
    asked = {"model": "kept", "messages": signed(WITH_MAIL, "noted-call")}
    whole(running, **asked, guardrails=["before-note"])
    (sent,) = kept.sent
    assert sent.json["messages"] == asked["messages"]
    notes = running.logged("noted-call")["guardrail_information"]
    (note,) = [each for each in notes if each["guardrail_name"] == "before-note"]
    assert note["guardrail_status"] == "guardrail_flagged"
    assert note["guardrail_response"]["action"] == "none"


@pytest.mark.parametrize("stream", [False, True])
def test_logging_only_puts_the_verdict_into_the_log_alone(running, stream):
    sign = f"logged-call-{stream}"
    asked = {"model": "fake", "messages": signed(MESSAGES, sign), "stream": stream}
    status, text = running.post("/v1/chat/completions", **asked)
    assert status == 200
    assert "streamguard" not in text
    record = running.logged(sign)
    (note,) = record["guardrail_information"]
    assert (note["guardrail_name"], note["guardrail_mode"]) == ("log", "logging_only")
    assert note["guardrail_response"]["result"]["status"] == "WARN"
    assert note["guardrail_response"].get("hold") is None
    assert record["response"]["choices"][0]["message"]["content"] == ANSWER


def test_a_wrong_policy_is_told_when_the_proxy_starts(tmp_path):
    wrong = guardrail("wrong", "post_call", {"blocks": PRICE})
    with proxy(tmp_path, [], [wrong]):
        said = (tmp_path / "out.txt").read_text()
    assert "Skipping guardrail 'wrong'" in said
    assert "blocks is not a setting; did you mean block?" in said


# ---- without the proxy: what it would not send


def chunk(content, finish=None):
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    return ModelResponseStream(id="c-1", created=1, model="m", choices=[choice])


async def through(made, items):
    async def source():
        for item in items:
            yield item

    hook = made.async_post_call_streaming_iterator_hook(None, source(), dict(REQUEST))
    return [item async for item in hook]


def test_chunks_that_are_not_changed_are_litellms_own():
    made = Guardrail(policy={"block": PRICE, "on_violation": "mask"}, live=True)
    items = [*map(chunk, PIECES), chunk(None, "stop")]
    told = asyncio.run(through(made, items))
    ours = [item for item in told if hasattr(item, "streamguard")]
    kinds = [item.streamguard["object"].removeprefix("streamguard.") for item in ours]
    assert kinds == ["sentence", "sentence", "result"]
    passed = [item for item in told if item not in ours]
    same = [any(item is given for given in items) for item in passed]
    assert same == [True, False, False, True, True]


def test_bytes_that_are_not_changed_are_the_sources_own():
    def event(kind, **more):
        return f"data:  {json.dumps({'type': kind, **more})}\n\n".encode()

    said = [
        event("content_block_delta", index=0, delta={"type": "text_delta", "text": p})
        for p in PIECES
    ]
    items = [
        b": hello\n\n",
        event("message_start", message={}),
        event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        *said,
        event("content_block_stop", index=0),
        event("message_delta", delta={"stop_reason": "end_turn"}),
        event("message_stop"),
    ]
    made = Guardrail(policy={"block": ["pii"]})
    for size in (1, 7, 10_000):
        sent = b"".join(items)
        cut = [sent[at : at + size] for at in range(0, len(sent), size)]
        told = b"".join(asyncio.run(through(made, cut)))
        at = told.index(b',"streamguard":')
        assert told[:at] == sent[:at]
        assert told.endswith(items[-1])
        assert told.count(b'"streamguard":') == 1


def test_what_nobody_can_read_passes_or_is_refused_as_the_policy_says():
    items = ["data: text\n\n", {"kind": 1}]
    opened = Guardrail(policy={"block": ["pii"]})
    closed = Guardrail(policy={"block": ["pii"], "hold_fails": "closed"})
    assert asyncio.run(through(opened, items)) == items
    with pytest.raises(GuardrailRaisedException, match="could not be read"):
        asyncio.run(through(closed, items))
    known = [{"kind": 1}, *map(chunk, PIECES), chunk(None, "stop")]
    assert asyncio.run(through(closed, known))[:-1] == known
    embedded = EmbeddingResponse(model="m")
    done = closed.async_post_call_success_hook(dict(REQUEST), None, embedded)
    assert asyncio.run(done) is embedded


def nested(depth):
    content = {"content": "deep"}
    for _ in range(depth):
        content = {"content": [content]}
    return {"messages": [content]}


def test_a_request_that_cannot_be_checked_passes_or_is_refused_as_the_policy_says():
    request = nested(5_000)
    for hook in ("async_pre_call_hook", "async_moderation_hook"):
        for fails in ("open", "closed"):
            made = Guardrail(policy={"block": ["pii"], "hold_fails": fails})
            more = {"cache": None} if hook == "async_pre_call_hook" else {}
            call = getattr(made, hook)(
                data=request, user_api_key_dict=None, call_type="completion", **more
            )
            if fails == "open":
                assert asyncio.run(call) is request
            else:
                with pytest.raises(GuardrailRaisedException, match="could not be checked") as said:
                    asyncio.run(call)
                assert said.value.status_code == 500


def test_a_mask_comes_too_late_during_the_call():
    made = Guardrail(policy={"block": ["pii"], "on_violation": "mask"}, event_hook="during_call")
    request = {"model": "m", "messages": WITH_MAIL, "metadata": {}}
    asyncio.run(made.async_moderation_hook(request, None, "completion"))
    assert request["messages"] == WITH_MAIL
    (note,) = request["metadata"]["standard_logging_guardrail_information"]
    assert note["guardrail_response"]["findings"][0]["check"] == "pii:email"
    assert note["guardrail_response"]["action"] == "none"


def test_several_choices_are_held_each():
    message = {"role": "assistant", "content": ANSWER}
    choices = [{"index": at, "message": message, "finish_reason": "stop"} for at in range(2)]
    answer = ModelResponse(id="c-1", created=1, model="m", choices=choices)
    made = Guardrail(policy={"block": PRICE, "on_violation": "mask"})
    changed = asyncio.run(made.async_post_call_success_hook(dict(REQUEST), None, answer))
    assert [one.message.content for one in changed.choices] == [MASKED, MASKED]
    assert [one["choice"] for one in changed.streamguard["choices"]] == [0, 1]
    assert answer.choices[0].message.content == ANSWER


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"policy": "severe"}, "policy is 'severe'"),
        ({"policy": {"packs": ["shoes"]}}, "packs holds shoes"),
        ({"context_from": "nobody"}, "context_from is 'nobody'"),
        ({"context_template": "no places"}, "context"),
    ],
)
def test_a_wrong_option_is_told(options, said):
    with pytest.raises(ConfigError, match=said):
        Guardrail(**options)
