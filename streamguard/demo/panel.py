"""Renders one answer's result, never by colour alone. Needs the extra `demo` (rich)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from streamguard.core.model.result import Annotation, GuardrailsResult, StreamReport
from streamguard.demo.notes import (
    MarkedSentence,
    Note,
    claims_in_words,
    marked_sentences,
    notes_on_the_answer,
)
from streamguard.text.words import counted

_SIGNS = {"PASS": "✔", "WARN": "⚠", "REFUSE": "✖", None: "○"}
_STYLES = {"PASS": "green", "WARN": "yellow", "REFUSE": "red", None: "blue"}
_BANNER_STYLES = {"yellow": "black on yellow", "orange": "black on dark_orange"}

# The most that is shown of a runaway answer; guesses, above any ordinary answer.
_SENTENCE_CHARS = 400
_SENTENCES = 40
_NOTES = 3  # on one sentence


def panel(annotation: Annotation, answer: str, chunks: Mapping[str, str]) -> Panel:
    """Return the panel below an answer; `chunks`: the passages' texts by id."""
    result = annotation.result
    if result is None:
        return Panel(Text(f"not checked: the stream's state is {annotation.state}"))
    marked = marked_sentences(result, chunks)
    lines = [*_verdict(result), Text(), _underlined(answer, marked)]
    lines.extend(_notes(marked, notes_on_the_answer(result)))
    lines.extend(_cost(annotation.stream))
    status = result.status or "not evaluated"
    title = f"{_SIGNS[result.status]} {status}"
    return Panel(
        Group(*lines), title=title, title_align="left", border_style=_STYLES[result.status]
    )


def verdict_lines(annotation: Annotation, answer: str, chunks: Mapping[str, str]) -> Group:
    """Return an answer's verdict on a line, a blank one, and a line per finding."""
    result = annotation.result
    if result is None:
        return Group(Text(f"  not checked: the stream's state is {annotation.state}"), Text())
    status = f"{_SIGNS[result.status]} {result.status or 'not evaluated'}"
    reason = result.reasons[0].message if result.reasons else ""
    lines = [Text.assemble("  ", (status, f"bold {_STYLES[result.status]}"), f"  {reason}")]
    warned = [one.message or "" for one in result.findings if one.severity == "warning"]
    warned = [message for message in warned if message not in reason]  # which names the first
    lines += [Text.assemble(("     ▸ ", "bold yellow"), message) for message in warned[:_NOTES]]
    return Group(*lines, Text())


def _verdict(result: GuardrailsResult) -> Iterator[Text]:
    for message in dict.fromkeys(reason.message for reason in result.reasons):
        yield Text(message, style="bold")
    for banner in result.banners:
        yield Text(f" ⚠ {banner.text} ", style=_BANNER_STYLES[banner.colour])
    yield Text.assemble(("flags    ", "dim"), ", ".join(result.flags) or "none")
    yield Text.assemble(("claims   ", "dim"), claims_in_words(result))
    if result.refusal.detected:
        refusal = result.refusal
        kind = "" if refusal.kind == "none" else f", {refusal.kind.replace('_', ' ')}"
        yield Text.assemble(("refusal  ", "dim"), f"{refusal.extent}{kind}")


def _underlined(answer: str, marked: Sequence[MarkedSentence]) -> Text:
    """Return the answer with its marked sentences underlined and numbered."""
    text, at = Text(), 0
    for number, sentence in enumerate(marked, 1):
        words = answer[sentence.start : sentence.end]
        text.append(answer[at : sentence.start])
        text.append(words[:_SENTENCE_CHARS], style="underline")
        text.append(" …" if len(words) > _SENTENCE_CHARS else "", style="dim")
        text.append(f" ‹{number}›", style="bold yellow")
        at = sentence.end
    return text.append(answer[at:])


def _notes(marked: Sequence[MarkedSentence], general: Sequence[Note]) -> Iterator[Text]:
    if marked or general:
        yield Text()
    for number, sentence in enumerate(marked[:_SENTENCES], 1):
        for note in sentence.notes[:_NOTES]:
            yield from _note(f"‹{number}› ", note)
        if len(sentence.notes) > _NOTES:
            yield Text(
                f"    … and {counted(len(sentence.notes) - _NOTES, 'finding')} more", style="dim"
            )
    if len(marked) > _SENTENCES:
        yield Text(f"… and {counted(len(marked) - _SENTENCES, 'sentence')} more", style="dim")
    for note in general:
        yield from _note("", note)


def _note(mark: str, note: Note) -> Iterator[Text]:
    yield Text.assemble((mark, "bold yellow"), (f"{note.flag}: ", "bold"), note.message)
    if note.evidence is not None:
        yield Text.assemble(("    nearest evidence in ", "dim"), (note.evidence, "italic"))


def _cost(stream: StreamReport | None) -> Iterator[Text]:
    if stream is None or not stream.pieces:
        return
    yield Text()
    spent = "" if stream.check_us is None else f", {stream.check_us / stream.pieces:.0f} µs each"
    yield Text(f"{stream.pieces:,} pieces checked{spent}; none was held back", style="dim")
