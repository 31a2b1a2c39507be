"""A scripted question for each feature of the chat page, over the chat server's own API."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp

from streamguard.demo.chat_samples import FAULTY, QUESTIONS
from streamguard.demo.notes import shortened
from streamguard.errors import StreamguardError
from streamguard.server.chat.settings import SCRIPTED
from streamguard.wire.codecs.sse import SSEDecoder

_PATIENCE_S = 60.0  # for one answer, which takes milliseconds; guess
_WORDS_CHARS = 110  # of the text seen; guess, the width of a terminal's line

PLAIN = "plain bubble"
YELLOW, ORANGE = "yellow banner", "orange banner"
AMBER = "amber refusal bubble"
LOW = "low-confidence border"
UNDERLINE = "underlined sentence"
WITHHELD = "verdict REFUSE"
NEEDLESS = "needless refusal"


@dataclass(frozen=True, slots=True)
class Stop:
    """A question, and the feature that the page must show for it."""

    shows: str
    question: str
    preset: str = "moderate"


@dataclass(frozen=True, slots=True)
class Visit:
    """The outcome of a stop: whether the feature was shown, and its text."""

    stop: Stop
    came: bool
    words: str


_BASIC, _TOWER, _VACATION, _LIMIT, _KEY = (f"{question}{SCRIPTED}" for question in FAULTY)

STOPS = (
    Stop(PLAIN, QUESTIONS[2]),
    Stop(YELLOW, _TOWER),
    Stop(ORANGE, _BASIC),
    Stop(AMBER, QUESTIONS[6]),
    Stop(NEEDLESS, _LIMIT),
    Stop(LOW, QUESTIONS[5], "lenient"),
    Stop(UNDERLINE, _KEY),
    Stop(WITHHELD, _VACATION),
)


async def visits(base: str, stops: Iterable[Stop]) -> AsyncIterator[Visit]:
    """Yield the outcome of each stop on the chat server at `base`, in order.

    Raises `StreamguardError` for a server that does not answer.
    """
    timeout = aiohttp.ClientTimeout(total=_PATIENCE_S)
    try:
        # No proxy from the environment: both ends are on this machine.
        async with aiohttp.ClientSession(timeout=timeout) as session:
            for stop in stops:
                shown = seen(await _request_answer(session, base, stop))
                words = shown.get(stop.shows)
                instead = f"not seen; seen: {', '.join(shown) or 'nothing'}"
                yield Visit(stop, words is not None, shortened(words or instead, _WORDS_CHARS))
    except (aiohttp.ClientError, TimeoutError) as exc:
        raise StreamguardError(f"the chat server gave up: {exc!r}") from exc


def seen(frames: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the features that the page shows for these frames, each with its text."""
    last = frames[-1] if frames else {}
    result = (last.get("annotation") or {}).get("result")
    if result is None:
        return {}
    answer = "".join(frame["text"] for frame in frames if frame["type"] == "token")
    shown = {f"{banner['colour']} banner": banner["text"] for banner in result["banners"]}
    refusal = result["refusal"]
    if refusal["extent"] == "whole":
        shown[AMBER] = answer
    elif (result["retrieval"] or {}).get("confidence_level") == "low":
        shown[LOW] = answer
    if refusal["kind"] == "over_refusal":
        shown[NEEDLESS] = f"{answer} The passages may hold an answer."
    for finding in result["findings"]:
        if finding["severity"] == "warning" or finding["flag"] == "unsupported_claim":
            shown.setdefault(UNDERLINE, finding["message"])
    if result["status"] == "REFUSE":
        shown[WITHHELD] = result["reasons"][0]["message"]
    return shown or {PLAIN: answer}


async def _request_answer(
    session: aiohttp.ClientSession, base: str, stop: Stop
) -> list[dict[str, Any]]:
    """Return the frames that answer one question, without the end sign."""
    body = {"question": stop.question, "preset": stop.preset}
    async with session.post(f"{base}/api/chat", json=body) as response:
        data = await response.read()
        if response.status != 200:
            raise StreamguardError(f"the chat server answered {response.status}")
    decoder = SSEDecoder()
    events = [*decoder.feed(data), *decoder.close()]
    return [json.loads(event.data) for event in events if event.data and event.data != "[DONE]"]
