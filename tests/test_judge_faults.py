"""A judge that fails takes nothing from a stream (`benchmarks/soak_judge.py` runs thousands)."""

import asyncio

import pytest

from streamguard import Context, Judge, check_text, guard
from streamguard.verify.judge import judge_by
from streamguard.verify.judge_limits import FAILURES
from tests.kit.failing_judges import FAILING, failing_judge, is_busy
from tests.kit.frames import ASKED, CHUNKED, DONE, END, answer, chunked, usage
from tests.kit.upstreams import ask, proxy, stored_of, upstream

CONTEXT = Context(query="What does Basic cost?", chunks=["The Basic plan costs $10 per month."])
ANSWER = "The Basic plan costs $12 per month. It is billed every month. You can pay by card."
STREAM = answer(ANSWER) + usage() + DONE


def said(result):
    """Return what a result says but for its judge: the verdict, and what was found."""
    findings = [(one.flag, one.check) for one in result.findings if one.flag != "check_error"]
    return result.status, [one for one in result.flags if one != "check_error"], findings


async def streamed(judge):
    pieces = [f"{word} " for word in ANSWER.split(" ")]

    async def source():
        for piece in pieces:
            yield piece

    async with guard(source(), context=CONTEXT, judge=judge) as stream:
        assert [item async for item in stream.items()] == pieces
    return (await stream.final()).result


@pytest.mark.asyncio
@pytest.mark.parametrize("name", FAILING)
async def test_a_failing_judge_leaves_the_stream_and_the_fast_verdict_and_is_told(name):
    fails, told = FAILING[name]
    async with failing_judge(fails) as url, asyncio.timeout(60):
        result = await streamed(Judge(url, name, "sk-own", timeout_s=2.0))
    (error,) = result.errors
    assert error.startswith(f"verifier judge {name} v2: ")
    assert told in error
    assert said(result) == said(check_text(ANSWER, context=CONTEXT))


@pytest.mark.asyncio
@pytest.mark.parametrize("name", FAILING)
async def test_behind_the_proxy_the_bytes_are_those_without_it(name):
    fails, _ = FAILING[name]

    async def streams(_received, writer):
        writer.write(CHUNKED + chunked(STREAM) + END)
        await writer.drain()

    async with failing_judge(fails) as url, upstream(streams) as up:
        named = Judge(url, name, timeout_s=1.0)
        async with proxy(up.url, judge="named", named_judge=named) as base:
            got = await ask(base, ASKED, x_streamguard="header")
            async with asyncio.timeout(60):
                while (stored := await stored_of(base, got))["state"] == "pending":
                    await asyncio.sleep(0.01)
    assert got.body == STREAM
    (error,) = stored["result"]["errors"]  # without its words, which a store keeps none of
    assert error.startswith(f"verifier judge {name} v2: ")


@pytest.mark.asyncio
async def test_a_judge_that_raises_is_told_without_its_words():
    async def post(body):
        raise RuntimeError("the key is sk-own")

    result = await asyncio.to_thread(
        check_text, ANSWER, context=CONTEXT, verifiers=[judge_by(post, "m")]
    )
    assert result.errors == ("verifier judge m v2: RuntimeError",)
    assert said(result) == said(check_text(ANSWER, context=CONTEXT))


@pytest.mark.asyncio
async def test_a_server_that_keeps_failing_is_left_alone_and_the_result_says_so():
    asked = []

    async def counts(sent, writer, ended):
        asked.append(sent)
        await is_busy(sent, writer, ended)

    async with failing_judge(counts) as url, asyncio.timeout(60):
        judge = Judge(url, "m")
        results = [await streamed(judge) for _ in range(4)]
    assert FAILURES <= len(asked) < FAILURES + 3  # the last of them had three attempts
    assert "UpstreamError (the circuit is open: 5 requests in a row failed" in results[-1].errors[0]
