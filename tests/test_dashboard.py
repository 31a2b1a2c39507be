"""The dashboard's views, over a database with known answers, and what it lets in."""

import argparse
import asyncio
import sys
from contextlib import asynccontextmanager

import aiohttp
import pytest

from streamguard.commands import dashboard
from streamguard.errors import ConfigError
from streamguard.server.dashboard.app import make_app
from streamguard.server.results.shared import SharedSettings
from tests.kit.chatting import chatting, fetch, folder_store, say
from tests.kit.kept_results import WRONG, fill, given, id_of, record, sample
from tests.kit.serving import serving

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    found = f"sqlite:///{tmp_path_factory.mktemp('dashboard')}/results.db"
    fill(found, *sample())
    return found


@asynccontextmanager
async def served(url, **settings):
    async with serving(make_app(url, **settings)) as base, aiohttp.ClientSession(base) as session:
        yield session


async def view(url, name, **query):
    path = f"/dashboard/api/{name}"
    async with served(url) as session, session.get(path, params=query) as response:
        return await response.json()


def totals(rows):
    found = {}
    for _, name, count in rows:
        found[name] = found.get(name, 0) + count
    return found


async def test_every_answer_of_the_time_is_counted_once_by_day(url):
    found = await view(url, "summary", days=30)
    assert sum(totals(found["days"]["status"]).values()) == 31
    days = {day for day, _, _ in found["days"]["status"]}
    assert len(days) == 5
    assert min(days) >= found["first_day"]
    assert totals(found["days"]["refusal"])["expected"] == 5
    assert totals(found["days"]["level"]) == {"high": 26, "insufficient": 5}
    assert totals(found["days"]["added_ms"]) == {"5": 31}
    assert totals(found["days"]["warning"])["unsupported_price"] == 6
    parts = found["parts"]
    models = [(one["name"], sum(one["statuses"].values())) for one in parts["model"]]
    assert models == [("small", 25), ("large", 6)]
    assert {one["added_ms"] for one in parts["collection"]} == {5.0}
    longer = await view(url, "summary", days=500)
    assert sum(totals(longer["days"]["status"]).values()) == 32
    (value,) = (await view(url, "values"))["values"]
    assert (value["check"], value["count"]) == ("unsupported_price", 6)
    assert value["value"].startswith("$12")


@pytest.mark.parametrize(("scope", "count"), [
    ({"model": "large"}, 6),
    ({"collection": "guides"}, 5),
    ({"policy": "strict"}, 0),
    ({"model": "small", "collection": "plans"}, 20),
])  # fmt: skip
async def test_a_scope_narrows_every_view(url, scope, count):
    found = await view(url, "summary", **scope)
    assert sum(totals(found["days"]["status"]).values()) == count
    assert len((await view(url, "results", **scope))["results"]) == count
    values = (await view(url, "values", **scope))["values"]
    assert [one["count"] for one in values] == ([6] if scope == {"model": "large"} else [])


async def test_agreement_counts_marks_once_on_the_findings_they_are_about(url, tmp_path):
    found = await view(url, "feedback")
    assert found["labels"] == {"down": 3, "was_supported": 1, "up": 1, "refusal_wrong": 1}
    checks = {one["check"]: (one["wrong"], one["right"]) for one in found["checks"]}
    assert checks["unsupported_price"] == (2, 1)
    said = {(one["status"], one["said"]): one["count"] for one in found["statuses"]}
    assert said[("PASS", "up")] == said[("PASS", "down")] == 1
    # In its scope alone, and once for a check that found two things.
    assert (await view(url, "feedback", model="large"))["labels"] == {"down": 2, "was_supported": 1}
    assert (await view(url, "feedback", policy="strict"))["checks"] == []
    bad = "The Basic plan costs $12 per month, or $13 per week."
    again = f"sqlite:///{tmp_path}/twice.db"
    await asyncio.to_thread(fill, again, [record(1, text=bad)], [given(1, "down", 0)])
    checks = (await view(again, "feedback"))["checks"]
    assert {"check": "unsupported_price", "wrong": 1, "right": 0} in checks


async def test_results_are_listed_newest_first_and_by_what_is_asked(url):
    rows = (await view(url, "results"))["results"]
    assert len(rows) == 31
    assert [one["created_ms"] for one in rows] == sorted(r["created_ms"] for r in rows)[::-1]
    last = rows[10]["created_ms"]
    older = (await view(url, "results", before_ms=last))["results"]
    assert [one["id"] for one in older] == [r["id"] for r in rows if r["created_ms"] <= last]
    for query, ids in [
        ({"check": "unsupported_price"}, range(100, 106)),
        ({"check": "unsupported_price", "value": "$99"}, ()),
        ({"value": (await view(url, "values"))["values"][0]["value"]}, range(100, 106)),
        ({"keyword": "garage"}, (203, 204)),
        ({"hole": "refused"}, range(200, 205)),
        ({"status": "PASS", "collection": "guides", "before_ms": 1}, ()),
    ]:
        rows = (await view(url, "results", **query))["results"]
        assert {one["id"] for one in rows} == set(map(id_of, ids)), query


async def test_a_database_without_text_and_an_empty_one_have_nothing_to_show(tmp_path):
    bare, empty = (f"sqlite:///{tmp_path}/{name}.db" for name in ("bare", "empty"))
    await asyncio.to_thread(fill, bare, [record(1, text=WRONG, words=False)])
    assert (await view(bare, "values"))["values"] == []
    one = await view(bare, f"results/{id_of(1)}")
    assert one["sentences"] == []
    assert "$12" not in str(one)
    found = await view(empty, "summary")
    assert all(rows == [] for rows in found["days"].values())
    for name, part in (("areas", "areas"), ("feedback", "checks"), ("results", "results")):
        assert (await view(empty, name))[part] == []


# ------------------------------------------------------------------ what it lets in


async def test_a_wrong_scope_is_told_and_what_no_database_holds_is_not_found(url):
    for query, words in (
        ({"days": "0"}, "days: Input should be greater"),
        ({"days": "x"}, "days: Input should be a valid integer"),
        ({"modle": "a"}, "modle: Extra inputs are not permitted"),
        ({"status": "BAD"}, "status: String should match"),
        ({"model": "x" * 129}, "model: String should have at most 128"),
    ):
        found = await view(url, "results", **query)
        assert words in found["error"]["message"]
    for name in ("model", "keyword", "value"):
        assert (await view(url, "results", **{name: "a\x00b"}))["results"] == []
    assert (await view(url, "results/nothing"))["error"]["code"] == "no_result"


async def test_without_the_token_nothing_but_the_page_is_shown(url):
    async with served(url, token="t-1") as session:
        for name in ("summary", "areas", "values", "feedback", "results", f"results/{id_of(1)}"):
            async with session.get(f"/dashboard/api/{name}") as response:
                assert response.status == 401
            headers = {"Authorization": "Bearer t-1"}
            async with session.get(f"/dashboard/api/{name}", headers=headers) as response:
                assert response.status == 200
        async with session.get("/dashboard/") as response:
            assert response.status == 200


async def test_the_page_keeps_to_its_own_files_and_names(url):
    async with served(url, hosts=frozenset({"127.0.0.1"})) as session:
        async with session.get("/") as response:
            assert str(response.url).endswith("/dashboard/")
            assert "script-src 'self'" in response.headers["Content-Security-Policy"]
        for name in ("dashboard.js", "charts.js", "chart.js", "chat/dom.js", "dashboard.css"):
            async with session.get(f"/dashboard/{name}") as response:
                assert response.status == 200
        async with session.get("/dashboard/", headers={"Host": "evil.example"}) as response:
            assert response.status == 403


async def test_a_database_that_fails_is_told_without_its_address(tmp_path, caplog):
    url = f"sqlite:///{tmp_path}/gone.db"
    async with served(url) as session:
        for path in tmp_path.iterdir():
            path.write_bytes(b"no database " * 1_000)
        async with session.get("/dashboard/api/summary") as response:
            assert response.status == 503
            assert "gone.db" not in await response.text()
    assert "database_failed" in caplog.text


# ------------------------------------------------------------------ the command


def parsed(*flags):
    parser = argparse.ArgumentParser()
    dashboard.add_arguments(parser)
    return parser.parse_args(flags)


async def test_a_command_that_cannot_serve_says_why(monkeypatch):
    monkeypatch.delenv("STREAMGUARD_RESULTS", raising=False)
    for flags, words in [
        ((), "--results is missing"),
        (("--results", "mysql://x"), "is no database of ours"),
        (("--results", "sqlite:///x.db", "--listen", "nowhere"), "nowhere"),
        (("--results", "sqlite:///x.db"), "results are 'x.db', which is not there"),
    ]:
        with pytest.raises(ConfigError, match=words):
            dashboard.run(parsed(*flags))
    for name in [name for name in sys.modules if name.startswith("streamguard.server.dashboard.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(ConfigError, match=r"pip install '\.\[sql\]'"):
        dashboard.run(parsed("--results", "sqlite:///x.db"))


@pytest.mark.slow
async def test_the_chat_server_has_it_over_its_own_results(tmp_path):
    store = folder_store()
    shared = SharedSettings(f"sqlite:///{tmp_path}/chat.db", tmp_path / "spool")
    async with chatting(store, shared=shared, feedback=tmp_path / "f.jsonl") as base:
        said = await say(base, "What are the vacation days?")
        async with asyncio.timeout(20):
            rows = []
            while not rows:
                await asyncio.sleep(0.05)
                rows = (await fetch(base, "/dashboard/api/results"))[2]["results"]
        assert [row["id"] for row in rows] == [said.annotation["id"]]
        status, headers, _ = await fetch(base, "/dashboard/")
    store.close()
    assert status == 200
    assert "script-src 'self'" in headers["Content-Security-Policy"]


@pytest.mark.slow
async def test_the_command_serves_the_page_until_it_is_stopped(url):
    flags = ["dashboard", "--results", url, "--listen", "127.0.0.1:0", "--results-token", "t-1"]
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "streamguard", *flags, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):
        said = (await running.stdout.readline()).decode()
        page = said.split()[4]
        async with aiohttp.ClientSession() as session:
            async with session.get(page) as response:
                assert "streamguard dashboard" in await response.text()
            async with session.get(f"{page}api/summary") as response:
                assert response.status == 401
        running.terminate()
        await running.communicate()
    assert running.returncode == 0
