"""Ollama's `/api/chat` and `/api/generate`: the text in a JSON line, and an annotation in one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from streamguard.wire.codecs.lines import LineDecoder
from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import field, filled, text_at, without
from streamguard.wire.reader import Place, Reader, with_annotation

_CREATED = re.compile(rb'"created_at": ?"([!#-\[\]-~]{0,200})"')


def text_of(frame: Any) -> dict[int, str]:
    """Return the text of a line or a complete answer, as choice 0; thinking is not text."""
    text = text_at(frame, "message", "content") or text_at(frame, "response")
    return {0: text} if text else {}


def finished(frame: Any) -> set[int]:
    """Return choice 0 if `frame` is the last line."""
    return {0} if field(frame, "done") is True else set()


class OllamaReader(Reader):
    """Reads the lines of one Ollama answer."""

    signs = end_signs = (b'"done":true', b'"done": true')
    content_keys = ('"content":"', '"response":"', '"content": "', '"response": "')
    texts = staticmethod(text_of)

    def __init__(self) -> None:
        super().__init__()
        self._last: Mapping[str, Any] = {}
        self._cut = b""  # the last line, unless it was parsed

    def plain(self, raw: bytes) -> list[bytes] | None:
        """Return the texts of lines like the one before, and remember the last of these."""
        texts = super().plain(raw)
        if texts is not None:
            self._cut = raw[raw.rfind(b"\n", 0, -1) + 1 :]
        return texts

    def note_cut(self, texts: Sequence[str], raw: bytes = b"") -> None:
        """Remember the last line."""
        self._cut = raw or self._cut

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Return the line's place; the last one has `done` and usage figures."""
        return "end" if finished(frame) else "body"

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return whether a line has the fields of every line, or is an error."""
        return isinstance(frame.get("done"), bool) or bool(frame.get("error"))

    def other_content(self, frame: Mapping[str, Any]) -> Any:
        """Return a line without text: some server may put it elsewhere."""
        if not text_of(frame):
            return frame
        if not text_at(frame, "message", "content"):
            return without(frame, "response")
        return {**frame, "message": without(frame["message"], "content")}

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember a line's shape, and whether it was the last."""
        self.failed = self.failed or bool(frame.get("error"))
        self.done = self.done or bool(finished(frame))
        if frame:
            self._last, self._cut = frame, b""

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return one more line of the same shape, with the key and without text."""
        created = _CREATED.search(self._cut)  # as the last line says: they differ in it
        last = self._last if created is None else {"created_at": created[1].decode()}
        head: dict[str, Any] = {
            "model": filled(self._last, "model", str, "unknown"),
            "created_at": filled(last, "created_at", str, "1970-01-01T00:00:00Z"),
        }
        if "response" in self._last:
            head["response"] = ""
        else:
            head["message"] = {"role": "assistant", "content": ""}
        line = with_annotation({**head, "done": False}, annotation_json)
        return f"{line}{self.line_end}".encode("ascii")

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return one more line with the key."""
        return self.addition(annotation_json, None)


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    known = isinstance(answer.get("message"), dict) or isinstance(answer.get("response"), str)
    return text_of(answer) if known and "done" in answer else None


OLLAMA = Dialect(
    name="ollama",
    decoder=LineDecoder,
    reader=OllamaReader,
    text_of=text_of,
    finished=finished,
    answer=_answer,
    default="chunk",
    own_forms={"event": "chunk"},  # lines have no names
    frames_of=lambda answer: [answer],
)
