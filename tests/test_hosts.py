"""What listens on loopback answers to its own names, and to no page of another origin."""

import argparse

import pytest

from streamguard.server.http.hosts import LOOPBACK, hosts_of
from streamguard.server.proxy.app import add_arguments, settings_of
from tests.kit.upstreams import ASKED, DONE, PATH, answer, ask, in_pieces, proxy, upstream

NAMES = LOOPBACK | {"guard.example"}
STREAM = in_pieces(answer("It costs $12.") + DONE, 50)


def settings(*flags):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return settings_of(parser.parse_args(["--upstream", "http://up", *flags]))


def test_only_what_listens_on_loopback_knows_its_names():
    assert settings().hosts == LOOPBACK
    assert settings("--allow-host", "Guard.example").hosts == NAMES
    assert settings("--listen", "0.0.0.0:80", "--allow-host", "guard.example").hosts is None
    assert hosts_of("::1") == LOOPBACK


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:99", 200), ("127.0.0.1", 200), ("[::1]:8", 200), ("guard.example", 200),
        ("GUARD.example:80", 200), ("10.0.0.7:80", 200), ("proxy", 200),
        ("evil.example", 403), ("localhost.evil.example", 403), ("guard.example.", 403),
        ("", 403), ("[", 403), ("127.0.0.1@evil", 403), ("localhost:80@evil", 403),
        ("[::1]@x", 403), ("evil@localhost", 403), ("localhost.", 403), ("proxy.:80", 403),
        ("localhost:65536", 403), ("localhost:+80", 403), ("localhost/x", 403),
        ("localhost#x", 403), ("local host", 403), ("[::1%25lo]", 403),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", [PATH, "/streamguard/health"])
async def test_a_page_that_calls_this_machine_its_own_gets_nothing(host, status, path):
    async with upstream(STREAM) as up, proxy(up.url, hosts=NAMES) as base:
        body, method = (ASKED, "POST") if path == PATH else (None, "GET")
        got = await ask(base, body, path, method, Host=host)
        assert got.status == status
        assert len(up.requests) == (status == 200 and path == PATH)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 201), ("https://guard.example", 201),
        ("https://evil.example", 403), ("http://10.0.0.7", 403), ("null", 403), ("http://[", 403),
        ("http://evil@localhost", 403),
    ],
)  # fmt: skip
async def test_pages_of_other_origins_ask_nothing_of_our_own(origin, status):
    async with upstream(STREAM) as up, proxy(up.url, hosts=NAMES) as base:
        got = await ask(base, {"chunks": []}, "/streamguard/contexts", Origin=origin)
        relayed = await ask(base, ASKED, Origin=origin)
        assert got.status == status
        assert relayed.status == 200  # the upstream has the origin, and decides
        assert up.requests[0].headers["origin"] == origin
