"""Addresses of pages in an answer."""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.packs.found import Found
from streamguard.text.patterns import lazy_re

_LINK = lazy_re(r"(?i)(?<![a-z0-9@])(?:https?://|www\.)[^\s<>\"'`{}|\\^\]]{3,2000}")
_CLOSING = {")": "(", "]": "["}


def links_in(text: str) -> Iterator[Found]:
    """Yield the addresses with "http://", "https://" or "www.", without what only follows them.

    That is punctuation, and a bracket that the address does not open: "(see https://a.example)".
    """
    for match in _LINK.finditer(text):
        address = match[0]
        while address and (
            address[-1] in ".,;:!?*_~…"
            or (address[-1] in _CLOSING and _is_unopened(address, address[-1]))
        ):
            address = address[:-1]
        end = match.start() + len(address)
        if "." in address.partition("//")[2] or "." in address:
            yield Found(match.start(), end, "link", "[LINK]")


def _is_unopened(address: str, closing: str) -> bool:
    return address.count(closing) > address.count(_CLOSING[closing])


def page_of(address: str) -> str:
    """Return the address as it is compared: no scheme, "www.", fragment or closing slash."""
    bare = address.casefold().partition("#")[0]
    return bare.removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")


def is_held(address: str, held: frozenset[str]) -> bool:
    """Say whether the page is among those held, or is the front page of a host that is."""
    page = page_of(address)
    return page in held or ("/" not in page and any(each.startswith(page + "/") for each in held))
