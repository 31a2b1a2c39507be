"""LiteLLM's own streams and its generic guardrail, over loopback."""

import asyncio
import json
import os
import sys
import urllib.request
import warnings
from contextlib import asynccontextmanager
from types import SimpleNamespace as Named

import aiohttp
import pytest

from tests.integrations.cases import ANSWER, CONTEXT, PASSAGE, PIECES, QUESTION, ROOT
from tests.integrations.checks import check_example, check_verdict

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
pytestmark = pytest.mark.filterwarnings("ignore")  # of LiteLLM's own models and clients
with warnings.catch_warnings(action="ignore"):
    pytest.importorskip("litellm", reason="needs the extra litellm: make test-integrations")
    import litellm
    from litellm.proxy.guardrails.guardrail_hooks.generic_guardrail_api import GenericGuardrailAPI
    from litellm.types.utils import ModelResponseStream

    from streamguard.integrations.litellm import StreamguardGuardrail

    ModelResponseStream()  # builds its schema, and warns, on first use

from streamguard.core.validate import check_text
from streamguard.integrations.litellm_api import PATH, make_app
from streamguard.integrations.openai import context_of
from tests.kit.serving import serving

sys.path.insert(0, str(ROOT / "examples"))
from fake_model import fake_model

MESSAGES = [
    {"role": "system", "content": f"Answer from this passage only:\n[C1] {PASSAGE}"},
    {"role": "user", "content": QUESTION},
]
REQUEST = {"model": "openai/fake", "messages": MESSAGES}
SHOWN = context_of(REQUEST)


def chunk(content, finish=None, **more):
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
    return ModelResponseStream(id="c-1", created=1, model="m", choices=[choice], **more)


CHUNKS = [*map(chunk, PIECES), chunk(None, "stop")]


async def through(guardrail, items):
    async def source():
        for item in items:
            yield item

    hook = guardrail.async_post_call_streaming_iterator_hook(None, source(), dict(REQUEST))
    return [item async for item in hook]


def test_every_chunk_passes_and_one_more_carries_the_verdict():
    *passed, last = asyncio.run(through(StreamguardGuardrail(), CHUNKS))
    assert all(got is given for got, given in zip(passed, CHUNKS, strict=True))
    assert (last.id, last.model, last.choices[0].delta.content) == ("c-1", "m", None)
    check_verdict(last.streamguard, context=SHOWN)
    check_verdict(last.provider_specific_fields["streamguard"], context=SHOWN)
    told = asyncio.run(through(StreamguardGuardrail(live=True), CHUNKS))
    ours = [item.streamguard["object"] for item in told if item not in CHUNKS]
    assert ours == ["streamguard.sentence", "streamguard.sentence", "streamguard.result"]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    items = [*CHUNKS, chunk(None, usage=usage)]
    told = asyncio.run(through(StreamguardGuardrail(), items))
    assert told[-1] is items[-1]
    check_verdict(told[-2].streamguard, context=SHOWN)


@pytest.mark.parametrize("items", [[b"event: message_start\n"], ["data: text\n\n"], [{"type": 1}]])
def test_what_other_routes_stream_passes_as_it_is(items):
    assert asyncio.run(through(StreamguardGuardrail(), items)) == items


async def asked(kind, base, stream):
    """Ask the library as its proxy does; return its request and what it gives."""
    if kind == "responses":
        request = {
            "model": "openai/fake", "instructions": MESSAGES[0]["content"], "input": QUESTION,
        }  # fmt: skip
        more = {"api_base": f"{base}/v1", "api_key": "none"}
        return request, await litellm.aresponses(**request, **more, stream=stream)
    system, question = MESSAGES
    request = {"model": "anthropic/fake", "system": system["content"], "messages": [question]}
    more = {"api_base": base, "api_key": "none", "max_tokens": 100}
    return request, await litellm.anthropic_messages(**request, **more, stream=stream)


@pytest.mark.parametrize("kind", ["responses", "messages"])
def test_responses_and_messages_are_judged_and_bear_the_verdict_in_their_last_event(kind):
    async def run(base):
        request, source = await asked(kind, base, True)
        plain = [item async for item in source]
        _, source = await asked(kind, base, True)
        guardrail = StreamguardGuardrail()
        hook = guardrail.async_post_call_streaming_iterator_hook(None, source, request)
        told = [item async for item in hook]
        _, whole = await asked(kind, base, False)
        whole = await guardrail.async_post_call_success_hook(request, None, whole)
        return plain, told, whole, context_of(request)

    with fake_model() as base:
        plain, told, whole, shown = asyncio.run(run(base))
    if kind == "responses":
        assert [item.type for item in told] == [item.type for item in plain]
        last = json.loads(told[-1].model_dump_json())["response"]
    else:
        both = zip(b"".join(told).split(b"\n\n"), b"".join(plain).split(b"\n\n"), strict=True)
        (last,) = [json.loads(one.partition(b"data: ")[2]) for one, other in both if one != other]
        assert last["type"] == "message_delta"
    check_verdict(last["streamguard"], context=shown)
    found = whole if isinstance(whole, dict) else json.loads(whole.model_dump_json())
    check_verdict(found["streamguard"], context=shown)


def test_an_answer_that_breaks_off_is_told_as_partial():
    def verdict(items):
        got = []
        guardrail = StreamguardGuardrail(CONTEXT, sinks=[got.append])
        asyncio.run(through(guardrail, items))
        (annotation,) = got
        return annotation.state, annotation.result.ended

    def event(kind, **more):
        return f"data: {json.dumps({'type': kind, **more})}\n\n".encode()

    text = event("content_block_delta", index=0, delta={"type": "text_delta", "text": ANSWER})
    stop = event("message_delta", delta={"stop_reason": "end_turn"})
    broken, whole = ("partial", "upstream_error"), ("complete", "complete")
    assert verdict(CHUNKS) == verdict([text, stop]) == whole
    assert verdict(CHUNKS[:-1]) == verdict([text]) == broken
    assert verdict([text, event("error", error={"message": "too busy"})]) == broken
    other = ModelResponseStream(
        id="c-1", created=1, model="m", choices=[{"index": 1, "delta": {"content": "It costs"}}]
    )
    assert verdict([other, *CHUNKS]) == broken


def test_a_response_whose_text_comes_in_no_delta_is_judged_once():
    done = Named(type="response.output_text.done", output_index=0, content_index=0, text=ANSWER)
    said = Named(output=[Named(content=[Named(type="output_text", text=ANSWER)])])
    for items in ([done, said], [done, Named(output=[])], [said]):
        got, end = [], Named(type="response.completed", response=items[-1])
        guardrail = StreamguardGuardrail(CONTEXT, sinks=[got.append])
        assert asyncio.run(through(guardrail, [*items[:-1], end])) == [*items[:-1], end]
        check_verdict(end.response.streamguard)
        check_verdict(got[0])
    asyncio.run(through(guardrail, [done]))
    assert got[-1].state == "partial"


def test_bytes_are_judged_however_they_are_cut():
    with fake_model() as base:
        _, source = asyncio.run(asked("messages", base, False))
        events = urllib.request.urlopen(
            urllib.request.Request(f"{base}/v1/messages", b'{"stream": true}')
        ).read()
    assert source["type"] == "message"
    for size in (1, 7, len(events)):
        pieces = [events[at : at + size] for at in range(0, len(events), size)]
        told = b"".join(asyncio.run(through(StreamguardGuardrail(), pieces)))
        at = told.index(b',"streamguard":')
        data = json.loads(told[told.rindex(b"data: ", 0, at) + 6 :].split(b"\n")[0])
        check_verdict(data.pop("streamguard"), context=SHOWN)
        assert told.count(b'"streamguard"') == 1


def test_the_log_gets_the_verdict_without_any_text():
    async def run():
        request = {**REQUEST, "metadata": {}}
        guardrail = StreamguardGuardrail(guardrail_name="streamguard", event_hook="post_call")

        async def source():
            for item in CHUNKS:
                yield item

        hook = guardrail.async_post_call_streaming_iterator_hook(None, source(), request)
        assert [item async for item in hook]
        return request["metadata"]["standard_logging_guardrail_information"]

    (logged,) = asyncio.run(run())
    assert logged["guardrail_status"] == "guardrail_flagged"
    assert logged["guardrail_response"]["result"]["status"] == "WARN"
    assert "Basic" not in json.dumps(logged["guardrail_response"])


def test_the_librarys_own_stream_and_whole_answer_are_judged():
    async def run(base):
        guardrail = StreamguardGuardrail()
        more = {"api_base": f"{base}/v1", "api_key": "none"}
        stream = await litellm.acompletion(**REQUEST, **more, stream=True)
        hook = guardrail.async_post_call_streaming_iterator_hook(None, stream, dict(REQUEST))
        streamed = [item async for item in hook]
        whole = await litellm.acompletion(**REQUEST, **more)
        return streamed, await guardrail.async_post_call_success_hook(dict(REQUEST), None, whole)

    with fake_model() as base:
        (*passed, last), whole = asyncio.run(run(base))
    assert "".join(item.choices[0].delta.content or "" for item in passed) == ANSWER
    check_verdict(last.streamguard, context=SHOWN)
    check_verdict(whole.streamguard, context=SHOWN)
    assert json.loads(whole.model_dump_json())["streamguard"] == whole.streamguard


def test_the_example_runs():
    check_example("with_litellm")


# ---- the generic guardrail API


@asynccontextmanager
async def api(**options):
    async with serving(make_app(**options)) as base:
        yield GenericGuardrailAPI(api_base=base)


class Call:
    """What LiteLLM's log object says about a call."""

    litellm_trace_id = None

    def __init__(self, number):
        self.litellm_call_id = f"call-{number}"


async def ask(guardrail, number, messages=MESSAGES):
    texts = [message["content"] for message in messages]
    inputs = {"texts": texts, "structured_messages": messages}
    return await guardrail.apply_guardrail(inputs, {}, "request", Call(number))


async def answer(guardrail, number):
    return await guardrail.apply_guardrail({"texts": [ANSWER]}, {}, "response", Call(number))


@pytest.mark.asyncio
async def test_the_api_judges_an_answer_against_the_request_of_its_call():
    got = []
    async with api(sinks=[got.append]) as guardrail:
        await ask(guardrail, 1)
        await ask(guardrail, 2, [{"role": "user", "content": "Hello"}])
        assert (await answer(guardrail, 1))["texts"] == [ANSWER]
    assert len(got) == 1
    check_verdict(got[0], context=SHOWN)


@pytest.mark.asyncio
async def test_the_api_takes_odd_bodies_and_mixes_no_calls_without_an_id():
    async with serving(make_app()) as base, aiohttp.ClientSession() as session:

        async def post(**body):
            async with session.post(base + PATH, json=body) as response:
                assert response.status == 200
                return (await response.json()).get("streamguard")

        for call in (None, "", [1]):
            asked = {"input_type": "request", "structured_messages": MESSAGES}
            assert await post(**asked, litellm_call_id=call) is None
            (told,) = await post(input_type="response", texts=[ANSWER], litellm_call_id=call)
            assert told["result"]["status"] is None
        assert await post(input_type="request", litellm_call_id="a", structured_messages=5) is None
        for texts in ("text", 5, None, [5, None]):
            assert await post(input_type="response", texts=texts) == []
        for wrong in (b"{", b"[]"):
            async with session.post(base + PATH, data=wrong) as response:
                assert response.status == 400


@pytest.mark.asyncio
async def test_the_api_remembers_a_bounded_number_of_requests():
    got = []
    async with api(max_remembered=1, sinks=[got.append]) as guardrail:
        for number in (0, 1):
            await ask(guardrail, number)
        for number in (0, 1):
            await answer(guardrail, number)
    forgotten, remembered = got
    assert forgotten.result == check_text(ANSWER)
    check_verdict(remembered, context=SHOWN)
