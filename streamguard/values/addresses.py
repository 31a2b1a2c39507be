"""Parses links, mail addresses, hosts and paths of files as identifiers.

Each is compared as a whole, without its scheme, "www." and a slash at its end. A longer one also
supports its host, its folders and its file's name. Addresses that only stand for one
("you@example.com", "/path/to/file") are no values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from streamguard.text.patterns import lazy_re
from streamguard.values.value import Anchor, any_of, listed, literal

LINK, MAIL, PATH = "link", "mail", "path"
ADDRESSES = frozenset([LINK, MAIL, PATH])

# Behind a bare name these make a host of it: "acme.org". Left out are those that are English words
# where a space is missing ("said.in", "go.to").
_DOMAINS = listed(
    "com org net edu gov mil int info biz io ai app dev cloud tech online shop example co uk eu de"
    " fr es nl ch ca au jp kr cn br pl se fi dk pt ie nz"
)
_ENDINGS = listed(
    "yaml yml json toml md txt py js jsx ts tsx mjs go rs java kt rb sh bash ps1 bat exe dll so jar"
    " cfg ini conf config properties xml html htm css scss csv tsv log sql env lock pdf doc docx"
    " xls xlsx ppt pptx odt zip tar gz tgz bz2 png jpg jpeg gif svg webp mp3 mp4 wav ipynb tf c h"
    " cpp hpp cs php swift db sqlite bak pem crt key plist service"
)
_PART = r"[a-z0-9](?:[a-z0-9-]{0,62})"
_TAIL = r"[^\s<>\"'`|\[\]]{1,300}"
_SEGMENT = r"[\w.@+%-]{1,64}"
# A folder needs another one below it: "$5 /month" names none.
_ADDRESS = lazy_re(
    rf"(?P<link>(?<![a-z0-9_])(?:https?://|www\.){_TAIL})"
    rf"|(?P<mail>(?<![\w.+@/-])[\w.+-]{{1,64}}@{_PART}(?:\.{_PART}){{1,5}})"
    rf"|(?P<windows>(?<!\w)[a-z]:\\(?:{_SEGMENT}\\){{0,12}}{_SEGMENT})"
    rf"|(?P<path>(?:^|(?<=[\s(\"'`=])|(?<=\*))(?:~|\.{{1,2}})?(?:/{_SEGMENT}){{2,12}}/?)"
    rf"|(?P<file>(?<![\w.@/:~-])(?:[\w-][\w.-]{{0,63}}/){{1,12}}[\w.-]{{1,64}}"
    rf"\.{any_of(_ENDINGS)}(?![\w/]))"
    rf"|(?P<host>(?<![\w.@/-])(?:{_PART}\.){{1,5}}{any_of(_DOMAINS)}(?![\w@-]|\.\w)(?:/{_TAIL})?)"
)
_STOP = lazy_re(r"\.[^\W\d_]")  # most stops are followed by a space
# Every address holds one of these signs, and none holds a space or a line's end.
_SIGN = lazy_re(r"@|/|\\|\.[^\W\d_]|www\.")
_GAP = lazy_re(r"[ \n]")
_CHARS_A_SIGN = 20  # guess; most texts have fewer signs
_STOP_AT_END = 2  # characters of a sentence's stop and the space behind it
_PLACEHOLDER = lazy_re(
    r"(?:^|[@./])example\.(?:com|org|net)|localhost|127\.0\.0\.1|(?<![a-z])(?:your|my|xx+)(?![a-z])"
    r"|path/to|[{}<>*]|\.\.\."
)
_NOT_AT_END = ".,;:!?*_'’”»~"
_MOST_PARENTS = 8
_SCHEME = lazy_re(r"^(?:https?://)?(?:www\.)?")
_PORT = lazy_re(r"(?a)https?://[^\s/:@?#]{1,80}:([1-9]\d{1,4})(?![\w.])")
_FILE_NAME = lazy_re(r"[^/]{1,64}\.[a-z0-9]{1,10}")


def find_addresses(low: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and unit of each address of lower-cased `low`, in order."""
    for begin, stop in _signed(low):
        for found in _ADDRESS.finditer(low, begin, stop):
            start, end = found.span()
            end = _trimmed(low, start, end)
            yield start, end, _unit_of(found)


def _signed(low: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between spaces or newlines that hold a sign of an address, in order.

    Of many signs the whole text: to look between them takes longer then.
    """
    end, size = 0, len(low)
    if len(_SIGN.findall(low)) * _CHARS_A_SIGN > size:
        yield 0, size
        return
    while (sign := _SIGN.search(low, end)) is not None:
        at = sign.start()
        begin = low.rfind(" ", end, at) + 1 or end
        begin = low.rfind("\n", begin, at) + 1 or begin
        gap = _GAP.search(low, at)
        end = size if gap is None else gap.start()
        yield begin, end


def read_address(text: str, low: str, start: int, end: int, unit: str) -> Anchor | None:
    """Return the address at [start, end); None if it stands for any address."""
    written = low[start:end]
    if _PLACEHOLDER.search(written):
        return None
    key = _key(written, unit)
    parents = tuple(dict.fromkeys(one for one in _parents(key, unit) if one != key))
    return literal("identifier", text, start, end, key, unit=unit, others=parents[:_MOST_PARENTS])


def read_port(text: str, low: str, start: int, end: int) -> Anchor | None:
    """Return the port of the link at [start, end), None without one."""
    found = _PORT.match(low, start, end)
    if found is None:
        return None
    port = literal("number", text, *found.span(1), found[1], Decimal(found[1]))
    return port._replace(label="port")


def are_near_addresses(one: Anchor, other: Anchor) -> bool:
    """Return whether two addresses of a kind share their host, folder or name, but not all."""
    if one.unit != other.unit or one.key == other.key:
        return False
    if one.unit == MAIL:
        mine, theirs = one.key.split("@"), other.key.split("@")
        return mine[0] == theirs[0] or mine[-1] == theirs[-1]
    mine, theirs = one.key.split("/"), other.key.split("/")
    return mine[-1] == theirs[-1] or (mine[0] == theirs[0] and mine[:-1] == theirs[:-1])


def may_hold_address(low: str) -> bool:
    """Return whether a text has a sign of addresses: most have none.

    Four look-ups take less time than one pattern; a sentence's last stop is no sign.
    """
    if "@" in low or "/" in low or "\\" in low:
        return True
    return low.find(".", 0, -_STOP_AT_END) >= 0 and _STOP.search(low) is not None


def _trimmed(low: str, start: int, end: int) -> int:
    """Return the end without the sentence's own signs: "(see https://x.org/a_(b))."."""
    while _ends_outside(low, start, end):
        end -= 1
    return end


def _ends_outside(low: str, start: int, end: int) -> bool:
    last = low[end - 1 : end]
    if last == ")":
        return low.count("(", start, end) < low.count(")", start, end)
    return last != "" and last in _NOT_AT_END


def _unit_of(found: re.Match[str]) -> str:
    return {"link": LINK, "host": LINK, "mail": MAIL}.get(found.lastgroup or "", PATH)


def _key(written: str, unit: str) -> str:
    if unit == LINK:
        return _SCHEME.sub("", written).rstrip("/")
    return written.replace("\\", "/").rstrip("/")


def _parents(key: str, unit: str) -> Iterator[str]:
    """Yield what an address also names: its host, its folders, its file's name."""
    if unit == MAIL:
        yield key.partition("@")[2]
        return
    bare = key.partition("#")[0].partition("?")[0].rstrip("/") if unit == LINK else key
    yield bare
    name = bare.rpartition("/")[2]
    if unit == PATH and _FILE_NAME.fullmatch(name):
        yield name
    if unit == LINK:
        host = bare.partition("/")[0]
        while host.count(".") >= 1:
            yield host
            host = host.partition(".")[2]
    while "/" in bare.rstrip("/"):
        bare = bare.rpartition("/")[0]
        if bare.count("/") > 0 or unit == LINK:
            yield bare
