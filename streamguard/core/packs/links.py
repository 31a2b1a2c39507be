"""Addresses of pages in an answer, and whether the passages hold those pages in any spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from streamguard.core.packs.found import PackMatch
from streamguard.text.patterns import lazy_re

_LINK = lazy_re(
    r"(?i)(?<![a-z0-9@])(?:https?://|www\.)[^\s<>\"'`{}|\\^\]«»“”„‘’「」『』【】（）、。，；：！？…]{3,2000}"
)
# In scripts without blanks a word follows at once: "https://a.example/pricesをご覧ください".
_NEXT_WORD = lazy_re(r"(?<=[A-Za-z0-9])[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OPENING = {")": "(", "]": "["}
_ESCAPED = lazy_re(r"(?:%[0-9A-Fa-f]{2}){1,600}")
_PORTS = (":443", ":80")
# What a sender adds to count visits; the page is the same (Google Analytics, Meta, Microsoft).
_TRACKING = ("utm_", "gclid=", "fbclid=", "msclkid=", "mc_cid=", "mc_eid=", "ref=", "source=")


def links_in(text: str) -> Iterator[PackMatch]:
    """Yield the addresses with "http://", "https://" or "www.", without punctuation behind them.

    A closing bracket behind one is left out where the address does not open it, as in
    "(see https://a.example)".
    """
    for match in _LINK.finditer(text):
        address = match[0]
        following = _NEXT_WORD.search(address)
        address = _without_tail(address[: following.start()] if following else address)
        if "." in address.partition("//")[2] or "." in address:
            yield PackMatch(match.start(), match.start() + len(address), "link", "[LINK]")


def _without_tail(address: str) -> str:
    """Return the address without closing punctuation and the brackets that it does not open."""
    end = len(address)
    unopened = {closing: _surplus(address, closing) for closing in _OPENING}
    while end and (address[end - 1] in ".,;:!?*_~" or unopened.get(address[end - 1], 0) > 0):
        end -= 1
        if address[end] in unopened:
            unopened[address[end]] -= 1
    return address[:end]


def _surplus(address: str, closing: str) -> int:
    return address.count(closing) - address.count(_OPENING[closing])


def page_of(address: str) -> str:
    """Return the address in a form for comparison.

    It lacks scheme, "www.", the scheme's port, fragment, closing slash and tracking parameters, is
    in small letters, with "%28" as "(" and the query's parts in order.
    """
    bare = address.casefold().partition("#")[0]
    bare = bare.removeprefix("https://").removeprefix("http://").removeprefix("www.")
    path, _, query = bare.partition("?")
    host, slash, rest = path.partition("/")
    for port in _PORTS:
        host = host.removesuffix(port)
    place = _unescaped(host + slash + rest).casefold().rstrip("/")
    parts = sorted(part for part in query.split("&") if part and not part.startswith(_TRACKING))
    return f"{place}?{_unescaped('&'.join(parts))}" if parts else place


def _unescaped(text: str) -> str:
    """Return the text with "%C3%A9" as "é" (RFC 3986, section 2.1)."""
    return _ESCAPED.sub(
        lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), text
    )


def pages_held(addresses: Iterable[str]) -> frozenset[str]:
    """Return the pages of these addresses, each also without its query, and the hosts' front pages.

    Who shows "https://a.example/items?page=2" shows the page that it is a part of as well.
    """
    held: set[str] = set()
    for page in map(page_of, addresses):
        path = page.partition("?")[0].rstrip("/")
        held |= {page, path, path.partition("/")[0]}
    return frozenset(held)
