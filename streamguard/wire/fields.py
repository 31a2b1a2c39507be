"""Access to the fields of parsed frames and SDK objects through one code path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from streamguard.text.patterns import lazy_re

# Types of a message's parts whose text is the answer's, and those that hold none of it: thoughts,
# calls, references, media. Gathered from the references of the protocols that `docs/wire.md` names.
_TEXT_PARTS = frozenset({"", "text", "output_text", "input_text", "text_delta"})
_OTHER_PARTS = frozenset(
    {
        "thinking",
        "redacted_thinking",
        "thinking_delta",
        "reasoning",
        "reasoning_content",
        "reasoning_text",
        "summary_text",
        "thought",
        "reference",
        "citation",
        "citations",
        "source",
        "document",
        "search_result",
        "tool_use",
        "tool_call",
        "tool_calls",
        "tool_result",
        "function",
        "function_call",
        "image",
        "image_url",
        "input_image",
        "audio",
        "input_audio",
        "output_audio",
        "video",
        "file",
        "input_file",
        "document_url",
        "usage",
        "metadata",
        "executable_code",
        "code_execution_result",
        "server_tool_use",
        "non_standard",
    }
)
# Keys and types of parts that are no answer: thoughts, calls, sources, media, the question.
_ASIDE = lazy_re(
    r"(?i)reason|think|thought|tool|function|call|argument|partial_json|error|cit|source"
    r"|usage|audio|image|video|file|search|ground|metadata|instruct|prompt|input|safety|filter|log"
    r"|schema|format|finish_?[rm]|context|embedding"
)
_ASKING = frozenset({"user", "human", "system", "developer", "tool", "function"})  # roles and types
WORDY = 4  # words of a string that says something; guess
_LOOKED_AT = 512  # characters of a string without blanks in which words are looked for; guess
# In scripts without blanks two letters count as a word, roughly.
_UNSPACED = "\\u0e00-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u9fff"
_WORD = lazy_re(rf"[{_UNSPACED}]{{1,2}}|[^\W{_UNSPACED}][^\s{_UNSPACED}]*")
_DEEPEST = 12  # nesting of the parts that are searched
Path = tuple[str, ...]
# Limits of one frame's search, so that it takes one turn: its lists and objects, their elements,
# and the strings at places without text. Parts that are no answer do not count. Measured by
# benchmarks/bench_frames.py; honest frames have some dozen.
_WIDEST = 1_000
_MOST_HELD = 4_000
MAX_LOOKED_AT = 256
_MAX_PARTS = 1_000  # of a message
_NAME_CHARS = 64  # of a key or type that are searched for a word; names are shorter
_MAPPINGS = (dict, Mapping)  # in this order: frames are dicts, and the check for `Mapping` is slow
_NESTS = (dict, list)
NUMBERS = (int, float, type(None))  # checked first: the check for `Mapping` is slow for other types
_HOLDERS = (str, dict, list, tuple, Mapping)  # the types that are searched for strings
MAX_CHOICES = 128  # SPEC 10; the ends of further choices are not waited for
_MAX_DEPTH = 3  # of lists in lists of parts: only an attacker nests deeper


def field(owner: Any, name: str) -> Any:
    """Return the key or the attribute `name` of `owner`, None if it has none."""
    return owner.get(name) if isinstance(owner, _MAPPINGS) else getattr(owner, name, None)


def text_at(owner: Any, *names: str) -> str:
    """Return the string at the end of a path of fields, an empty one if it is missing."""
    for name in names:
        owner = field(owner, name)
    return owner if isinstance(owner, str) else ""


def joined(pieces: Sequence[str]) -> str:
    """Return pieces joined; two of them may hold the halves of one character."""
    if len(pieces) == 1:
        return pieces[0]
    text = "".join(pieces)
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def parts_text(content: Any, depth: int = 0) -> str:
    """Return the text of a message's content: a string, a part, or a list of both."""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        inner = _but_numbers(content)[:_MAX_PARTS] if depth < _MAX_DEPTH else ()
        return "".join([parts_text(part, depth + 1) for part in inner])
    name = _text_field(text_at(content, "type"))
    return text_at(content, name) if name else ""


def message_text(message: Any) -> str:
    """Return the text of a message: its content and its separate refusal, as users see both."""
    content, refusal = parts_text(field(message, "content")), field(message, "refusal")
    return content if refusal is None else content + parts_text(refusal)


def has_unread_text(message: Any) -> bool:
    """Return whether a message may hold text that `message_text` misses."""
    return any(has_unread_parts(field(message, name)) for name in ("content", "refusal"))


def _text_field(kind: str) -> str | None:
    """Return the text field's name in a part of that type, None if it has none."""
    if kind == "refusal":
        return kind
    return "text" if kind in _TEXT_PARTS else None


def has_unread_parts(content: Any, depth: int = 0) -> bool:
    """Return whether a part of a message may hold text that `parts_text` misses."""
    if content is None or isinstance(content, str):
        return False
    if isinstance(content, list | tuple):
        inner = _but_numbers(content)
        deep = depth >= _MAX_DEPTH or len(inner) > _MAX_PARTS
        return deep or any(has_unread_parts(part, depth + 1) for part in inner)
    kind = field(content, "type")
    if isinstance(kind, str) and kind in _OTHER_PARTS:
        return False
    name = _text_field(kind or "") if kind is None or isinstance(kind, str) else None
    text = None if name is None else field(content, name)
    if text is None and name is not None:
        return _holds(content, 1)
    return not isinstance(text, str)


def is_wide(value: Any) -> bool:
    """Return whether a frame holds more values, lists and objects than one turn can search.

    Parts that are no answer do not count: log probabilities, tools, usage.
    """
    left: list[Any] = [value]
    held = seen = 0
    while left:
        each = left.pop()
        seen += 1
        held += len(each) if isinstance(each, _NESTS) else 0
        if held > _MOST_HELD or seen + len(left) > _WIDEST:
            return True
        if isinstance(each, dict):
            left += [v for name, v in each.items() if isinstance(v, _NESTS) and not is_aside(name)]
        elif isinstance(each, list):
            left += [v for v in each if isinstance(v, _NESTS)]
    return False


def words_in(text: str) -> int:
    """Return the number of words in a string, counted up to `WORDY`."""
    blanks = text.count(" ")
    if blanks >= WORDY - 1:
        return WORDY
    return sum(1 for _ in islice(_WORD.finditer(text[:_LOOKED_AT]), WORDY))


def holds_words(value: Any) -> bool:
    """Return whether a frame holds a string of several words that may be part of the answer.

    True for a frame that is too wide to search, and for one with too many strings.
    """
    return is_wide(value) or _holds(value, WORDY)


def _holds(value: Any, words: int) -> bool:
    """Return whether a string in `value` has that many words, or there are too many strings."""
    for number, (_, text) in enumerate(strings_in(value)):
        if number == MAX_LOOKED_AT or words_in(text) >= words:
            return True
    return False


def strings_in(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield the strings of a frame that may be part of the answer, with their paths, in order.

    Very deeply nested strings are left out.
    """
    dump = None if isinstance(value, _HOLDERS) else getattr(value, "model_dump", None)
    left = [(value if dump is None else dump(), path)]  # an SDK's object tells what it holds
    while left:
        each, path = left.pop()
        if isinstance(each, str):
            yield path, each
        elif len(path) < _DEEPEST:
            left += reversed(_members(each, path))


def _members(value: Any, path: Path) -> list[tuple[Any, Path]]:
    """Return the members of a list or object that may hold answer text, with their paths."""
    if isinstance(value, list | tuple):
        place = (*path, "*")
        return [(each, place) for each in _but_numbers(value) if isinstance(each, _HOLDERS)]
    if not isinstance(value, _MAPPINGS):
        return []
    kind = text_at(value, "type")
    if is_aside(kind) or {kind, text_at(value, "role")} & _ASKING:
        return []
    return [
        (each, (*path, str(name)))
        for name, each in value.items()
        if not isinstance(each, NUMBERS) and isinstance(each, _HOLDERS) and not is_aside(str(name))
    ]


def is_aside(kind: str) -> bool:
    """Return whether a type or key names something other than an answer: thoughts, calls, media."""
    return _is_aside(kind) if len(kind) <= _NAME_CHARS else _is_aside(kind[:_NAME_CHARS])


@lru_cache(maxsize=4_096)
def _is_aside(kind: str) -> bool:
    return _ASIDE.search(kind) is not None


def items(owner: Any, name: str) -> tuple[Any, ...]:
    """Return the elements of the list `name` without numbers, none if it is no list."""
    found = field(owner, name)
    return tuple(_but_numbers(found)) if isinstance(found, list | tuple) else ()


def numbered(frame: Any, name: str) -> Iterator[tuple[int, Any]]:
    """Yield the choices in the list `name` by their `index`; an index that is no integer is 0.

    At most `MAX_CHOICES` of one frame.
    """
    for choice in items(frame, name)[:MAX_CHOICES]:
        index = field(choice, "index")
        yield index if type(index) is int else 0, choice


def _but_numbers(values: Sequence[Any]) -> list[Any]:
    """Return the values that are no numbers: a frame may have very many of those."""
    return [each for each in values if not isinstance(each, NUMBERS)]


def without(owner: Any, *names: str) -> Any:
    """Return a mapping without these keys; anything else unchanged."""
    if not isinstance(owner, Mapping):
        return owner
    return {name: value for name, value in owner.items() if name not in names}


def filled(frame: Mapping[str, Any], name: str, kind: type, otherwise: Any) -> Any:
    """Return the value of `name` if it has that type and is not empty, else `otherwise`."""
    value = frame.get(name)
    return value if isinstance(value, kind) and value else otherwise
