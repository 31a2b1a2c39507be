"""Copies items with their answer text replaced, whatever their shape.

The text's place in an item is found by trial: a string is the text of a choice if the dialect reads
another text once that string is changed. So one function serves every dialect, parsed JSON and SDK
objects alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import is_dataclass
from typing import Any, NamedTuple, TypeVar

from streamguard.errors import DecodeError

T = TypeVar("T")
Texts = Callable[[Any], Mapping[int, str]]

MAX_STRINGS = 2_000  # of an item that are looked at; guess, far above an SDK's object
MAX_DEPTH = 40
_PROBE = "\ue000streamguard\ue000"  # private characters: no text holds them
# Fields that repeat the text token by token.
_SCORES = frozenset(
    {"logprobs", "logprobs_result", "logprobsResult", "top_logprobs", "avg_logprobs", "avgLogprobs"}
)


class _Place(NamedTuple):
    """One string of an item, and a way to set it."""

    holder: Any
    key: Any
    text: str

    def set(self, text: Any) -> None:
        if isinstance(self.holder, (dict, list)):
            self.holder[self.key] = text
        else:  # also of frozen values: the copy is ours
            object.__setattr__(self.holder, self.key, text)


def with_texts(item: T, new: Mapping[int, str], texts_of: Texts) -> T:
    """Return a copy of the item that reads as `new`, which has all choices with text.

    A str is its own text. `texts_of` reads an item's text per choice. Token scores of the text are
    cleared. Raises `DecodeError` if no string of the item is the text.
    """
    if isinstance(item, str):
        return new.get(0, "")  # type: ignore[return-value]
    copied = deepcopy(item)
    old = dict(texts_of(copied))
    changed = {one for one in {*old, *new} if new.get(one, "") != old.get(one, "")}
    replaced: set[int] = set()
    for place in _strings(copied):
        if not place.text or not any(place.text in old.get(choice, "") for choice in changed):
            continue
        place.set(_PROBE)
        read = texts_of(copied)
        choice = next((one for one in changed if _PROBE in read.get(one, "")), None)
        if choice is None:
            place.set(place.text)
        else:
            place.set("" if choice in replaced else new.get(choice, ""))
            replaced.add(choice)
    _empty_scores(copied)
    if replaced != changed:
        raise DecodeError(f"the text of a {type(item).__name__} was not found among its strings")
    return copied


def scrubbed(item: T, removed: Sequence[tuple[str, str]]) -> T:
    """Return a copy of the item in which no string holds a removed text.

    `removed` has pairs of removed text and replacement. An item without any of them is returned
    itself.
    """
    found = [place for place in _strings(item) if any(text in place.text for text, _ in removed)]
    if isinstance(item, str):
        return _without(item, removed)  # type: ignore[return-value]
    if not found:
        return item
    copied = deepcopy(item)
    for place in _strings(copied):
        if (text := _without(place.text, removed)) != place.text:
            place.set(text)
    _empty_scores(copied)
    return copied


def _without(text: str, removed: Sequence[tuple[str, str]]) -> str:
    for old, new in removed:
        text = text.replace(old, new)
    return text


def _strings(item: Any) -> Iterator[_Place]:
    """Yield the strings of an item, outermost first, with their current values."""
    waiting, count = deque([(item, 0)]), 0
    seen: set[int] = set()
    while waiting:
        holder, depth = waiting.popleft()
        if id(holder) in seen:
            continue
        seen.add(id(holder))
        for key, value in _parts(holder):
            if isinstance(value, str):
                count += 1
                if count > MAX_STRINGS:
                    raise DecodeError(f"a frame has more than {MAX_STRINGS} strings")
                yield _Place(holder, key, value)
            elif depth < MAX_DEPTH and not isinstance(value, (int, float, bytes, type(None))):
                waiting.append((value, depth + 1))


def _parts(holder: Any) -> list[tuple[Any, Any]]:
    """Return the keyed parts of a container or object, none of anything else."""
    if isinstance(holder, dict):
        return list(holder.items())
    if isinstance(holder, (list, tuple)):
        return list(enumerate(holder))
    if is_dataclass(holder) and not isinstance(holder, type):
        return [(name, getattr(holder, name)) for name in holder.__dataclass_fields__]
    extra = getattr(holder, "__pydantic_extra__", None)
    fields = list(vars(holder).items()) if hasattr(holder, "__dict__") else []
    return [*fields, *(extra.items() if isinstance(extra, dict) else ())]


def _empty_scores(item: Any) -> None:
    """Clear token scores: an empty list for a list, else None."""
    waiting = [(item, 0)]
    seen: set[int] = set()
    while waiting:
        holder, depth = waiting.pop()
        if id(holder) in seen:
            continue
        seen.add(id(holder))
        for key, value in _parts(holder):
            if key in _SCORES and value:
                _Place(holder, key, "").set([] if isinstance(value, list) else None)
            elif depth < MAX_DEPTH and not isinstance(value, (str, int, float, bytes, type(None))):
                waiting.append((value, depth + 1))
