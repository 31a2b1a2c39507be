"""Verifiers behind every door: proxy, middleware, aiohttp, chat; and the upstream as judge."""

import argparse
import asyncio
import gc
import json
import logging

import pytest
from anyio.lowlevel import checkpoint

from streamguard import Context, Policy, Verifier, check_text, guard_sync
from streamguard.cli import main
from streamguard.errors import ConfigError
from streamguard.rag.embeddings import Embedding, lexical_embedding
from streamguard.server.asgi import StreamGuardMiddleware
from streamguard.server.proxy.app import PROXY, Settings, make_app, settings_of
from streamguard.server.proxy.config import add_arguments
from streamguard.server.request_context import Policies
from streamguard.server.results.result_store import ResultStore
from streamguard.server.workers.serve import make_runner, start
from streamguard.verify import embeddings as embeddings_module
from streamguard.verify.embeddings import similarity_verifier
from streamguard.verify.specs import open_verifier
from streamguard.verify.verifier import verifiers_of
from tests.kit import asgi
from tests.kit.frames import ASKED, CHUNKED, DONE, END, PATIENCE_S, answer, chunked, usage, whole
from tests.kit.judges import Gate, Latch
from tests.kit.upstreams import ask, proxy, stored_of, upstream

TEXT = "The Basic plan costs $12 per month. [C1] The Pro plan costs $99 per month."
STREAM = answer(TEXT) + usage() + DONE
QUOTED = {"id": "S1", "verdict": "not_mentioned", "confidence": 0.9, "passage": None, "quote": None}


def readers(*given):
    return verifiers_of(given)


def waiting(seconds):
    return Policies(Policy(max_tail_wait_s=seconds))


async def streams(_received, writer):
    writer.write(CHUNKED + chunked(STREAM) + END)
    await writer.drain()


# --- the proxy


async def judged(received, writer):
    """Answer as the model does, and as a judge where one is asked."""
    if b'"response_format"' not in received.body:
        await streams(received, writer)
        return
    asked = json.loads(received.body)["messages"][1]["content"]
    ids = [one["id"] for one in json.loads(asked)["sentences"]]
    content = json.dumps({"verdicts": [{**QUOTED, "id": one} for one in ids]})
    body = {"choices": [{"message": {"content": content}}], "usage": {"prompt_tokens": 7}}
    writer.write(whole(json.dumps(body).encode()))
    await writer.drain()


@pytest.mark.asyncio
@pytest.mark.parametrize("status", [200, 401, 500])
async def test_the_key_is_in_the_judges_request_and_nowhere_else(status, caplog):
    caplog.set_level(logging.DEBUG)

    async def echoes(received, writer):
        """Answer as the model does, and as a judge that tells what it was sent."""
        if b'"response_format"' not in received.body:
            await streams(received, writer)
            return
        said = json.dumps(received.headers | {"usage": {"prompt_tokens": 7}}).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(said)}\r\n\r\n"
        writer.write(head.encode() + said)
        await writer.drain()

    async with (
        upstream(echoes) as up,
        proxy(up.url, judge="upstream", policies=waiting(60)) as base,
    ):
        got = await ask(base, ASKED, Authorization="Bearer sk-own")
        stored = await stored_of(base, got)
        metrics = await ask(base, None, "/streamguard/metrics", "GET")
    assert any("sk-own" in str(request.headers) for request in up.requests[1:])
    assert stored["verifiers"][0]["unanswered"] == 2
    written = (got.body, json.dumps(stored), metrics.body, caplog.text)
    assert not any("sk-own" in str(one) for one in written)
    gc.collect()
    left = [one for one in gc.get_objects() if type(one) is Verifier]
    assert not any(one.name == "judge upstream v2" for one in left)


@pytest.mark.asyncio
@pytest.mark.parametrize("grace_s", [60.0, 0.05])
async def test_a_proxy_that_is_stopped_keeps_results_whose_judge_was_still_asked(tmp_path, grace_s):
    """In time with the judge's words, else without them."""
    gate = Latch()
    async with asyncio.timeout(PATIENCE_S), upstream(streams) as up:
        settings = Settings(up.url, verifiers=readers(gate), policies=waiting(0), record=tmp_path)
        app = make_app(settings)
        runner = make_runner(app)
        base = await start(runner, "127.0.0.1", 0)
        got = await ask(base, ASKED)
        draining = asyncio.create_task(app[PROXY].drain(grace_s))
        await asyncio.sleep(0.01)
        assert not draining.done()
        if grace_s > 1:
            gate.open()
        await draining
        found = app[PROXY].store.get(got.annotations[0]["id"])
        assert not app[PROXY].pending
        await runner.cleanup()
    assert found.state == "complete"
    assert (found.verifiers[0].answered > 0) is (grace_s > 1)
    (file,) = tmp_path.glob("*.jsonl")
    assert json.loads(file.read_text())["status"] == found.result.status


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/base/v1/ask", "/base/api/ask"])
async def test_on_other_paths_the_judge_is_asked_beside_them(path):
    body = {**ASKED, "max_tokens": 99}
    async with (
        upstream(judged) as up,
        proxy(up.url, judge="upstream", policies=waiting(0), check_paths=("/base/*",)) as base,
    ):
        await ask(base, body, path, x_api_key="sk-own")
        async with asyncio.timeout(10):
            while len(up.requests) < 2:
                await asyncio.sleep(0)
    asked = up.requests[1]
    assert asked.path == "/base/v1/chat/completions"
    named = {name.lower(): value for name, value in asked.headers.items()}
    assert named["authorization"] == "Bearer sk-own"


@pytest.mark.asyncio
async def test_a_judge_that_is_not_allowed_or_no_switch_is_refused():
    async with upstream(streams) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, x_streamguard_judge="1")
        assert got.status == 400
        assert json.loads(got.body)["error"]["code"] == "judge_not_allowed"
        got = await ask(base, ASKED, x_streamguard_judge="often")
        assert "x-streamguard-judge is 'often', expected 1 or 0" in got.body.decode()


@pytest.mark.asyncio
async def test_a_judge_that_cannot_be_reached_is_an_error_of_the_answer():
    async def once(received, writer):
        if b'"response_format"' in received.body:
            writer.transport.abort()
        else:
            await streams(received, writer)

    async with upstream(once) as up, proxy(up.url, judge="upstream", policies=waiting(60)) as base:
        got = await ask(base, ASKED)
    (annotation,) = got.annotations
    error = "UpstreamError (the judge's server cannot be reached)"
    assert annotation["result"]["errors"] == [f"verifier judge upstream v2: {error}"]


# --- the middleware and aiohttp


@pytest.mark.anyio
async def test_the_middleware_stores_and_hands_out_what_is_final():
    gate, store, given = Gate(), ResultStore(), []
    app = StreamGuardMiddleware(
        asgi.saying([b"data: " + json.dumps(TEXT).encode() + b"\n\n", b""]),
        context=lambda scope, body: Context(chunks=["The Basic plan costs $10."]),
        policy=Policy(max_tail_wait_s=0),
        store=store,
        sinks=[given.append],
        verifiers=[gate],
    )
    sent = await asgi.call(app, asgi.scope())
    assert store.get(sent.id).state == "pending"
    gate.open()
    while not given:
        await checkpoint()
    assert store.get(sent.id).state == given[0].state == "complete"


def test_the_flags_of_a_judge_are_checked(capsys):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    named = ["--upstream", "http://x"]
    settings = settings_of(parser.parse_args([*named, "--judge", "allow", "--judge-share", ".5"]))
    assert (settings.judge, settings.judge_share) == ("allow", 0.5)
    with pytest.raises(ConfigError, match="--judge-share is given without --judge"):
        settings_of(parser.parse_args([*named, "--judge-share", ".5"]))
    for share in ("0", "2", "x"):
        with pytest.raises(SystemExit):
            parser.parse_args([*named, "--judge-share", share])
    assert "expected more than 0 and at most 1" in capsys.readouterr().err
    assert main(["chat", "--judge", "upstream"]) == 2
    assert "--judge upstream is given without --upstream" in capsys.readouterr().err


# --- embeddings


CONTEXT = Context(
    query="?", chunks=["The Basic plan costs $10 per month.", "Refunds take 14 days."]
)


def test_similarity_comes_from_embeddings_and_changes_nothing_else():
    calls = []
    lexical = lexical_embedding()

    def embed(texts):
        calls.append(len(texts))
        return lexical.embed(texts)

    verifier = similarity_verifier(Embedding("counted", embed))
    answer = "The Basic plan costs $10 per month. Owls hunt quietly."
    with guard_sync([answer], context=CONTEXT, verifiers=[verifier]) as stream:
        list(stream)
    first, second = stream.result.sentences
    assert first.opinions[0].similarity == pytest.approx(1.0)
    assert second.opinions[0].similarity < 0.5
    mean = (first.opinions[0].similarity + second.opinions[0].similarity) / 2
    assert stream.result.scores.similarity == pytest.approx(max(0.0, mean), abs=1e-6)
    without = check_text(answer, context=CONTEXT)
    assert (stream.result.status, stream.result.findings) == (without.status, without.findings)
    calls.clear()
    check_text("Refunds take two weeks here.", context=CONTEXT, verifiers=[verifier])
    assert calls == [1]  # the passages' vectors were kept


def test_embeddings_are_opened_by_their_name_and_keep_the_vectors_of_few_contexts(monkeypatch):
    assert open_verifier("embeddings:m@http://x/v1", key="k").name == "embeddings"
    with pytest.raises(ConfigError, match=r"sentence_transformers is not installed|cannot be load"):
        open_verifier("embeddings:/nowhere")
    monkeypatch.setattr(embeddings_module, "MAX_CONTEXTS", 2)
    verifier = similarity_verifier(lexical_embedding())
    for number in range(4):
        check_text("A b c.", context=Context(chunks=[f"Text {number}."]), verifiers=[verifier])
    assert len(verifier.ask._kept) == 2
