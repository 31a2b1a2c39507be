"""Asks recorded questions through proxy and replay with the official client, and shows all."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import openai
from aiohttp import web
from rich.console import Console
from rich.text import Text

from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation
from streamguard.core.model.types import Finding
from streamguard.core.sentence import Scope, Sentence
from streamguard.demo import scripted_judge
from streamguard.demo.cases import STUMBLING_WORDS
from streamguard.demo.panel import panel, verdict_lines
from streamguard.demo.recordings import Recorded
from streamguard.errors import StreamguardError
from streamguard.prompt.boundary_lines import BOUNDARY_END, BOUNDARY_START
from streamguard.server.chat import replay
from streamguard.server.chat.recorded import MODEL, RecordedAnswer
from streamguard.server.proxy import app as proxy
from streamguard.server.request_context import Policies
from streamguard.server.workers.serve import make_runner, start
from streamguard.text.words import counted
from streamguard.verify.judge import Judge
from streamguard.verify.specs import readers_of

_KEY = "streamguard"
_LIVE_CHARS = 2_000  # of a runaway answer; guess, above any ordinary answer
_INSTRUCTION = "Answer from these passages only, and cite them as [C1]."


@dataclass(slots=True)
class DemoTally:
    """The counts of the answers shown so far."""

    statuses: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    pieces: int = 0
    check_us: float = 0.0
    changed: int = 0  # answers that did not arrive as recorded


async def show(
    recordings: Sequence[Recorded],
    console: Console,
    *,
    policy: Policy,
    tokens_per_s: float,
    pause_s: float,
    brief: bool = False,
) -> DemoTally:
    """Stream every recording through replay and proxy onto `console`; return the counts.

    `brief`: below each answer only its verdict and warnings. `tokens_per_s` 0: at full speed. All
    servers listen on free loopback ports and are stopped at return. Raises `StreamguardError` if an
    answer has no annotation.
    """
    tally = DemoTally()
    async with _servers(recordings, policy, tokens_per_s) as (base_url, judged_url):
        _introduce(console, base_url, len(recordings))
        for number, recorded in enumerate(recordings, 1):
            _head(console, f"{number}/{len(recordings)}  {recorded.title}", recorded, brief=brief)
            try:
                async with _client(judged_url if recorded.judged else base_url) as client:
                    answer, annotation = await _request_answer(
                        client, recorded, console, brief=brief
                    )
            except openai.OpenAIError as exc:
                raise StreamguardError(f"the client gave up on {recorded.title!r}: {exc}") from exc
            _count(tally, annotation, unchanged=answer == recorded.answer)
            shown = verdict_lines if brief else panel
            console.print(shown(annotation, answer, _texts(recorded)))
            if number < len(recordings):
                await asyncio.sleep(pause_s)
    _sum_up(console, tally, brief=brief)
    return tally


@asynccontextmanager
async def _servers(
    recordings: Sequence[Recorded], policy: Policy, tokens_per_s: float
) -> AsyncIterator[tuple[str, str]]:
    """Run replay and, in front of it, the proxy, without and with a judge; yield both addresses."""
    records = [RecordedAnswer(each.question, each.chunks or (), each.answer) for each in recordings]
    broken = [number for number, each in enumerate(recordings) if each.broken]
    replaying = replay.Replay(records, tokens_per_s, broken=broken)
    async with _serving(replay.make_app(replaying)) as upstream:
        plain = proxy.Settings(
            upstream=f"{upstream}/v1",
            policies=Policies(policy),
            checks=DEFAULT_CHECKS.plus(stumbling_check),
        )
        async with (
            _serving(scripted_judge.make_app()) as judging,
            _serving(proxy.make_app(plain)) as base_url,
        ):
            judge = Judge(f"{judging}/v1", scripted_judge.NAME)
            with_judge = proxy.make_app(replace(plain, verifiers=readers_of((), judge)))
            async with _serving(with_judge) as judged_url:
                yield base_url, judged_url


@asynccontextmanager
async def _serving(app: web.Application) -> AsyncIterator[str]:
    """Run a server on a free loopback port; yield its address."""
    runner = make_runner(app)
    try:
        yield await start(runner, "127.0.0.1", 0)
    finally:
        await runner.cleanup()


def stumbling_check(sentence: Sentence, _scope: Scope) -> Iterator[Finding]:
    """Raise if a sentence holds `STUMBLING_WORDS`, to show a broken check's effect on a stream."""
    if STUMBLING_WORDS in sentence.text:
        raise RuntimeError("this check is broken on purpose")
    yield from ()


def _client(base_url: str) -> openai.AsyncOpenAI:
    # No proxy from the environment: both ends are on this machine.
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    return openai.AsyncOpenAI(
        api_key="not-needed", base_url=base_url, max_retries=0, http_client=http
    )


async def _request_answer(
    client: openai.AsyncOpenAI, recorded: Recorded, console: Console, *, brief: bool
) -> tuple[str, Annotation]:
    """Ask for one recorded answer, print its tokens as they come, return it and its annotation."""
    pieces: list[str] = []
    shown = 0
    annotation = None
    stream = await client.chat.completions.create(
        model=f"{MODEL}-{recorded.split}",
        stream=True,
        messages=_messages(recorded),
        extra_body=_body(recorded),
    )
    async with stream:
        async for chunk in stream:
            if (found := (chunk.model_extra or {}).get(_KEY)) is not None:
                annotation = Annotation.model_validate(found)
            for choice in chunk.choices:
                piece = choice.delta.content or ""
                pieces.append(piece)
                shown += len(piece)
                if shown <= _LIVE_CHARS:
                    console.print(Text(piece), end="", soft_wrap=True)
    end = "" if brief else "\n"
    console.print(end if shown <= _LIVE_CHARS else f" …{end}")
    if annotation is None:
        raise StreamguardError(f"no annotation came with the answer to {recorded.question!r}")
    return "".join(pieces), annotation


def _messages(recorded: Recorded) -> list[Any]:
    question = {"role": "user", "content": recorded.question}
    if recorded.context_in == "body" or recorded.chunks is None:
        return [question]
    passages = (
        f"[C{number}] Source: {chunk.source or 'unknown'}\n{chunk.text}"
        for number, chunk in enumerate(recorded.chunks, 1)
    )
    block = "\n\n".join([BOUNDARY_START, *passages, BOUNDARY_END, _INSTRUCTION])
    return [{"role": "system", "content": block}, question]


def _body(recorded: Recorded) -> dict[str, Any] | None:
    """Return the body key with the passages for the proxy; it never reaches the model."""
    if recorded.context_in == "prompt" or recorded.chunks is None:
        return None
    chunks = [{"id": chunk.id, "text": chunk.text} for chunk in recorded.chunks]
    return {_KEY: {"query": recorded.question, "chunks": chunks}}


def _texts(recorded: Recorded) -> Mapping[str, str]:
    chunks = recorded.chunks or ()
    return {chunk.id or f"C{number}": chunk.text for number, chunk in enumerate(chunks, 1)}


def _count(tally: DemoTally, annotation: Annotation, *, unchanged: bool) -> None:
    tally.changed += not unchanged
    if annotation.result is not None:
        tally.statuses[annotation.result.status or "not evaluated"] += 1
        tally.flags.update(annotation.result.flags)
    if annotation.stream is not None:
        tally.pieces += annotation.stream.pieces
        tally.check_us += annotation.stream.check_us or 0.0


def _introduce(console: Console, base_url: str, answers: int) -> None:
    way = "a server that replays them → streamguard proxy → openai client"
    console.print(Text(f"{answers} recorded answers: {way}"))
    console.print(Text(f'the client is OpenAI(base_url="{base_url}"), with no other change'))
    console.print()


def _head(console: Console, title: str, recorded: Recorded, *, brief: bool) -> None:
    if brief:
        console.print(Text.assemble((title, "bold"), ("   asked: ", "dim"), recorded.question))
        return
    console.rule(Text(title, style="bold"), align="left")
    console.print(Text.assemble(("question  ", "dim"), recorded.question))
    if recorded.chunks is None:
        known = "none: an ordinary chat"
    else:
        known = f"{len(recorded.chunks)}, told in the {recorded.context_in}"
    console.print(Text.assemble(("passages  ", "dim"), known))
    console.print()


def _sum_up(console: Console, tally: DemoTally, *, brief: bool) -> None:
    if not brief:
        console.rule(Text("all together", style="bold"), align="left")
        console.print(_counted("status", tally.statuses))
        console.print(_counted("flags", tally.flags))
    spent = tally.check_us / max(1, tally.pieces)
    pieces = counted(tally.pieces, "piece")
    console.print(Text(f"checks  {spent / 1_000:.1f} ms of work for each of {pieces}; none waited"))
    as_recorded = "every answer arrived as recorded, to the last character"
    changed = f"{counted(tally.changed, 'answer')} did not arrive as recorded"
    console.print(Text(f"text    {changed if tally.changed else as_recorded}"))
    console.print()


def _counted(name: str, counts: Counter[str]) -> Text:
    shown = ", ".join(f"{key} {count}" for key, count in counts.most_common()) or "none"
    return Text(f"{name:7} {shown}")
