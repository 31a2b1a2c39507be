"""Headers and addresses of relayed requests and responses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote, unquote_plus

from multidict import CIMultiDict, MultiMapping
from yarl import URL

from streamguard.errors import ConfigError

FORM_HEADER = "x-streamguard"
ID_HEADER = "x-streamguard-id"
LIVE_HEADER = "x-streamguard-live"
DETAIL_HEADER = "x-streamguard-detail"
CONTEXT_HEADER = "x-streamguard-context"
JUDGE_HEADER = "x-streamguard-judge"
HOLD_HEADER = "x-streamguard-hold"
_OURS = (FORM_HEADER, LIVE_HEADER, DETAIL_HEADER, CONTEXT_HEADER, JUDGE_HEADER, HOLD_HEADER)
SKIPPED_HEADER = "x-streamguard-skipped"  # of an answer that passes unchecked: why

# RFC 9110, section 7.6.1, and what older peers send in its place.
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "trailers",
        "transfer-encoding",
        "upgrade",
    }
)
_DOTS = (".", "..")
_SLASH = re.compile(r"[/\\]")
_ESCAPED_MARK = re.compile(r"%(?:25)+(?=[0-9a-fA-F]{2})")
_MAX_ENCODED = 8  # levels of nested escapes that are decoded; guess
_SHOWN_CHARS = 40  # of a segment, in an error
_QUERY = re.compile(r"\?|%(?:25)*3f", re.IGNORECASE)
ENCODINGS = frozenset({"gzip", "x-gzip", "deflate"})  # the ones decoded to read a body
# The client's side of these is its own: the body may change in length.
_OWN_REQUEST = frozenset({"host", "content-length", "accept-encoding", "expect"})


def upstream_url(flag: str) -> URL:
    """Return the upstream's base address; raises `ConfigError` that names its fault."""
    shown = flag.rpartition("@")[2]  # nobody should read a password in a log
    if shown != flag:
        raise ConfigError(
            f"upstream is ...@{shown!r}, expected an address without user and password: what"
            " clients send as Authorization goes on"
        )
    try:
        url = URL(flag)
    except ValueError as exc:
        raise ConfigError(f"upstream is {flag!r}: {exc}") from exc
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(f"upstream is {flag!r}, expected http://HOST[:PORT] or https://HOST")
    if url.query_string or url.fragment:
        raise ConfigError(f"upstream is {flag!r}, expected an address without ? and #")
    return url


def target(upstream: URL, raw_path: str) -> URL | None:
    """Return the upstream URL for `raw_path`; None if that is no path.

    Path and query are appended byte for byte to the upstream's own path. They cannot name another
    host, and no dot segment leads out of the upstream's path.
    """
    if not raw_path.startswith("/"):
        return None
    base = str(upstream).rstrip("/")
    path, mark, query = raw_path.partition("?")
    if upstream.path.strip("/") and _climbs(path):
        return None
    query = query.partition("#")[0]
    url = URL(base + path.partition("#")[0] + mark + query, encoded=True)
    if url.origin() != upstream.origin():
        return None
    # yarl drops the question mark of an empty query, unless it belongs to the path.
    return url if query or not mark else url.with_path(f"{url.raw_path}?", encoded=True)


def _climbs(path: str) -> bool:
    """Return whether some server may resolve dot segments to above the start of `path`."""
    depth = 0
    for segment in unquote(path).replace("\\", "/").split("/"):
        name = segment.partition(";")[0].strip()
        if name == "..":
            depth -= 1
            if depth < 0:
                return True
        elif name not in ("", "."):
            depth += 1
    return False


def encoded_dots(raw_path: str) -> str | None:
    """Return the segment of a path that a server may decode to dots, None without one.

    Dots may be encoded once or repeatedly, stand after encoded or wrong slashes, or have
    parameters. Servers interpret them differently, so they must not decide which request is checked
    or where it goes. Plain dots are harmless.
    """
    written = raw_path.partition("?")[0].partition("#")[0]
    for segment in written.split("/"):
        if segment not in _DOTS and any(map(_is_dots, _SLASH.split(_decoded(segment)))):
            shown = segment if len(segment) <= _SHOWN_CHARS else f"{segment[:_SHOWN_CHARS]}…"
            return f"{shown!r} in the path is read as dots by some servers: expected it without"
    return None


def _is_dots(segment: str) -> bool:
    return segment.partition(";")[0].strip() in _DOTS


def _decoded(segment: str) -> str:
    """Return a segment with all its escapes decoded, nested ones included."""
    for _ in range(_MAX_ENCODED):
        before, segment = segment, unquote(_ESCAPED_MARK.sub("%", segment))
        if segment == before:
            break
    return segment


def shown_path(path: str) -> str:
    """Return a decoded path for logs; an escaped question mark stays, so that no query shows."""
    return _QUERY.split(path, maxsplit=1)[0]


def without_ours(raw_path: str) -> tuple[str, dict[str, str]]:
    """Return path and query without our parameters, and these by their headers' names.

    A browser's EventSource cannot send headers, so `?streamguard=event` does the same. All other
    bytes of the query stay.
    """
    path, mark, query = raw_path.partition("?")
    kept, ours = [], {}
    for part in query.split("&") if mark else ():
        name, _, value = part.partition("=")
        if f"x-{name}" in _OURS:
            ours[f"x-{name}"] = unquote_plus(value)
        else:
            kept.append(part)
    return (raw_path, {}) if not ours else (path + mark * bool(kept) + "&".join(kept), ours)


def unsafe(method: str, version: tuple[int, int], headers: MultiMapping[str]) -> str | None:
    """Return why a request is not relayed, None if it is safe.

    Peers may disagree on its end or its host. aiohttp's parser rejects other faults before.
    """
    if not (1, 0) <= version <= (1, 1):
        return "HTTP {}.{} is not spoken here, only 1.0 and 1.1".format(*version)
    if method in ("CONNECT", "TRACE"):
        return f"{method} is not answered here"
    codings = [coding.strip().lower() for coding in headers.getall("Transfer-Encoding", [])]
    # RFC 9112, section 6.1: HTTP/1.0 has no transfer encodings. Compressed chunks are not decoded
    # here.
    if codings and (codings != ["chunked"] or version == (1, 0)):
        return "a request's Transfer-Encoding is chunked, once and alone, and needs HTTP/1.1"
    return None


def unrelayable(status: int, headers: MultiMapping[str]) -> str | None:
    """Return why a response cannot be relayed (another protocol, unknown coding), else None."""
    if status < 200:
        return f"its status is {status}"
    codings = [coding.strip().lower() for coding in headers.getall("Transfer-Encoding", [])]
    return None if codings in ([], ["chunked"]) else "its Transfer-Encoding is not chunked alone"


def request_headers(headers: Mapping[str, str]) -> CIMultiDict[str]:
    """Return the headers for the upstream, which ask for an unencoded answer.

    A header that is no UTF-8 is dropped, as it cannot be written again. The caller sets
    Content-Length, as it knows the body.
    """
    sent = _end_to_end(headers, _OWN_REQUEST)
    for name, value in list(sent.items()):
        if name.lower().startswith(FORM_HEADER) or not encodes(value):
            sent.popall(name, None)
    sent["Accept-Encoding"] = "identity"
    return sent


def response_headers(headers: MultiMapping[str]) -> CIMultiDict[str]:
    """Return the headers for the client.

    Content-Length stays only with an unchanged body. Headers that only this server sets (the id,
    the skip reason) are dropped.
    """
    sent = _end_to_end(headers, frozenset({ID_HEADER, SKIPPED_HEADER}))
    if is_undone(headers):
        sent.popall("Content-Encoding")
        sent.popall("Content-Length", None)
    return sent


def announce(headers: CIMultiDict[str], name: str, value: str) -> None:
    """Add one of our headers; pages of other origins may read it if the upstream allows them."""
    headers[name] = value
    if "Access-Control-Allow-Origin" in headers:
        headers.add("Access-Control-Expose-Headers", name)


def untransformed(cache_control: str) -> str:
    """Return a Cache-Control that also forbids intermediaries to transform the body.

    A compressing one would delay a stream, a rewriting one would break it.
    """
    kept = [each.strip() for each in cache_control.split(",") if each.strip()]
    if any(each.lower() == "no-transform" for each in kept):
        return cache_control
    return ", ".join((*kept, "no-transform"))


def encoding_of(headers: MultiMapping[str]) -> str:
    """Return the body's content encoding, an empty string without one; any case of names."""
    named = (each.strip().lower() for each in headers.getall("Content-Encoding", []))
    return ", ".join(each for each in named if each not in ("", "identity"))


def is_undone(headers: MultiMapping[str]) -> bool:
    """Return whether to decompress a response: not a partial one, which may start anywhere."""
    return encoding_of(headers) in ENCODINGS and "Content-Range" not in headers


def _end_to_end(
    headers: Mapping[str, str] | MultiMapping[str], also: frozenset[str]
) -> CIMultiDict[str]:
    named = {
        name.strip().lower()
        for key, value in headers.items()
        if key.lower() == "connection"
        for name in value.split(",")
    }
    left_out = _HOP_BY_HOP | also | named
    return CIMultiDict(
        (key, value)
        for key, value in headers.items()
        # Some servers read Transfer_Encoding as Transfer-Encoding.
        if key.lower().replace("_", "-") not in left_out
    )


def encodes(value: str) -> bool:
    """Return whether a header's value can be written again: it must be UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
