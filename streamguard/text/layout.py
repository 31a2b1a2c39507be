"""Lines of a passage by their form: headings, items, "label: filler", brackets.

JSON is read by its keys and brackets, XML by its tags, all else by indentation, marks and labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from streamguard.text.patterns import lazy_re

# A heading, a list's item, a label with what fills it, other text, a line of dashes; of JSON and
# XML what opens, what closes, and what holds one value.
LineKind = Literal["heading", "item", "label", "text", "rule", "open", "close", "field"]

UNLABELLED: Final = -1
_TITLE_LEVEL: Final = 8  # of a short line over a paragraph, below all headings with marks
_BOLD_LEVEL: Final = 7
_SECTION_LEVEL: Final = 6  # of "[server]"
_TITLE_CHARS: Final = 40  # guess
_QUESTION_CHARS: Final = 120  # guess

_BEFORE: Final = lazy_re(
    r"(?P<depth>[ \t]{0,80}(?:>[ \t]{0,4}){0,5})(?P<mark>(?:[-*+•]|\d{1,3}[.)])[ \t]{1,4})?"
)
_HEADING: Final = lazy_re(r"(?P<level>#{1,6})[ \t]|\*\*[^*\n]{1,80}\*\*:?[ \t]*$|__[^_\n]{1,80}__$")
_SECTION: Final = lazy_re(r"\[{1,2}[\w .:\"'-]{1,60}\]{1,2}[ \t]*$")
_RULE: Final = lazy_re(r"(?:-{3,80}|={3,80}|\*{3,80}|_{3,80})[ \t]*$")
_LABEL: Final = lazy_re(
    r"(?=[^\W_]|[*_\"'`(\[/.$@])[^:=|\n{}<>]{1,60}?"
    r"(?:(?::\d\d)[^:=|\n{}<>]{0,30}?)?"  # "Anna 09:02: yes"
    r"(?P<stop>[ \t]{0,9}(?::(?=[\s*_]|$)|=(?!=))|[ ][-–—][ ])"
)
_STOPS: Final = (":", "=", " - ", " – ", " — ")
_LABEL_REACH: Final = 110  # characters in which a label's stop stands
_MARKED: Final = frozenset("#*_-=[")  # with which headings, rules and sections begin
_OPENING: Final = frozenset("\"'")
_SIGNS: Final = frozenset("{}[]<")  # without them a sentence is neither JSON nor XML
_ENDS: Final = (".", "!", "?", ":", ",", ";")

_KEYED: Final = lazy_re(r"(?:^|[{\[,])\s{0,200}([\"'])[^\"'\n]{1,80}\1\s{0,9}:")
_BRACKETS: Final = lazy_re(r"[\s{}\[\],;]*[{}\[\]][\s{}\[\],;]*")
_TOKEN: Final = lazy_re(
    r"([\"'])(?P<key>[^\"'\n]{1,80})\1\s{0,9}:\s{0,200}(?P<opens>[{\[])?"
    r"|\"(?:[^\"\\\n]|\\.){0,2000}\"|(?P<open>[{\[])|(?P<close>[}\]])"
)
_TAGGED: Final = lazy_re(r"</[A-Za-z_][\w.:-]{0,40}\s{0,9}>")
_TAG: Final = lazy_re(r"<(?P<end>/)?(?P<name>[A-Za-z_][\w.:-]{0,40})(?P<rest>(?:\s[^<>]{0,500})?)>")
_ATTRIBUTE: Final = lazy_re(
    r"(?P<name>[A-Za-z_][\w.:-]{0,40})=(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}')"
)


class Line(NamedTuple):
    """A line of a sentence, or one event of its JSON or XML.

    `start`: where its text begins in the sentence, behind indentation and mark; `stop`: where its
    label ends, `UNLABELLED` without one; `end`: where it ends. `depth`: the column at which it
    begins, of a heading its level. `is_filled`: whether something stands behind its label. `asks`:
    whether it is a question.
    """

    kind: LineKind
    start: int
    stop: int
    end: int
    depth: int = 0
    is_filled: bool = True
    asks: bool = False
    word: str = ""


def read_lines(text: str, begin: int, end: int) -> tuple[Line, ...]:
    """Return the lines of a sentence at [begin, end) of a block's text; offsets from `begin`.

    The rest of a line that a sentence before began is none.
    """
    block = text[begin:end]
    if block[:1] in _OPENING or not _SIGNS.isdisjoint(block):
        if _KEYED.search(block) or _BRACKETS.fullmatch(block):
            return tuple(_events(block))
        if "</" in block and _TAGGED.search(block):
            return tuple(_tags(block))
    found: list[Line] = []
    at = begin
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        first = text.rfind("\n", 0, at) + 1
        line = _line(text, first, at, stop, begin)
        if line is not None:
            found.append(line)
        at = stop + 1
    return tuple(found)


def _line(text: str, first: int, at: int, end: int, begin: int) -> Line | None:
    """Return the line that begins at `first`; None if [at, end) is not its beginning."""
    before = _BEFORE.match(text, first, end)
    assert before is not None  # it may be empty
    start = before.end()
    if at > start or start == end:
        return None  # the rest of one that was read
    depth, mark = before.end("depth") - first, before["mark"]
    if text[start] in _MARKED:
        heading = _HEADING.match(text, start, end)
        if heading is not None:
            level = len(heading["level"] or "") or _BOLD_LEVEL
            return Line("heading", start - begin, UNLABELLED, end - begin, level)
        if mark is None and _RULE.match(text, start, end):
            return Line("rule", start - begin, UNLABELLED, end - begin)
        if mark is None and _SECTION.match(text, start, end):
            return Line("heading", start - begin, UNLABELLED, end - begin, _SECTION_LEVEL)
    reach = min(end, start + _LABEL_REACH)
    may_be = any(text.find(stop, start, reach) >= 0 for stop in _STOPS)
    label = _LABEL.match(text, start, end) if may_be else None
    if label is None and mark is None and not depth and _is_title(text, first, end):
        return Line("heading", start - begin, UNLABELLED, end - begin, _TITLE_LEVEL)
    stop = UNLABELLED if label is None else label.start("stop") - begin
    is_filled = label is None or bool(text[label.end() : end].strip(" \t*_\r"))
    kind: LineKind = "item" if mark else "text" if label is None else "label"
    asks = text[start:end].rstrip(" *_").endswith("?")
    word = "" if label is None else label[0][: label.start("stop") - start].casefold()
    word = word if word.isalpha() else ""
    return Line(kind, start - begin, stop, end - begin, depth, is_filled, asks, word)


def _is_title(text: str, first: int, end: int) -> bool:
    """Say whether a short line without a stop stands over a paragraph."""
    line = text[first:end].rstrip()
    is_short = len(line) <= _TITLE_CHARS and not line.endswith(_ENDS)
    is_question = len(line) <= _QUESTION_CHARS and line.endswith("?")
    if not line[:1].isupper() or not (is_short or is_question):
        return False
    opens = first == 0 or text[max(0, first - 2) : first] == "\n\n"
    below = text[end + 1 : end + 2]
    return opens and below != "" and not below.isspace() and not below.islower()


def _events(line: str) -> Iterator[Line]:
    """Yield the brackets and fields of JSON."""
    last: Line | None = None
    for token in _TOKEN.finditer(line):
        start, end = token.span()
        if last is not None and (token["key"] or token["open"] or token["close"]):
            yield last._replace(end=start)
            last = None
        if token["key"]:
            stop = token.end("key")
            if token["opens"]:
                yield Line("open", start, stop, end)
            else:
                last = Line("field", start, stop, end)
        elif token["open"]:
            yield Line("open", start, UNLABELLED, end)
        elif token["close"]:
            yield Line("close", start, UNLABELLED, end)
    if last is not None:
        yield last._replace(end=len(line))


def _tags(line: str) -> Iterator[Line]:
    """Yield the elements of XML, its attributes, and as fields its elements of text alone."""
    tags = list(_TAG.finditer(line))
    is_over = False  # the element at hand was told as a field
    for number, tag in enumerate(tags):
        start, end = tag.span()
        if tag["end"]:
            if not is_over:
                yield Line("close", start, UNLABELLED, end)
            is_over = False
            continue
        stop, rest = tag.end("name"), tag["rest"]
        after = tags[number + 1] if number + 1 < len(tags) else None
        if after is not None and after["end"] and after["name"] == tag["name"] and not rest:
            is_over = True
            yield Line("field", start, stop, after.start())
            continue
        yield Line("open", start, stop, stop)
        for one in _ATTRIBUTE.finditer(rest):
            first, last, over = (stop + at for at in (one.start(), one.end("name"), one.end()))
            yield Line("field", first, last, over)
        if rest.endswith("/"):
            yield Line("close", end, UNLABELLED, end)
