"""Every public name in use, for mypy: this file is type-checked, never run."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from aiohttp import web
from openai import AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletionChunk
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Mount

import streamguard as sg
from streamguard.client import annotation_of
from streamguard.server.aiohttp import add_results, stream_sse
from streamguard.server.asgi import StreamGuardMiddleware, provide_context, results_app
from streamguard.server.asgi.messages import Scope as ASGIScope
from streamguard.server.request_options import Forms
from streamguard.server.store import ResultStore
from streamguard.testing import feed_every_way

context = sg.Context(
    query="What does the plan cost?",
    chunks=[sg.RetrievedChunk("The plan costs $10.", id="a", source="prices.md", distance=0.4)],
    citations=["C1"],
    citations_requested=True,
    retrieval=sg.Retrieval(is_answerable=True, confidence_level="high", raw_count=4),
)
policy = sg.Policy.preset("strict", max_uncovered_claims=2)
loose = sg.Context(chunks=["a string", {"id": "a", "text": "a dict"}, sg.RetrievedChunk("a chunk")])


# ---- checks


def too_long(sentence: sg.Sentence, scope: sg.Scope) -> Iterable[sg.Finding]:
    if len(sentence.text) > 400 and scope.earlier:
        yield sentence.finding(
            "too_long", None, check="too_long", severity="info", message="This is long."
        )


def too_many(answer: sg.Answer, scope: sg.Scope) -> Iterable[sg.Finding]:
    if len(answer.sentences) > 9:
        yield sg.Finding("too_many", "too_many", "info", None, None, None, None, answer.text[:9])


checks: sg.Checks = sg.DEFAULT_CHECKS.plus(too_long, at_close=[too_many])
mine = sg.Checks(per_sentence=(too_long,), at_close=(too_many,), verdicts=False)


def flags(pieces: Sequence[str]) -> list[str]:
    machine = sg.StreamGuard(context, checks=mine)
    return [finding.flag for piece in pieces for finding in machine.feed(piece)]


every_way: list[str] = feed_every_way("It costs $12.", flags, seed=3)


# ---- verifiers


def reads(sentences: Sequence[sg.Sentence], scope: sg.Scope) -> list[sg.Verdict]:
    return [sg.Verdict(support=0.9, message=sentence.text[:9]) for sentence in sentences]


async def asks(sentences: Sequence[sg.Sentence], scope: sg.Scope) -> list[sg.Verdict]:
    return [sg.Verdict(contradiction=0.1, similarity=0.5) for _ in sentences]


frugal = sg.Verifier(
    reads, name="frugal", budget=sg.Budget(100, 15), select=lambda s, _: bool(s.amounts)
)
read: sg.GuardrailsResult = sg.check_text(
    "It costs $10.", context=context, verifiers=[frugal, asks]
)


async def read_late(pieces: AsyncIterator[str]) -> sg.Annotation:
    async with sg.guard(pieces, context=context, verifiers=[reads, asks]) as stream:
        async for _ in stream.items():
            pass
    return await stream.final()


judge = sg.Judge("https://api.openai.com/v1", "m", "sk-x", max_requests=1, tokens_per_minute=9_000)
judged: sg.GuardrailsResult = sg.check_text("It costs $10.", context=context, judge=judge)


def read_judged(pieces: Iterator[str]) -> sg.GuardrailsResult:
    with sg.guard_sync(pieces, context=context, judge="m@http://localhost:11434/v1") as stream:
        list(stream.items())
    return stream.result


# ---- streams


def print_finding(finding: sg.Finding) -> None:
    print(finding.flag, finding.nearest)


async def store(annotation: sg.Annotation) -> None:
    print(annotation.to_json())


async def read_all(pieces: AsyncIterator[str]) -> sg.GuardrailsResult:
    stream: sg.GuardedStream[str] = sg.guard(
        pieces,
        context=context,
        policy=policy,
        checks=checks,
        live=True,
        sinks=[store, sg.jsonl_sink("results.jsonl", store_text=True)],
        on_finding=print_finding,
    )
    async with stream:
        async for item in stream:
            if isinstance(item, sg.Annotation):
                state: str = item.state
            elif isinstance(item, sg.SentenceAnnotation):
                print(state, item.choice, item.index, item.sentence.coverage, item.findings)
            else:
                text: str = item
    print(text, len(stream.id), stream.annotation.stream)
    return stream.result


async def read_sdk(client: AsyncOpenAI) -> sg.GuardrailsResult:
    source = client.chat.completions.create(model="m", messages=[], stream=True)
    async with sg.guard(source, context=context, checks=sg.PATTERN_CHECKS) as stream:
        async for chunk in stream.items():
            seen: ChatCompletionChunk = chunk
            print(seen.choices[0].delta.content)
    return stream.result


async def read_other(source: AsyncIterator[bytes]) -> sg.Annotation:
    stream = sg.guard(source, text=lambda item: {0: item.decode()})
    _: bytes | sg.SentenceAnnotation | sg.Annotation = await anext(stream)
    await stream.aclose()
    return stream.annotation


def read_sync(client: OpenAI) -> sg.GuardrailsResult:
    source = client.chat.completions.create(model="m", messages=[], stream=True)
    with sg.guard_sync(source, context=context, sinks=[sg.jsonl_sink("results.jsonl")]) as stream:
        for chunk in stream.items():
            seen: ChatCompletionChunk = chunk
            print(seen.choices)
    return stream.result


def read_pieces(pieces: Iterator[str]) -> None:
    for item in sg.guard_sync(pieces):
        if isinstance(item, sg.Annotation) and item.result is not None:
            result: sg.GuardrailsResult = item.result
            print(result.in_utf16().findings, result.without_text().model_dump_json())


# ---- without a stream


def embed(texts: Sequence[str]) -> list[list[float]]:
    return [[1.0] for _ in texts]


def check(text: str) -> sg.GuardrailsResult:
    machine = sg.StreamGuard(context, policy, checks)
    found: list[sg.Finding] = machine.feed(text)
    print(found, machine.stats.pieces, sg.is_refusal(text), sg.refusal_message("prices"))
    print(sg.hallucination_markers(text, []).names)
    similarity: float | None = sg.semantic_similarity(text, [sg.RetrievedChunk(text)], embed)
    print(similarity, sg.check_text(text, context=context, policy=policy, checks=checks))
    given = sg.GuardrailsInput(answer_text=text, citations=("C1",))
    print(sg.validate(given, policy=policy).status)
    strict = sg.check_text(text, context=loose, policy="strict")
    told: list[dict[str, object]] = [strict.to_dict(), *(each.to_dict() for each in found)]
    print(sg.__version__, told, [sentence.model_dump() for sentence in strict.sentences])
    return machine.close("complete")


def decode(data: bytes) -> list[sg.SSEEvent]:
    decoder = sg.SSEDecoder()
    return [*decoder.feed(data), *decoder.close()]


def forged(chunk: object, response_id: str | None) -> bool:
    return annotation_of(chunk, response_id) is None


def segment(text: str) -> list[tuple[int, int]]:
    segmenter = sg.Segmenter()
    return [*segmenter.feed(text), *segmenter.close()]


async def of_request(scope: ASGIScope, body: bytes) -> sg.Context | None:
    return sg.Context(query=body.decode()) if scope["method"] == "POST" else None


def serve(store: ResultStore) -> Starlette:
    app = Starlette(routes=[Mount("/streamguard/results", results_app(store))])
    app.add_middleware(StreamGuardMiddleware, context=of_request, store=store, paths=["/ask"])
    return app


def handle(request: Request) -> None:
    provide_context(request, context)
    provide_context(request.scope, sg.LateContext())


async def answer(request: web.Request, source: AsyncIterator[str]) -> web.StreamResponse:
    add_results(web.Application(), ResultStore(), token="t")
    return await stream_sse(request, sg.guard(source), dialect="chat", forms=Forms("attach"))
