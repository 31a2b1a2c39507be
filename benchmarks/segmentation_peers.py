"""Other segmenters behind one shape, where they are installed: text in, sentence spans out."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from segmentation_scores import Spans, Split

from streamguard.text.segmenter import Segmenter


@dataclass(frozen=True, slots=True)
class Engine:
    """A segmenter to measure: over a whole text, and as a stream if it is one.

    `make` returns an object with `feed(piece)` and `close()`, both returning spans, or is None for
    an engine that only takes whole texts.
    """

    name: str
    split: Split
    make: Callable[[], Any] | None = None


def spans_from(text: str, sentences: Iterable[str]) -> Spans:
    """Find `sentences` in `text` in order, by their characters that are no white space."""
    ink = [at for at, sign in enumerate(text) if not sign.isspace()]
    spans, seen = [], 0
    for sentence in sentences:
        count = sum(not sign.isspace() for sign in sentence)
        if count and seen + count <= len(ink):
            spans.append((ink[seen], ink[seen + count - 1] + 1))
        seen += count
    return spans


class SentenceStreamSpans:
    """`sentence-stream`'s detector with spans for its strings."""

    def __init__(self) -> None:
        module = importlib.import_module("sentence_stream")
        self._detector = module.SentenceBoundaryDetector()
        self._ink: list[int] = []
        self._length = 0
        self._seen = 0

    def feed(self, piece: str) -> Spans:
        """Return the spans that `piece` settles."""
        self._ink += [self._length + at for at, sign in enumerate(piece) if not sign.isspace()]
        self._length += len(piece)
        return self._located(self._detector.add_chunk(piece))

    def close(self) -> Spans:
        """Return the last span."""
        return self._located([self._detector.finish()])

    def _located(self, sentences: Iterable[str]) -> Spans:
        spans = []
        for sentence in sentences:
            count = sum(not sign.isspace() for sign in sentence)
            if count:
                end = min(self._seen + count, len(self._ink))
                spans.append((self._ink[self._seen], self._ink[end - 1] + 1))
                self._seen = end
        return spans


def split_with(make: Callable[[], Any]) -> Split:
    """Return a function that feeds a whole text to a fresh streaming segmenter."""

    def split(text: str) -> Spans:
        segmenter = make()
        spans: Spans = segmenter.feed(text)
        return spans + segmenter.close()

    return split


def _pysbd() -> Split:
    segmenter = importlib.import_module("pysbd").Segmenter(language="en", clean=False)
    return lambda text: spans_from(text, segmenter.segment(text))


def _nupunkt() -> Split:
    module = importlib.import_module("nupunkt")
    return lambda text: spans_from(text, module.sent_tokenize(text))


def _nupunkt_by_line() -> Split:
    module = importlib.import_module("nupunkt")

    def by_line(text: str) -> Spans:
        lines = [line for line in text.splitlines() if line.strip()]
        return spans_from(text, [part for line in lines for part in module.sent_tokenize(line)])

    return by_line


def _blingfire() -> Split:
    module = importlib.import_module("blingfire")

    def by_line(text: str) -> Spans:
        lines = [line for line in text.splitlines() if line.strip()]
        parts = [part for line in lines for part in module.text_to_sentences(line).split("\n")]
        return spans_from(text, parts)

    return by_line


def _livekit() -> Split:
    basic = importlib.import_module("livekit.agents.tokenize.basic")
    tokenizer = basic.SentenceTokenizer()
    return lambda text: spans_from(text, tokenizer.tokenize(text))


_BATCH = (
    ("pySBD", "pysbd", _pysbd),
    ("nupunkt", "nupunkt", _nupunkt),
    ("nupunkt, by line", "nupunkt", _nupunkt_by_line),
    ("blingfire, by line", "blingfire", _blingfire),
    ("LiveKit basic", "livekit-agents", _livekit),
)


def engines() -> tuple[list[Engine], list[str]]:
    """Return the engines that can be measured, and the names of those not installed."""
    found = [Engine("streamguard", split_with(Segmenter), Segmenter)]
    missing = []
    for name, package, load in (("sentence-stream", "sentence-stream", None), *_BATCH):
        try:
            label = f"{name} {version(package)}"
        except PackageNotFoundError:
            missing.append(name)
            continue
        if load is None:
            found.append(Engine(label, split_with(SentenceStreamSpans), SentenceStreamSpans))
        else:
            found.append(Engine(label, load()))
    return found, missing
