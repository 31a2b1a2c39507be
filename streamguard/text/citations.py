"""How products write citations: one table of their marks, and where they stand in a text.

Texts are folded (see `normalise`); spans are half-open. A mark names passages by their place in the
list that the model was given, or by an id, a file or an address. Whether a passage answers to a
name is for the caller to say, who knows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from streamguard.text.patterns import lazy_re, lazy_regex

# How a mark names a passage: by its place, counted from 1 or from 0, by its id, its file's name or
# its address, or by its place in a list of results that only the product has.
By = Literal["number", "index", "id", "file", "link", "result"]

# What a mark may call a passage: "[Source 2]", "[doc1]", "(see Document 3)", "[Source: a.md]".
_WORD = (
    r"(?:sources?|refs?\.?|references?|passages?|documents?|docs?|chunks?|excerpts?"
    r"|cit(?:e|ed|ation|ations)|quellen?|dokument|fuentes?|fontes?|fonti)"
)
_CALLED = rf"(?:see[ ])?{_WORD}(?:[ ]?[:#][ ]?|[ ])"
_NUMBER = rf"(?:(?:{_CALLED}|{_WORD}[:_-]?)?C?\d{{1,6}})"
# Several at once: "C1, C3", "C1-C3", "C1; 4", "C1 and C2"; a page may follow.
_AND = r"[ ]{0,2}(?:[,;&–-]|/(?=c)|(?<=[ ])and(?=[ ]))[ ]{0,2}"
_NUMBERS = (
    rf"[ ]?\^?(?:see[ ])?{_NUMBER}(?:{_AND}{_NUMBER}){{0,20}}\^?"
    r"(?:,?[ ](?:p|pp|page|pages)\.?[ ]?\d{1,5}(?:[–-]\d{1,5})?)?[ ]?"
)
_FILE = r"[^()\[\]【】\s,;]{1,100}\.[a-z]{2,5}"
# An address in brackets, which may hold brackets itself: "(https://x.org/a_(b).pdf)"; no "($59)".
_TARGET = (
    r"\((?=[a-z]{1,12}:|[./#]|[A-Za-z_][\w%-]{0,60}[./])(?:[^()\s]|\([^()\s]{0,100}\)){1,500}\)"
)
_UNLINKED = rf"(?!{_TARGET})"
_ELEMENT = r"(?:cite|citation|inref|ref|source|src)"
_ATTRIBUTE = (
    r"(?i:(?<![^\W_])(?:ids?|refs?|doc|source|src|number|chunk|passage"
    r"|(?:doc|source|chunk|passage)_?id)\s?=\s?[\"']?)"
)
_TURN = r"turn\d{1,3}[a-z]{2,16}\d{1,4}"
_LINES = r"(?:L\d{1,6}(?:-L?\d{1,6})?)?"
SUPERSCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT = rf"[{SUPERSCRIPT_DIGITS}]{{1,2}}"
# No power of a figure or a unit, as in "10²", "m²", "(a + b)²": a word or a stop is before it.
_LETTER = rf"[^\W\d_{SUPERSCRIPT_DIGITS}]"
_NO_UNIT = (
    r"(?<!inch)(?<!foot)(?<!feet)(?<!yard)(?<!mile)(?<!meter)(?<!metre)(?<!sin)(?<!cos)(?<!tan)"
)
_NO_POWER = (
    rf"(?:(?<={_LETTER}{{3}})|(?<={_LETTER}{{3}}[ ])"
    r"|(?<=[.,;:!?\"'%])|(?<=[.,;:!?\"'%][ ]))"
    rf"{_NO_UNIT}"
)


# A mark of no known form: at the end of a clause, as marks stand, and with a number or a word that
# cites. "[web:3].", "[T1]", "{{ref 2}}", "⟦3⟧", "word^2", "<note id=3>".
_PRIVATE = "".join(map(chr, (*range(0xE000, 0xE010), *range(0xE200, 0xE210), 0xF8FF)))
_CITES = r"(?i:[A-Z_-]{0,12}(?:cit|ref|source|doc|note|chunk|passage|evidence)[A-Z_-]{0,12})"
_WIDE = "⟦⟧〔〕〖〗⟨⟩❲❳"
_UNKNOWN = (
    r"(?:(?<=[\w.,;:!?)\"'%\]] )|(?<=[\w.,;:!?)\"'%\]]))(?:"
    r"\[(?:#|[A-Za-z][A-Za-z_.:#/-]{0,15})[ ]?\d{1,4}"
    rf"(?:[ ]?[,;][ ]?[A-Za-z_.:#/-]{{0,16}}\d{{1,4}}){{0,9}}\]{_UNLINKED}"
    rf"|\{{{{1,2}}[ ]?{_CITES}[^{{}}\n]{{0,60}}\}}{{1,2}}|(?<=[ ])\{{\d{{1,2}}\}}"
    rf"|[⟦〔〖⟨❲]\^?[^{_WIDE}\n]{{0,30}}\d[^{_WIDE}\n]{{0,30}}[⟧〕〗⟩❳]"
    r"|【[^【】\n]{0,80}[\d†][^【】\n]{0,80}】"
    rf"|(?<=[^\W\d_]{{3}}){_NO_UNIT}\^[\[(]?\d{{1,2}}[\])]?"
    rf"|<{_CITES}(?:[ :=_-][^<>\n]{{0,100}})?>|[{_PRIVATE}][!-~]{{1,60}}[{_PRIVATE}]"
    r")(?![^\W_])"
)

# What stands in a mark: all that its brackets hold, its address, its number of a list of results,
# several numbers, nothing.
_INSIDE = r"[\[【(]\s?([^\[\]【】()\n]{1,140})"
_ADDRESS = r"\((\S{1,500})\)\Z"
_RESULT = r"turn\d{1,3}[a-z]{2,16}(\d{1,4})"
_LISTED = "listed"
_NOTHING = r"(?!)"

# What a mark comes to that no passage answers to: an error of the answer, as it counts the passages
# that the model was given; something that is not read, and said; words of the answer.
Unknown = Literal["error", "unread", "text"]


class Form(NamedTuple):
    """A mark as a product writes it.

    `signs`: the characters that it may begin with. `names`: a pattern of the ids, files and
    addresses in it; `places`: one of the places in it. Their group is the match, else all of it.
    `opens`: it stands before the words that it cites.
    """

    name: str
    written_by: str
    example: str
    signs: str
    by: By
    unknown: Unknown
    pattern: str
    names: str = _NOTHING
    places: str = _NOTHING
    opens: bool = False


# In the order in which they are tried at a sign. Those whose places are `_LISTED` name several.
FORMS = (
    Form(
        "tag",
        "streamguard `[C1]`, Open WebUI and LlamaIndex `[1]`, Azure OpenAI On Your Data `[doc1]`,"
        " DeepSeek `[citation:1]`, Gemini `[cite: 1, 2]`, Bing `[^1^]`",
        "[1, 2]", "[", "number", "error", rf"(?i:\[{_NUMBERS}[\]】]){_UNLINKED}", _INSIDE, _LISTED,
    ),
    Form("linked tag", "xAI and Onyx `[[1]](url)`, prompts for links", "[1](https://x.org/a_(b))",
         "[", "link", "error", rf"(?i:\[\[{_NUMBERS}\]\]|\[{_NUMBERS}\]){_TARGET}", _ADDRESS,
         _LISTED),
    Form("index tag", "RAGFlow", "[ID:0]", "[", "index", "error",
         r"(?i:\[ID:[ ]?\d{1,4}(?:[ ]?[,;][ ]?(?:ID:[ ]?)?\d{1,4}){0,20}\])", _INSIDE, r"\d{1,4}"),
    Form("key", "Pandoc", "[@handbook]", "[", "id", "unread",
         r"\[@[^\[\]\s@;]{1,80}(?:;[ ]@[^\[\]\s@;]{1,80}){0,20}\]", r"@([^\[\]\s@;]{1,80})"),
    Form("dagger", "OpenAI's Assistants and file search", "【4:0†plans.md】", "【", "file",
         "unread", r"【\d{1,4}:\d{1,4}†[^【】\n]{0,120}】", r"†([^【】\n]{1,120})",
         r"(?<=:)\d{1,4}(?=†)"),
    Form("cursor", "gpt-oss with its browser", "【13†L3-L5】", "【[", "result", "unread",
         r"[\[【]\d{1,4}†[^\[\]【】\n]{0,120}[\]】]", r"\d{1,4}(?=†)"),
    Form("lenticular tag", "OpenAI's models by their prompts", "【2】", "【", "number", "error",
         rf"(?i:【{_NUMBERS}[\]】])", _INSIDE, _LISTED),
    Form("source in a tag", "prompts that name files", "[Source: plans.md]", "[【", "file",
         "unread", rf"[\[【](?i:(?:see[ ])?{_WORD}:)[^\[\]【】\n]{{1,120}}[\]】]{_UNLINKED}",
         _INSIDE),
    Form("private-use signs", "ChatGPT, OpenAI's web and file search",
         "\ue200cite\ue202turn0file0\ue201", "\ue200", "result", "unread",
         r"\ue200(?:file)?cite(?:\ue202[^\ue200-\ue202\n]{1,60}){1,20}\ue201", _TURN, _RESULT),
    Form("lost signs", "the same, where the signs were dropped", "citeturn0file0", "cf", "result",
         "unread", rf"(?:file)?cite(?:{_TURN}{_LINES}){{1,20}}(?![^\W_]|-)", _TURN, _RESULT),
    Form("content reference", "ChatGPT, as it is copied", ":contentReference[oaicite:0]{index=0}",
         ":", "result", "unread", r":contentReference\[oaicite:\d{1,4}\]",
         _NOTHING, r"(?<=oaicite:)\d{1,4}"),
    Form("hashes", "RAGFlow's older versions", "##0$$", "#", "index", "error", r"##\d{1,4}\$\$",
         _NOTHING, r"\d{1,4}"),
    Form("superscript element", "prompts for web pages", "<sup>1</sup>", "<", "number", "unread",
         rf"{_NO_POWER}<sup>(?:<a[ ][^<>\n]{{0,200}}>)?\s?[\[(]?\^?C?\d{{1,3}}"
         r"(?:\s?[,;]\s?C?\d{1,3}){0,9}[\])]?\s?(?:</a>)?</sup>",
         _NOTHING, r"(?<=[>\[(,;\s^C])\d{1,3}(?=[<\]),;\s])"),
    Form("superscript", "prompts for web pages", "¹", SUPERSCRIPT_DIGITS, "number", "unread",
         rf"{_NO_POWER}{_SUPERSCRIPT}(?:[,\u02d2 ]{_SUPERSCRIPT}){{0,9}}(?![^\W_])", _NOTHING,
         _SUPERSCRIPT),
    Form("numbered element", "prompts with tags", "<ref:1>", "<", "number", "unread",
         rf"(?i:<\|?{_ELEMENT}[:_ -]?\d{{1,3}}\|?/?>)", _NOTHING, r"\d{1,3}"),
    Form("grounded span", "Cohere's Command R by its template", "<co: 0>", "<", "index", "unread",
         r"<co:[ ]?\d{1,3}(?:,[ ]?\d{1,3}){0,20}>", _NOTHING, r"\d{1,3}", opens=True),
    Form("empty element", "prompts with tags", '<inref id="a1b2"/>', "<", "id", "unread",
         rf"(?i:<{_ELEMENT}\s[^<>\n]{{1,160}}(?:/>|>\s?</{_ELEMENT}>))",
         rf"{_ATTRIBUTE}([^\"'<>/]{{1,100}})", rf"{_ATTRIBUTE}(\d{{1,3}})(?![\w-])"),
    Form("element around words", "Claude, prompts with tags", '<cite index="0-1">', "<", "id",
         "unread", rf"(?i:<{_ELEMENT}\s[^<>\n]{{1,160}}>)",
         rf"{_ATTRIBUTE}([^\"'<>/]{{1,100}})", rf"{_ATTRIBUTE}(\d{{1,3}})(?![\w-])", opens=True),
    Form("element around a name", "prompts with tags", "<cite>plans.md</cite>", "<", "id",
         "unread", rf"(?i:<{_ELEMENT}>\s?[^<>\s]{{1,100}}\s?</{_ELEMENT}>)",
         r">\s?([^<>\s]{1,100})", r">\s?C?(\d{1,3})\s?<"),
    Form("macro", "LaTeX", r"\cite{handbook}", "\\", "id", "unread",
         r"\\(?:foot)?cite[pt]?\{[^{}\n]{1,100}\}", r"[{,]\s?([^{},\n]{1,100})"),
    Form("address", "Markdown, where it is a passage's source", "[plans](https://x.org)", "(",
         "link", "text", rf"(?<=\]){_TARGET}", _ADDRESS),
    Form("tag in round brackets", "prompts for such", "(C1, C2)", "(", "number", "error",
         rf"(?i:\((?=(?:see[ ])?C\d|{_CALLED}){_NUMBERS}\))", _INSIDE, _LISTED),
    Form("source in brackets", "prompts that name files", "(Source: plans.md)", "(", "file",
         "unread", rf"\((?i:(?:see[ ])?{_WORD}:[ ]?)[^()\[\]\n]{{1,120}}\)", _INSIDE),
    Form("file in brackets", "prompts that name files", "(plans.md)", "(", "file", "text",
         rf"\((?:(?i:{_CALLED})[^()\[\]\n]{{1,120}}|{_FILE})\)", _INSIDE),
    Form("source line", "prompts that name files", "Source: plans.md", "S", "file", "unread",
         rf"(?<![^\W_])S(?:ources?|OURCES?):[ ]{_FILE}(?:,[ ]{_FILE}){{0,9}}(?![^\W_])",
         rf"[ ]({_FILE})"),
    Form("numbered source", "prompts that number their sources", "Source 2", "S", "number", "text",
         r"(?<![^\W_])S(?:ources?|OURCES?)[ ]\d{1,2}(?:(?:,[ ]|[ ]and[ ]|,[ ]and[ ])\d{1,2}){0,9}"
         r"(?![\w:%]|[.,:]\d|[ ]%)", _NOTHING, r"\d{1,2}"),
    Form("unknown", "nobody whose list is known", "[web:3]", "[【{^<⟦〔〖⟨❲" + _PRIVATE, "id",
         "unread", _UNKNOWN, _INSIDE),
    Form("name", "prompts that give passages ids", "[pricing-faq]", "[【", "id", "text",
         rf"[\[【][^\[\]【】\n]{{1,120}}[\]】]{_UNLINKED}", _INSIDE),
)  # fmt: skip
# An element's tags, a reference's rest: no words of the answer, and no citation by themselves.
_END = rf"(?i:</(?:{_ELEMENT}|co:[^<>\n]{{1,60}})>)"
_INDEX = r"\{index=\d{1,4}\}"
_BESIDE = rf"(?i:<{_ELEMENT}>)|{_END}|(?<=\]){_INDEX}"
_BESIDE_SIGNS = "<{"
_ENDINGS = {"<": (_END,), "{": (_INDEX,)}
_BESIDE_GROUP = "beside"

_CITED = lazy_re(rf"(?i)[ ]?\^?(?:see[ ])?(?P<cited>{_NUMBER}(?:{_AND}{_NUMBER}){{0,20}})")
_RANGE = lazy_re(r"(?i)C?(\d{1,6})(?:\s{0,2}[–-]\s{0,2}C?(\d{1,6}))?")
_NAMED = lazy_re(rf"(?i)(?:{_CALLED}|{_WORD}[:_-]?(?=C?\d)|{_WORD}:)")
_INLINE_CODE = lazy_re(r"`[^`\n]{1,200}`")
_MAX_BARE = 99  # a larger number in brackets is a year or a figure; guess
_MAX_RANGE = 20  # passages one tag may span
_MARKS_KEPT = 512  # as they are written; an answer writes few again and again; guess
_ESCAPED = lazy_re(r"%([2-7][0-9A-Fa-f])")  # of an address, "%20"
_PLAIN_DIGITS = str.maketrans(SUPERSCRIPT_DIGITS, "0123456789")
# Where a mark may begin: its sign, and a little more of those that are common.
_SIGN = lazy_re(
    rf"[\[【(<{{{_WIDE}{_PRIVATE}{SUPERSCRIPT_DIGITS}]|(?<=\w)\^|#(?=#\d)|:(?=contentR)|\\(?=foot|cite)"
    r"|S(?=ources?[ :]|OURCES?[ :])|c(?=iteturn)|f(?=ileciteturn)"
)


def _beginning_with(sign: str) -> re.Pattern[str]:
    """Return the pattern of the marks that begin with `sign`; its last group tells the form."""
    forms = [
        f"(?P<f{number}>{form.pattern})" for number, form in enumerate(FORMS) if sign in form.signs
    ]
    beside = [f"(?P<{_BESIDE_GROUP}>{_BESIDE})"] if sign in _BESIDE_SIGNS else []
    return lazy_re("|".join([*forms, *beside]))


def _behind_a_stop(sign: str) -> Any:
    """Return the pattern, of `regex`, of the marks that follow what they cite and begin so."""
    forms = [
        form.pattern.replace(_NO_POWER, "")
        for form in FORMS
        if sign in form.signs and form.name != "name" and not form.opens
    ]
    return lazy_regex("|".join([*forms, *_ENDINGS.get(sign, ())]))


_SIGNS = dict.fromkeys("".join(form.signs for form in FORMS) + _BESIDE_SIGNS)
_MARKS = {sign: _beginning_with(sign) for sign in _SIGNS}
# They match a mark in part as well: what follows a full stop may still arrive.
TRAILING_MARKS = {sign: _behind_a_stop(sign) for sign in _SIGNS}
_FOUND_IN = {
    pattern: lazy_re(pattern)
    for form in FORMS
    for pattern in (form.names, form.places)
    if pattern != _LISTED
}


class CitationMark(NamedTuple):
    """A mark in a text: its half-open span, its form, and the passages that it names.

    `names`: ids, files and addresses, of which the first that a passage answers to counts.
    `places`: places in the list of passages, counted from 1, where none answers to a name. `form`
    is None for the end of an element, which is neither a mark nor words of the answer.
    """

    start: int
    end: int
    form: Form | None
    names: tuple[str, ...] = ()
    places: tuple[int, ...] = ()


def find_marks(text: str) -> Iterator[CitationMark]:
    """Yield the marks of `text` from left to right, and brackets that may be some.

    Inline code holds none. Linear in the length of the text.
    """
    if not _may_cite(text) or not any(map(str.isalnum, text)):
        return
    plain = _INLINE_CODE.sub(lambda code: " " * len(code[0]), text) if "`" in text else text
    end = 0
    for sign in _SIGN.finditer(plain):
        found = _MARKS[sign[0]].match(plain, sign.start()) if sign.start() >= end else None
        if found is not None:
            end = found.end()
            kind = found.lastgroup or ""
            if kind == _BESIDE_GROUP:
                yield CitationMark(*found.span(), None)
            else:
                form = int(kind[1:])
                yield CitationMark(*found.span(), FORMS[form], *_named_in(form, found[0]))


def _may_cite(text: str) -> bool:
    """Look for the signs of marks: most texts have none."""
    if text.isascii() and "[" not in text and "(" not in text and "<" not in text:
        if "{" in text or "^" in text:
            return True
        return "ource" in text or "OURCE" in text or "cite" in text or "##" in text
    return True


@lru_cache(maxsize=_MARKS_KEPT)
def _named_in(number: int, written: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the names and the places that a mark of form `number` holds, as it is written."""
    form = FORMS[number]
    names = tuple(_all(form.names, written))
    if form.by == "link":
        address = _ESCAPED.sub(lambda escaped: chr(int(escaped[1], 16)), names[0])
        names = (names[0], address, address.rpartition("/")[2])
    if form.names == _INSIDE and names:  # also behind what it calls them: "[Source: plans.md]"
        called = _NAMED.match(names[0])
        names = (names[0], names[0][called.end() :].strip()) if called else names[:1]
    if form.places == _LISTED:
        return names, tuple(_listed(written))
    numbers = (int(number.translate(_PLAIN_DIGITS)) for number in _all(form.places, written))
    return names, tuple(number + (form.by in ("index", "result", "file")) for number in numbers)


def _all(pattern: str, text: str) -> list[str]:
    """Return the matches of a pattern in `text`: its group, without one the whole."""
    return [found[found.re.groups].strip() for found in _FOUND_IN[pattern].finditer(text)]


def _listed(written: str) -> list[int]:
    """Return the places that a tag lists, none where it holds something else ("[0, 100]")."""
    found = _CITED.match(written.lstrip("[【("))
    assert found is not None  # the form's own pattern
    cited = found["cited"]
    places: list[int] = []
    for first, last in _RANGE.findall(cited):
        end = min(int(last or first), int(first) + _MAX_RANGE)
        places.extend(range(int(first), end + 1))
    bare = "C" not in _NAMED.sub("", cited).upper()
    return [] if bare and not all(1 <= place <= _MAX_BARE for place in places) else places
