"""Finds the text in frames of unknown shape: from the first frames, then at a fixed place.

A frame's strings are identified by the kind of frame (its event name or `type`) and their path in
it. The text is the string that changes from frame to frame, preferably under a common name. Frames
that repeat the answer so far are told apart from pieces of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, pairwise
from typing import Any

from streamguard.errors import ConfigError
from streamguard.text.patterns import lazy_re
from streamguard.wire.fields import (
    MAX_LOOKED_AT,
    NUMBERS,
    WORDY,
    Path,
    holds_words,
    is_wide,
    joined,
    parts_text,
    strings_in,
    words_in,
)

# Fields in which applications put the text, the likeliest first; guess.
TEXT_FIELDS = (
    "text",
    "content",
    "delta",
    "token",
    "answer",
    "response",
    "output",
    "message",
    "chunk",
    "completion",
    "generated_text",
    "result",
    "data",
    "value",
)
# Under these even a word is text.
_NAMES_OF_TEXT = frozenset(
    {"text", "content", "delta", "token", "answer", "completion", "generated_text"}
)
_OTHER_KINDS = frozenset(
    """
    thinking thought thoughts think reasoning reason tool tools function call calls args arguments
    input status state step steps progress error source sources reference references citation
    citations document documents context retrieval retrieved metadata meta usage title log debug
    suggestion suggestions start begin end done ping heartbeat keepalive search
    """.split()
)
_ASIDE_KINDS = _OTHER_KINDS - {"start", "begin", "end", "done"}  # where a protocol has its own
# Words in the names of fields that are no text of an answer: thoughts, calls, states, sources;
# guess.
_OTHER_NAMES = _OTHER_KINDS | frozenset(
    """
    tooling functions argument inputs name id ids uuid type kind event stage phase role model object
    op path errors code docs doc contexts url uri href link file filename mime time timestamp date
    created updated finish stop signature session thread conversation run node agent author user
    query question questions passages prompt version key fingerprint logs followups lang
    language hash checksum html obfuscation padding nonce inline
    """.split()
)
_ASIDE_NAMES = _OTHER_NAMES - {"start", "begin", "end", "done", "html"}
_WORDS = lazy_re(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LETTER = lazy_re(r"[^\W\d_]")
_NO_WORDS = lazy_re(r"[0-9a-fA-F-]{8,}|[\d.,:TZ+-]+|https?://\S+")  # ids, figures, addresses
_PROSE = lazy_re(r"\w[^\w\s]{0,3}\s+\w")
# Frames before the decision: two show which field changes, the third that it was no accident.
HELD_FRAMES = 3
MAX_HELD_FRAMES = 16  # frames without a string that changes like a text; guess
MAX_KEPT_CHARS = 2_000_000  # of a text that its last frame may repeat; no more text is checked
REPEATED_CHARS = 16  # a piece that long which equals all before it is a repetition; guess
_MAX_DEPTH = 6
_MAX_STRINGS = 64  # of one frame that are looked at
_LETTERS_AT = 4_096  # characters that are searched for a letter, or for prose; guess
_NAME_CHARS = 64  # of a name that are searched for words; names are shorter

_Where = tuple[str, Path]  # the kind of a frame, and the place in it
_Places = list[tuple[Path, str]]  # the strings of a frame that may be text


def path_of(named: str) -> Path:
    """Return a dotted path as its parts; a number is a list index, `*` all elements of a list.

    A list where a name follows is searched element by element.
    """
    return tuple(named.split("."))


def checked_path(named: str | None) -> str | None:
    """Return a path that `path_of` accepts, or None; raises `ConfigError` for an empty part."""
    if named is not None and not all(path_of(named)):
        raise ConfigError(f"text is {named!r}, expected a path as data.text")
    return named


def value_at(value: Any, path: Path, depth: int = 0) -> str | None:
    """Return the text at `path`, from all matching places in order; None without one."""
    if not path:
        joined_text = parts_text(value)
        return joined_text if joined_text or isinstance(value, str) else None
    name, rest = path[0], path[1:]
    if isinstance(value, Mapping):
        return value_at(value[name], rest, depth) if name in value else None
    if not isinstance(value, list) or depth > _MAX_DEPTH:
        return None
    if name.isdigit():
        return value_at(value[int(name)], rest, depth) if int(name) < len(value) else None
    inner = rest if name == "*" else path
    found = [text for each in value if (text := value_at(each, inner, depth + 1)) is not None]
    return "".join(found) if found else None


class Finder:
    """Reads the text of one stream of unknown shape: `take` every frame, then `rest`.

    `path`: the text's place, if the application names it. `unread`: text seemed to stand elsewhere
    too, or was changed afterwards.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.unread = False
        self._path = path
        self._where: _Where | None = None  # the place of the text, once known
        self._held: list[tuple[str, Any, _Places]] = []  # kind, frame and strings of the first ones
        self._decided = False
        self._grows = False  # every frame repeats the text so far
        self._texts: list[str] = []  # the pieces; one string where it grows
        self._elsewhere = Elsewhere()
        self._chars = 0

    def take(self, frame: Any, kind: str = "") -> str:
        """Read a frame, parsed or a string; return the new text that is certain by now."""
        kind = kind or _kind_of(frame)
        if self._path is None and is_wide(frame):
            self.unread = True
            return ""
        places = [] if self._path is not None else list(_candidates(frame, kind))
        if self._decided:
            return self._added(frame, kind, places)
        if self._path is None and not places:
            return ""
        self._held.append((kind, frame, places))
        count = len(self._held)
        # A decision is tried again whenever the number of frames has doubled.
        if count < HELD_FRAMES or (count > HELD_FRAMES and count & (count - 1)):
            return ""
        return self._decide(last=count >= MAX_HELD_FRAMES)

    def end(self, frame: Any) -> None:
        """Read a closing frame, which may repeat all of the text but holds no other."""
        self._elsewhere.take(frame, known=self._repeats)
        self.unread = self.unread or self._elsewhere.unread

    def rest(self) -> str:
        """Return the text that was held back; no frame may follow."""
        return "" if self._decided else self._decide(last=True)

    def _decide(self, *, last: bool) -> str:
        """Fix the text's place if the frames so far determine it; return their text."""
        if self._path is None:
            self._where = self._likeliest(last=last)
            if self._where is None and not last:
                return ""
        held, self._held, self._decided = self._held, [], True
        values = [self._value(frame, kind, places) for kind, frame, places in held]
        self._grows = _grow([value for value in values if value])
        return "".join(self._added(frame, kind, places) for kind, frame, places in held)

    def _likeliest(self, *, last: bool) -> _Where | None:
        seen: dict[_Where, list[str]] = {}
        for kind, _, places in self._held:
            for path, text in places:
                seen.setdefault((kind, path), []).append(text)
        scores = {where: _score(where[1], texts, last=last) for where, texts in seen.items()}
        best = max(scores, key=lambda where: scores[where], default=None)
        if best is None or not scores[best][0]:
            self.unread = self.unread or (last and bool(self._held))
            return None
        if not _usual(best[1]):
            rivals = [where for where in scores if where != best and scores[where][0]]
            self.unread = any(_is_prose("".join(seen[where])) for where in rivals)
        return best

    def _value(self, frame: Any, kind: str, places: _Places) -> str | None:
        """Return the string at the text's place in a frame."""
        if self._path is not None:
            return value_at(frame, self._path)
        known, path = self._where or ("", ())
        if kind != known or self._where is None:
            return None
        texts = [text for place, text in places if place == path]
        if not texts and len(path) == 1:
            # Some write the text under one name, and under another later.
            usual = [each for each in places if len(each[0]) == 1 and _usual(each[0])]
            texts = [max(usual, key=lambda each: _usual(each[0]))[1]] if usual else []
        return "".join(texts) if texts else None

    def _added(self, frame: Any, kind: str, places: _Places) -> str:
        """Return the text that a frame adds."""
        value = self._value(frame, kind, places)
        if value is None:
            for path, text in places:
                if not self._repeats(text):
                    self._elsewhere.look(path, text, kind)
                    self.unread = self.unread or self._elsewhere.unread or _is_prose(text)
            return ""
        if self._grows:
            return self._grown(value)
        if self._chars >= REPEATED_CHARS and self._repeats(value):
            return ""  # many streams end with the whole answer
        self._chars += len(value)
        if self._chars <= MAX_KEPT_CHARS:
            self._texts.append(value)
        return value

    def _repeats(self, text: str) -> bool:
        """Return whether `text` is all text so far, white space ignored."""
        if abs(len(text) - self._chars) > REPEATED_CHARS:
            return False
        return text.strip() == joined(self._texts).strip()

    def _grown(self, value: str) -> str:
        before = self._texts[0] if self._texts else ""
        if value.startswith(before):
            self._texts, self._chars = [value], len(value)
            return value[len(before) :]
        self.unread = self.unread or not before.startswith(value)
        return ""


def text_in(answer: Any, path: Path | None = None) -> tuple[str | None, bool]:
    """Return the text of a complete answer (None without one), and whether more was unread."""
    finder = Finder(path)
    text = finder.take(answer) + finder.rest()
    return text or None, finder.unread


class Elsewhere:
    """Watches frames from which no text is read while others carry the answer.

    `unread` becomes True if they may hold text of the answer: any text under the name of a text
    field, or several words under another name, even one per frame.
    """

    def __init__(self) -> None:
        self.unread = False
        self._words: dict[int, tuple[int, int]] = {}  # so far by place, and the last text there

    def take(
        self, frame: Any, kind: str = "", *, known: Callable[[str], bool] | None = None
    ) -> None:
        """Watch a frame or a part of one; `kind` is its event's name, if it has one.

        Strings for which `known` returns True are skipped.
        """
        kind = kind or _kind_of(frame)
        if self.unread or _has(kind, _ASIDE_KINDS):
            return
        if is_wide(frame):
            self.unread = True
            return
        for number, (path, text) in enumerate(strings_in(frame)):
            if number == MAX_LOOKED_AT:
                self.unread = True
            if self.unread:
                return
            if known is None or not known(text):
                self.look(path, text, kind)

    def look(self, path: Path, text: str, kind: str) -> None:
        """Count the words of a string by its path."""
        if self.unread or any(_has(name, _ASIDE_NAMES) for name in path):
            return
        words, place = words_in(text), hash((kind, path))
        if _named(path) in _NAMES_OF_TEXT:
            self.unread = words > 0
            return
        if _NO_WORDS.fullmatch(text):
            return
        if place not in self._words and not _LETTER.search(text[:_LETTERS_AT]):
            return  # figures alone
        if len(self._words) >= _MAX_STRINGS and place not in self._words:
            place = 0
        before, last = self._words.get(place, (0, 0))
        if (seen := hash(text)) != last:  # an equal text is a ping, sent again and again
            self._words[place] = before + words, seen
            self.unread = before + words >= WORDY


class Silence(Elsewhere):
    """Watches a stream without text so far: one frame with several words makes it unread."""

    def take(
        self, frame: Any, kind: str = "", *, known: Callable[[str], bool] | None = None
    ) -> None:
        """Watch a frame, as `Elsewhere` does."""
        self.unread = self.unread or holds_words(frame)
        super().take(frame, kind, known=known)


def is_empty(frame: Any) -> bool:
    """Return whether a frame has an empty string at a usual place of text, and no other there."""
    seen = False
    for number, (path, text) in enumerate(strings_in(frame)):
        if number == MAX_LOOKED_AT:
            return False
        if not any(_has(name, _ASIDE_NAMES) for name in path):
            if text:
                return False
            seen = True
    return seen


def _grow(pieces: list[str]) -> bool:
    """Return whether each piece repeats the one before and the last extends the first.

    Two pieces alone must share some words: "1" and "10" may well be separate pieces.
    """
    if len(pieces) < 2 or pieces[0] == pieces[-1]:
        return False
    if not all(after.startswith(before) for before, after in pairwise(pieces)):
        return False
    return len(pieces) >= HELD_FRAMES or len(pieces[0]) >= REPEATED_CHARS


def _score(path: Path, texts: list[str], *, last: bool) -> tuple[int, ...]:
    """Return how likely the texts at a path are the answer's; a first figure of 0 excludes them.

    A text that never changes counts only once the `last` frame has come.
    """
    changes = len(set(texts)) > 1 or (last and len(texts) == 1)
    lettered = [text for text in texts if _LETTER.search(text, 0, _LETTERS_AT)]
    wordy = [text for text in lettered if not _NO_WORDS.fullmatch(text)]
    if usual := _usual(path):
        level = 3 if changes else int(last)
        return level, len(texts), usual
    if not changes or not wordy or (len(texts) == 1 and not _is_prose(texts[0])):
        return (0,)
    return 2, len(wordy), sum(map(len, wordy))


def _usual(path: Path) -> int:
    """Return how usual the path's name is for text, 0 for not at all; a bare string has no name."""
    named = _named(path) or TEXT_FIELDS[-1]
    return len(TEXT_FIELDS) - TEXT_FIELDS.index(named) if named in TEXT_FIELDS else 0


def _named(path: Path) -> str:
    """Return the last name in a path, an empty string without one."""
    return next((name for name in reversed(path) if name != "*"), "")


def _kind_of(frame: Any) -> str:
    """Return the kind that a frame declares."""
    if isinstance(frame, list):  # as in ["token", "The "]
        first = frame[0] if len(frame) > 1 else None
        return first if isinstance(first, str) and _has(first, _OTHER_KINDS) else ""
    names = ("type", "event", "kind") if isinstance(frame, Mapping) else ()
    return next((frame[name] for name in names if isinstance(frame.get(name), str)), "")


def _has(name: str, words: frozenset[str]) -> bool:
    return any(word.lower() in words for word in _WORDS.findall(name[:_NAME_CHARS]))


def _is_prose(text: str) -> bool:
    return _PROSE.search(text, 0, _LETTERS_AT) is not None


def _candidates(frame: Any, kind: str) -> Iterator[tuple[Path, str]]:
    """Yield path and text of the strings in a frame that may be answer text."""
    return islice(_strings(frame, (), 0), 0 if _has(kind, _OTHER_KINDS) else _MAX_STRINGS)


def _strings(value: Any, path: Path, depth: int) -> Iterator[tuple[Path, str]]:
    """Yield the strings in a value that are not empty, with their paths."""
    if isinstance(value, str):
        if value:
            yield path, value
    elif isinstance(value, list) and not depth and any(isinstance(each, str) for each in value):
        # In a frame like ["token", "The "] each position has its own meaning.
        for number, each in enumerate(value[:_MAX_STRINGS]):
            yield from _strings(each, (str(number),), 1)
    elif isinstance(value, list) and (text := parts_text(value)):
        yield path, text
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for each in value[:_MAX_STRINGS]:
            yield from _strings(each, (*path, "*"), depth + 1)
    elif isinstance(value, Mapping) and depth < _MAX_DEPTH:
        if depth and _has(_kind_of(value), _OTHER_KINDS):
            return
        for name, inner in value.items():
            sound = name == "data" and "transcript" in value  # encoded sound next to its transcript
            if not (isinstance(inner, NUMBERS) or sound or _has(name, _OTHER_NAMES)):
                yield from _strings(inner, (*path, name), depth + 1)
