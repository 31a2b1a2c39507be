"""Parses values compared literally (versions, telephone numbers), citations, and counts."""

from __future__ import annotations

import re
from decimal import Decimal

from streamguard.text.patterns import lazy_re
from streamguard.text.words import STOP_WORDS
from streamguard.values.measures import is_unit, measure_at
from streamguard.values.value import Anchor, listed, literal, rows

_TOKEN = lazy_re(r"[^\W_]+(?:[-_.:/+][^\W_]+)*+")
_LONGEST_TOKEN = 128  # characters, of a SHA-512: nobody compares a longer key; guess
# How far left of its first digit an identifier may begin ("INVOICE-2024-001"); guess.
_REACH = 40
_JOINTS = frozenset("-_./")
_PHONE = lazy_re(
    r"(?a)\+\d{1,3}(?:[ .()-]{1,2}\d{1,8}){2,6}(?!\d)"
    r"|(?:\+?1[-. ])?\(\d{3}\)[ -]?\d{3}[-. ]\d{4}(?!\d)"
    r"|(?:1[-. ])?\d{3}([-. ])\d{3}\1\d{4}(?!\d)"
    r"|0\d{2,4}[ /-]\d{3,8}(?:[ -]\d{2,8}){0,3}(?!\d)"
)
# Of a telephone number these last digits are compared: "030 1234567" is "+49 30 1234567".
_NATIONAL = 9
_DOTTED = lazy_re(
    r"\d{1,9}(?:\.\d{1,9}){2,7}(?:[-+][A-Za-z0-9]{1,20}(?:\.[A-Za-z0-9]{1,20}){0,3})?(?!\w|\.\d)",
    re.ASCII,
)
# "1.234.567" is a number, and four parts are where they are no address ("192.168.100.200").
_THOUSANDS = lazy_re(
    r"[1-9]\d{0,2}\.\d{3}\.\d{3}|(?=[\d.]*(?:000|\.2[6-9]\d|\.25[6-9]|\.[3-9]\d\d))"
    r"[1-9]\d{0,2}(?:\.\d{3}){3,5}",
    re.ASCII,
)
_DASHED = lazy_re(r"(?a)\d{1,15}(?:(?:-\d{1,15}){2,7}|(?:/\d{1,15}){2,7})(?!\w|[-/.]\d)|\d{16,}")
_PAIR = lazy_re(r"\d{1,4}[/:]\d{1,4}(?![\w/]|[.,:]\d)", re.ASCII)  # "24/7", "16:9"
_BETWEEN = lazy_re(r"(?<=[^\W\d_])[-_ ](?=\d)|(?<=\d)[-_ ](?=[^\W\d_])")
# "DE89 3704 0044 0532 0130 00": two letters, two digits, groups of four, however spaced.
_IBAN = lazy_re(
    r"(?a)[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
_LEAST_IBAN = 15  # Norway's, the shortest (ISO 13616)
_BAND = lazy_re(r"([0-9]{1,3})s(?!\w)")  # "under-5s"
_BAND_BEFORE = ("under", "over")
_PLURAL = lazy_re(r"(?<=[A-Z]\d|\d\d)s$")
# "Q1:" is a question, "(Q2)" a quartile, "H1 2024" half a year.
_NO_NAME = lazy_re(r"[Qq][1-4]|H[12]")
_VERSION_TOKEN = lazy_re(r"[vV]\d[\d.]*(?:[-+.]\w{1,20}){0,3}", re.ASCII)


def read_literal(text: str, start: int, floor: int) -> Anchor | None:
    """Parse a value that is compared literally, at the digits at `start`.

    A telephone number, a version of three parts, a run of dashes, "24/7", "16:9", dimensions ("9 x
    13") or a run of more than 15 digits; None if the digits may be a number. Text before `floor` is
    ignored.
    """
    found = _PHONE.match(text, start)
    if start > floor and text[start - 1] in "+(":
        found = _PHONE.match(text, start - 1) or found
    if found is not None:
        digits = "".join(filter(str.isdigit, found[0].replace("(0)", "")))
        return literal("identifier", text, *found.span(), digits[-_NATIONAL:])
    found = _DOTTED.match(text, start)
    if found is not None and not _THOUSANDS.fullmatch(found[0]):
        return literal("version", text, start, found.end(), found[0].lower())
    if (found := _DASHED.match(text, start) or _PAIR.match(text, start)) is None:
        return None
    top, _, bottom = found[0].partition("/")
    is_years = len(top) == 4 and len(bottom) == 2
    if bottom.isdecimal() and (is_years or int(top) < int(bottom) <= 100):  # or a fraction
        return None
    return literal("identifier", text, start, found.end(), found[0])


def read_band(text: str, low: str, start: int, floor: int) -> Anchor | None:
    """Parse the number of "under-5s" or "under 14s" at the digit `start`; None if it is no band.

    These are children or seconds: a figure without a unit may be either.
    """
    if not low.endswith(_BAND_BEFORE, floor, start - 1):
        return None
    found = _BAND.match(low, start)
    if found is None:
        return None
    number = Decimal(int(found[1]))
    return literal("number", text, start, found.end(1), str(number), number)


def read_glued(text: str, start: int, floor: int) -> tuple[Anchor | None, int]:
    """Parse the identifier around the digits at `start` ("A4", "GPT-4o", an IBAN), and its end.

    None instead of an anchor if the token has no letter, is a unit ("g/cm3") or a bare "Q1".
    """
    if start - floor > 1 and (found := _IBAN.match(text, start - 2)):
        key = found[0].replace(" ", "").replace("-", "").lower()
        if len(key) >= _LEAST_IBAN and not text[start - 3 : start - 2].isalnum():
            return literal("identifier", text, *found.span(), key), found.end()
    begin, limit = start, max(floor, start - _REACH)
    while begin > limit and (text[begin - 1].isalnum() or text[begin - 1] in _JOINTS):
        begin -= 1
    found = next(one for one in _TOKEN.finditer(text, begin) if one.end() > start)
    token, span = found[0], found.span()
    none = is_unit(token.rpartition("/")[2]) or _NO_NAME.fullmatch(token)
    if none or len(token) > _LONGEST_TOKEN or not any(char.isalpha() for char in token):
        return None, span[1]
    if _VERSION_TOKEN.fullmatch(token):
        return literal("version", text, *span, token[1:].lower()), span[1]
    # Without a plural "s" and what parts letters and digits: "GPT-4o" and "gpt 4o" agree, "P60s"
    # and "P60" too; "A-1-11" and "A-11-1" do not.
    key = _BETWEEN.sub("", _PLURAL.sub("", token).casefold())
    return literal("identifier", text, *span, key), span[1]


# Of clothes; "L" alone may be anything.
SIZE = "size"
SIZES = frozenset(["xxs", "xs", "xl", "xxl", "xxxl"])


def read_size(text: str, start: int, end: int) -> Anchor | None:
    """Parse the size of clothes at [start, end), in capitals."""
    if not text[start:end].isupper():
        return None
    return literal("identifier", text, start, end, text[start:end].lower(), unit=SIZE)


# Numbered parts of a text itself or of its passages.
_CITABLE = listed(
    "passage document source chunk context excerpt snippet reference ref citation example tip"
    " reason point sentence footnote note answer fact bullet text quote"
)
# Of these an answer may number its own: they are compared where the passages number some as well.
OWN = listed("step line table figure fig option item method question scenario paragraph")
# "See table (60)" is a reference, "table 60" a table.
_REFERENCES = {
    before: {one for word in words for one in (word, f"{word}s")}
    for before, words in ((" ", _CITABLE), *((sign, _CITABLE | OWN) for sign in "(#["))
}
_MARK = lazy_re(r"(?:\d{1,3}\.|\d{1,2}\))(?:(?=[\s*_]|$)|(?<=\.)(?=[A-Z]))", re.ASCII)
_LINE_HEAD = lazy_re(r"(?:^|\n)[ \t>*#(_-]{0,8}$")
_BEFORE_MARK = frozenset("\n *_#>(-\t")
_LONGEST_HEAD = 11
_TAG_HEAD = lazy_re(r"[\[【]\^?[A-Za-z]{0,8}[ :#]?$")
_TAG_TAIL = lazy_re(r"(?a)\d{1,4}(?:[ ]?[,;-][ ]?\^?[A-Za-z]?\d{1,4}){0,15}[†\w ]{0,8}[\]】]")
_ENUMERATOR = lazy_re(r"\d{1,2}\)(?=[ ])(?![ ](?:and|or|but|while)[ ])", re.ASCII)
# "passages 1, 2 and 3"
_CITED = lazy_re(
    r"(?a)\d{1,4}(?![\w%]|[.,]\d)(?:(?:,[ ]?(?:and[ ]|or[ ])?|[ ]?[&/-][ ]?|[ ](?:and|or|to)[ ])"
    r"(?:(?:passage|document|source|step)s?[ ])?#?"
    r"(?:\d{1,3}(?![\w%]|[.,]\d|[ ]?%)|(?:one|two|three|four|five)(?!\w))){0,9}"
)
_STATUS_DIGITS = 3
# How far back the word before a number is looked for; guess.
_WORD_REACH = 16


def skip_reference(text: str, low: str, start: int, floor: int) -> int | None:
    """Return the end of a number at `start` that is no anchor, None if it may be one.

    No anchors are list marks, citation tags ("[1]", "[C2, C3]"), "(1)" before an enumerated item,
    and the numbers of a "passage", "step" and similar. Text before `floor` is ignored.
    """
    before = text[start - 1 : start] if start > floor else "\n"
    mark = _MARK.match(text, start) if before in _BEFORE_MARK else None
    if mark and _LINE_HEAD.search(text, max(floor, start - _LONGEST_HEAD), start):
        return mark.end()
    if before == "(" and (found := _ENUMERATOR.match(text, start)):
        return found.end() - 1
    tag = text[max(floor, start - _LONGEST_HEAD) : start]
    is_tag = ("[" in tag or "【" in tag) and _TAG_HEAD.search(tag)
    if is_tag and (found := _TAG_TAIL.match(text, start)):
        return None if _is_interval(low, start, floor) else found.end()
    if before not in " (#[":
        return None
    words = low[max(floor, start - _WORD_REACH) : start].rstrip(" #([")
    word = words.rpartition(" ")[2].rpartition("\n")[2].lstrip("(*_\"'[").rstrip(".")
    found = _CITED.match(low, start) if word in _REFERENCES[before] else None
    if found is None or (before == "(" and low[found.end() : found.end() + 1] != ")"):
        return None  # "tables (60 pcs)"
    if before == " " and word[-1] == "s" and found[0].isdigit():
        return None  # "the hotline answers 503 calls"
    counts = measure_at(text, low, found.end(), None).kind != "number"
    return None if counts else found.end()  # "with the long option 90 days"


_INTERVAL = lazy_re(r"(\d{1,4}),[ ]?(\d{1,4})\]", re.ASCII)
_BEFORE_INTERVAL = lazy_re(
    r"(?<!\w)(?:interval|range|in|within|ci|bounds|limits|domain|∈|intervall|intervalle|bereich)"
    r"(?:[ ](?:of|from|is|von))?:?[ ]\[$"
)
_INTERVAL_REACH = 24


def _is_interval(low: str, start: int, floor: int) -> bool:
    """Return whether the bracket around the number at `start` is an interval: "range [3, 12]"."""
    found = _INTERVAL.match(low, start)
    if found is None or int(found[1]) >= int(found[2]):
        return False
    return _BEFORE_INTERVAL.search(low, max(floor, start - _INTERVAL_REACH), start) is not None


# "7 early tickets": so many words may stand between a count and its noun; guess.
_WORDS = 3
_NEXT_WORD = lazy_re(r"[ -]([^\W\d_]{2,24})(?![\w'])")
_PLURALS = listed("people children men women persons staff mice feet teeth req reqs")
_NO_PLURALS = ("ss", "us", "is")
_SHORTEST = 4  # "pts" and "tbs" are abbreviations of units; guess


def noun_of(low: str, end: int) -> str | None:
    """Return the noun counted by the bare number that ends at `end` ("7 full days"), or None."""
    for _ in range(_WORDS):
        found = _NEXT_WORD.match(low, end)
        word = found[1] if found else ""
        if found is None or word in STOP_WORDS or is_unit(word) or is_unit(word.removesuffix("s")):
            return None
        regular = len(word) >= _SHORTEST and word[-1] == "s" and not word.endswith(_NO_PLURALS)
        if regular or word in _PLURALS:
            return word
        end = found.end()
    return None


# What texts number, by each word for it: "class 6" is no six of anything. "Pages" are no values.
_LABELS = rows(
    "act: act; annex: annex anhang annexe anexo allegato; appendix: appendix; band: band;"
    "article: article art artikel artículo articulo articolo artigo; block: block;"
    "bracket: bracket; building: building; bus: bus; case: case;"
    "category: category kategorie catégorie categoría;"
    "chapter: chapter ch kapitel chapitre capítulo capitolo; class: class klasse classe clase;"
    "clause: clause klausel cláusula; coach: coach; code: code status http;"
    "column: column spalte; cycle: cycle; dose: dose; error: error; exit: exit; flight: flight;"
    "floor: floor; form: form formular formulaire; gate: gate; grade: grade;"
    "group: group gruppe groupe grupo gruppo; hall: hall halle; label: label; lane: lane;"
    "level: level niveau stufe nivel livello; lot: lot; model: model modell; module: module;"
    "number: number no nr num n.º nº n° numéro número numero nummer; pack: pack; part: part teil;"
    "phase: phase fase; plan: plan; platform: platform gleis binario; plot: plot; pool: pool;"
    "port: port; protocol: protocol; rank: rank; rating: rating; risk: risk;"
    "room: room zimmer raum; round: round; route: route; row: row; rule: rule; schedule: schedule;"
    "season: season; seat: seat; section: section sec § §§ abschnitt sección seção sezione;"
    "series: series; size: size; stage: stage; stall: stall; stop: stop; tariff: tariff;"
    "terminal: terminal; tier: tier; tram: tram; type: type typ tipo; unit: unit;"
    "version: version versión versione release; volume: volume; wave: wave; wing: wing;"
    "zone: zone zona;"
    "figure: figure fig abbildung abb; item: item; line: line linie ligne línea linha zeile;"
    "method: method; option: option opción opzione;"
    "paragraph: paragraph absatz abs párrafo paragraphe; question: question; scenario: scenario;"
    "step: step schritt étape paso; table: table tisch tabelle tabla tabella tabela"
)
# What laws part further: "§ 12(2)", "Art. 6 (1)(f)", "Artikel 6 Abs. 1 lit. f", "Section 4(a)".
_OF_LAW = listed("act annex appendix article chapter clause part paragraph rule schedule section")
_PARTS_OF_LAW = lazy_re(
    r"(?:[ ]?\((?:[0-9]{1,3}[a-z]?|[a-z]|[ivx]{1,5})\)"
    r"|,?[ ](?:abs|absatz|satz|nr|lit|al|par|para|let|inciso)\.?[ ](?:[0-9]{1,3}|[a-z])(?!\w)){1,5}"
)
_PART_OF_LAW = lazy_re(r"(?<=\()\w{1,5}(?=\))|(?<= )(?:[0-9]{1,3}|[a-z])(?!\w)")
_LABEL_REACH = 12
_LABEL = lazy_re(r"(?<![^\W\d_])([^\W\d_]{1,10}|n\.?[º°]|§{1,2})\.?[ ]$")
# A word that opens a sentence, a cell or an item has a capital whatever it is.
_OPENING = lazy_re(r"(?:^|[.!?:|\n*#>\"(-])[ *_\"]{0,4}$")
# HTTP's, by what follows (RFC 9110, section 15) or, of errors, "a 503".
_STATUS = lazy_re(r"[1-5]\d\d")
_REASON = lazy_re(
    r"[ ](?:ok|created|accepted|no[ ]content|moved[ ]permanently|found|not[ ]modified|bad[ ]request"
    r"|unauthorized|payment[ ]required|forbidden|not[ ]found|method[ ]not[ ]allowed|conflict|gone"
    r"|too[ ]many[ ]requests|unprocessable|internal[ ]server|bad[ ]gateway|service[ ]unavailable"
    r"|gateway[ ]timeout)(?!\w)"
)
_ERROR_GOES_ON = lazy_re(
    r"[.,;:)]|$|[ ](?:errors?|status|responses?|codes?|with|when|if|and|or|for|from|instead)(?!\w)"
)


def label_of(
    text: str, low: str, begin: int, end: int, floor: int
) -> tuple[str | None, str | None]:
    """Return the noun numbered by [begin, end) ("class 6"), and the name before it.

    At most one of both is set. A plural ("levels 4 and 5") labels only the first number.
    """
    if low[begin - 1 : begin] != " ":
        return ("section", None) if low[begin - 1 : begin] == "§" else (None, None)
    found = _LABEL.search(low, max(floor, begin - _LABEL_REACH), begin)
    word = found[1] if found else ""
    if label := _LABELS.get(word) or _LABELS.get(word.removesuffix("s")):
        return label, None
    if end - begin == _STATUS_DIGITS and _is_status(low, word, begin, end):
        return "code", None
    if found is None or len(word) == 1 or (written := text[found.start(1) : found.end(1)]) == word:
        return None, None
    opens = written[1:] == word[1:] and _OPENING.search(
        text, max(0, found.start() - 6), found.start(1)
    )
    return None, None if opens else written


def parts_of_law(label: str | None, low: str, end: int) -> tuple[tuple[str, ...], int]:
    """Return the parts of a numbered article at `end`, the largest first, and their end."""
    found = _PARTS_OF_LAW.match(low, end) if label in _OF_LAW else None
    if found is None:
        return (), end
    return tuple(_PART_OF_LAW.findall(found[0])), found.end()


def article_of(
    text: str, begin: int, end: int, label: str | None, number: str, parts: tuple[str, ...]
) -> Anchor:
    """Return the identifier of an article with its parts; it supports every larger part."""
    keys = [f"{label} {number}"]
    for part in parts:
        keys.append(f"{keys[-1]}({part})")
    *larger, key = keys
    others = (*reversed(larger), number)
    return literal("identifier", text, begin, end, key, others=others)._replace(label=label)


def _is_status(low: str, before: str, begin: int, end: int) -> bool:
    """Return whether three digits are an HTTP status: "429 Too Many Requests", "a 503"."""
    if _STATUS.match(low, begin) is None:
        return False
    if _REASON.match(low, end):
        return True
    return (
        before in ("a", "an") and low[begin] in "45" and _ERROR_GOES_ON.match(low, end) is not None
    )
