"""Where a request goes, and which headers go with it."""

import pytest
from multidict import CIMultiDict
from yarl import URL

from streamguard.errors import ConfigError
from streamguard.server.headers import (
    announce,
    encoded_dots,
    request_headers,
    response_headers,
    target,
    upstream_url,
)


@pytest.mark.parametrize(
    ("upstream", "path", "expected"),
    [
        ("http://up:81/", "/v1/models?a=b%20c&d", "http://up:81/v1/models?a=b%20c&d"),
        ("http://up/base", "/v1//x", "http://up/base/v1//x"),
        ("http://up", "/a%2Fb/%C3%A9?q=%3F", "http://up/a%2Fb/%C3%A9?q=%3F"),
        ("http://up", "//evil/x", "http://up//evil/x"),
        ("http://up", "/@evil/x", "http://up/@evil/x"),
        ("http://up", "/x#@evil", "http://up/x"),
        ("http://up/", "/../x", "http://up/../x"),
        ("http://up/base", "/a/../x?../..", "http://up/base/a/../x?../.."),
        ("http://up", "/x?", "http://up/x?"),
        ("http://up/base", "/a..b/.../x", "http://up/base/a..b/.../x"),
    ],
)
def test_the_path_goes_on_byte_for_byte(upstream, path, expected):
    assert str(target(URL(upstream), path)) == expected


@pytest.mark.parametrize(
    "path",
    ["/../x", "/v1/../../x", "/.//../x", "//../x", "/%2e%2e/x", "/a/%2E./.%2e/x", "/..%2fx",
     "/..\\x", "/..%5cx", "/..;a=b/x", "/a/..;/..;/x", "/..", "/%20../x"],
)  # fmt: skip
@pytest.mark.parametrize("upstream", ["http://up/base", "http://up/base/", "http://up/a/b"])
def test_no_dots_lead_out_of_the_upstreams_own_path(upstream, path):
    assert target(URL(upstream), path) is None


@pytest.mark.parametrize("path", [
    "/%2e%2e/x", "/v1/%2E%2e/chat", "/a/.%2e/x", "/a/%2e./x", "/a/%2e/x", "/..%2fx", "/a/..%2Fx",
    "/a%2f..%2fx", "/a%2f..", "/%252e%252e/x", "/%25252e./x", "/..%252fx", "/%2%65%2%65/x",
    "/%%32%65%%32%65/x", "/..\\x", "/a\\..", "/a/..%5cx", "/..%255cx", "/..;a=b/x", "/a/..%3bx/y",
    "/%20../x", "/..%20/x", "/..%00/x".replace("%00", "%09"), "/a/.%2e?q", "/%2e%2e#x",
])  # fmt: skip
def test_encoded_dots_are_found(path):
    assert encoded_dots(path).endswith(
        "in the path is read as dots by some servers: expected it without"
    )


@pytest.mark.parametrize("path", [
    "/v1/chat/completions", "/../x", "/a/../x", "/a/./x", "/a..b", "/...", "/..a/x", "/a%2fb/x",
    "/x?a=%2e%2e/..%2f", "/x#%2e%2e", "/v1/files/a%2e%2eb", "/%252525", "/100%/x", "/caf%C3%A9/%ff",
    "/a\\b", "/a;b=..", "", "*",
])  # fmt: skip
def test_other_paths_hold_none(path):
    assert encoded_dots(path) is None


def test_a_segment_of_endless_escapes_is_read_once_and_shown_in_part():
    path = "/%" + "25" * 2_000 + "2e%2e"
    assert encoded_dots(path).startswith("'%252525")
    assert len(encoded_dots(path)) < 130


@pytest.mark.parametrize("path", ["http://evil/x", "*", "evil:443", "", "@evil/"])
def test_what_is_no_path_goes_nowhere(path):
    assert target(URL("http://up"), path) is None


@pytest.mark.parametrize(
    "flag",
    ["ftp://x", "up:80", "http://", "x", "http://u?x=1", "http://u#x", "http://u:x", "http://[::"],
)
def test_a_wrong_upstream_is_refused(flag):
    with pytest.raises(ConfigError, match="upstream is"):
        upstream_url(flag)


@pytest.mark.parametrize(
    "flag",
    ["http://user:secret@up", "https://secret@up", "http://:secret@up:1/v1", "x://secret@up?x"],
)
def test_an_upstream_with_a_password_is_refused_without_showing_it(flag):
    with pytest.raises(ConfigError, match="without user and password") as raised:
        upstream_url(flag)
    assert "secret" not in str(raised.value)


def test_pages_elsewhere_may_read_our_headers_where_the_upstream_lets_them():
    for given, exposed in (({}, None), ({"Access-Control-Allow-Origin": "*"}, "X-Ours")):
        announce(headers := CIMultiDict(given), "X-Ours", "1")
        assert headers["X-Ours"] == "1"
        assert headers.get("Access-Control-Expose-Headers") == exposed


def test_a_requests_header_that_cannot_be_written_again_is_left_out():
    assert list(request_headers(CIMultiDict({"X-Bytes": "a\udcff"}))) == ["Accept-Encoding"]
    assert response_headers(CIMultiDict({"X-Bytes": "a\udcff"})) == {"X-Bytes": "a\udcff"}
