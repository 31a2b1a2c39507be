"""The metrics: their format, what they count over real sockets, and what they never say."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from streamguard.server.observe.exposition import Family
from streamguard.server.observe.logs import JSONLines
from streamguard.server.observe.metrics import Metrics
from streamguard.server.proxy.app import Settings, make_app
from streamguard.server.workers.serve import make_runner, start
from tests.kit.frames import ASKED, CHUNKED, DONE, END, PATIENCE_S, answer, chunked, frame
from tests.kit.upstreams import ask, proxy, upstream
from tests.test_workers import WHOLE, answers_of_every_worker, running

# The text format as its documentation has it: name, labels, value.
_NAME, _STRING = r"[a-zA-Z_:][a-zA-Z0-9_:]*", r'"(?:[^"\\\n]|\\["\\n])*"'
_SAMPLE = re.compile(rf"({_NAME})(\{{{_NAME}={_STRING}(?:,{_NAME}={_STRING})*\}})? (\S+)")
TEXT = "The Basic plan costs $10 per month. [C1] The Pro plan costs $99 per month. [C2] "


def read(text):
    """Return the value of every sample by name and labels; assert that the text is well-formed."""
    samples, family = {}, ""
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = line.split()[2]
        elif line.startswith("# TYPE "):
            assert line.split()[2] == family
            assert line.split()[3] in ("counter", "gauge", "histogram")
        else:
            name, labels, value = _SAMPLE.fullmatch(line).groups()
            assert re.fullmatch(rf"{family}(_bucket|_sum|_count)?", name), line
            assert name + (labels or "") not in samples, line
            samples[name + (labels or "")] = float(value)
    return samples


async def metrics(base, path="/streamguard/metrics", **headers):
    got = await ask(base, None, path, "GET", **headers)
    assert got.status == 200
    assert got.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return read(got.body.decode())


# --- the format


def test_values_of_labels_are_escaped():
    family = Family("a", 'Says "\\" and\nmore.', labels=("b",))
    family.add('x"\\\ny')
    assert family.text({}) == (
        '# HELP a Says \\"\\\\\\" and\\nmore.\n# TYPE a counter\na{b="x\\"\\\\\\ny"} 1\n'
    )
    assert read(family.text({"worker": "1"})) == {'a{worker="1",b="x\\"\\\\\\ny"}': 1}


# --- over real sockets


@pytest.mark.asyncio
async def test_an_answer_is_counted_by_protocol_ending_verdict_and_flag():
    async with upstream(WHOLE) as up, proxy(up.url) as base:
        await ask(base, ASKED)
        seen = await metrics(base)
    assert seen['streamguard_requests_total{done="checked"}'] == 1
    assert seen['streamguard_answers_total{dialect="openai_chat",ended="complete"}'] == 1
    assert seen['streamguard_pieces_total{dialect="openai_chat"}'] == 19
    assert seen['streamguard_characters_total{dialect="openai_chat"}'] == len(TEXT) - 5
    assert seen['streamguard_flags_total{flag="potential_hallucination"}'] == 1
    assert sum(n for name, n in seen.items() if "_statuses_total" in name) == 1
    assert sum(n for name, n in seen.items() if "_verdicts_total" in name) == 1
    assert seen['streamguard_stored{what="results"}'] == 1
    for name in ("check", "request_delay", "added_delay", "tail_wait", "answer"):
        assert seen[f"streamguard_{name}_seconds_count"] == 1
        assert 0 < seen[f"streamguard_{name}_seconds_sum"] < 10
    assert seen["streamguard_open_streams"] == 0
    assert seen["process_cpu_seconds_total"] > 0


@pytest.mark.asyncio
async def test_the_token_guards_the_metrics_but_not_at_an_address_of_their_own(caplog):
    caplog.set_level("INFO", "streamguard.proxy")
    settings = Settings("http://127.0.0.1:1", results_token="t", metrics_listen=("127.0.0.1", 0))
    runner = make_runner(make_app(settings))
    try:
        base = await start(runner, "127.0.0.1", 0)
        assert (await ask(base, None, "/streamguard/metrics", "GET")).status == 401
        assert await metrics(base, Authorization="Bearer t")
        (told,) = (each for each in caplog.records if each.name == "streamguard.proxy")
        own = json.loads(JSONLines().format(told))["address"]
        assert await metrics(own, "/metrics")
        assert json.loads((await ask(own, None, "/health", "GET")).body)["status"] == "ok"
        assert (await ask(own, None, "/streamguard/results/" + "0" * 32, "GET")).status == 404
    finally:
        await runner.cleanup()


@pytest.mark.slow
@pytest.mark.asyncio
async def test_one_worker_tells_the_metrics_of_all(tmp_path):
    async with upstream(WHOLE) as up, running(up.url, tmp_path) as workers:
        await answers_of_every_worker(workers.base)
        of = ',dialect="openai_chat",ended="complete"}'
        wanted = {f'streamguard_answers_total{{worker="{worker}"{of}' for worker in range(3)}
        async with asyncio.timeout(PATIENCE_S):  # an answer is counted behind its end
            while not wanted <= (seen := await metrics(workers.base)).keys():
                await asyncio.sleep(0.05)
    assert all(seen[name] >= 1 for name in wanted)


# --- what they never say

SECRETS = ("sk-plant", "Zanzibar", "Question?", "passage", "mdl-plant", "q-plant", "Traceback")


@pytest.mark.asyncio
async def test_neither_metrics_nor_logs_hold_text_or_keys(caplog):
    caplog.set_level("DEBUG")
    asked = {
        "model": "mdl-plant",
        "stream": True,
        "messages": [{"role": "user", "content": "Question?"}],
        "streamguard": {"chunks": ["A passage of Zanzibar."]},
    }
    body = answer("Zanzibar costs $10. I cannot tell.") + frame(finish="Zanzibar") + DONE
    scripts = (
        CHUNKED + chunked(body) + END,
        CHUNKED + chunked(body[:-9]),
        CHUNKED + chunked(b'data: {"error":{"message":"Zanzibar","type":"Zanzibar"}}\n\n') + END,
        CHUNKED + chunked(b"data: {Zanzibar\n\nevent: Zanzibar\ndata: Zanzibar\n\n") + END,
        b"HTTP/1.1 500 Zanzibar\r\nContent-Length: 8\r\n\r\nZanzibar",
        b"Zanzibar\r\n\r\n",
    )
    for script in scripts:
        async with upstream(script) as up, proxy(up.url) as base:
            path = "/v1/chat/completions?key=q-plant"
            for wish in ("chunk", "off", "sk-plant"):
                headers = {"Authorization": "Bearer sk-plant", "x_streamguard": wish}
                await ask(base, asked, path, **headers)
            await ask(base, {"streamguard": {"Zanzibar": 1}}, path, Authorization="sk-plant")
            said = (await ask(base, None, "/streamguard/metrics", "GET")).body.decode()
            said += (await ask(base, None, "/streamguard/health", "GET")).body.decode()
            assert not [secret for secret in SECRETS if secret in said]
    written = [JSONLines().format(record) for record in caplog.records]
    assert len([line for line in written if '"logger": "asyncio"' not in line]) >= len(scripts)
    assert not [line for line in written for secret in SECRETS if secret in line]


# --- the Grafana dashboard asks for nothing that the proxy does not say


BOARD = json.loads((Path(__file__).parent.parent / "docs/grafana.json").read_text())
QUERIES = [
    (panel["title"], target) for panel in BOARD["panels"] for target in panel["targets"]
]  # fmt: skip
_METRIC = re.compile(r"\b((?:streamguard|process)_[a-z_]+)(\{[^}]*\})?")


def known():
    """Return the labels of every sample's name."""
    found = {}
    for family in Metrics().families():
        if family.kind == "histogram":
            found |= {f"{family.name}_{end}": set() for end in ("sum", "count")}
            found[f"{family.name}_bucket"] = {"le"}
        else:
            found[family.name] = set(family.labels)
    return found


@pytest.mark.parametrize(("title", "target"), QUERIES)
def test_every_metric_and_label_of_a_panel_exists(title, target):
    samples, expression = known(), target["expr"]
    named = _METRIC.findall(expression)
    assert named
    labels = {"worker"}
    for name, _ in named:
        assert name in samples, name
        labels |= samples[name]
    asked = re.findall(r"by \(([^)]*)\)", expression)
    asked += re.findall(r"[{,]\s*(\w+)\s*[=!]", expression)
    for names in asked:
        assert {each.strip() for each in names.split(",")} <= labels, expression
    assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= labels
    assert expression.count("(") == expression.count(")")


def test_every_panel_has_its_own_place_and_asks_the_chosen_source():
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in BOARD["panels"]]
    assert len(set(places)) == len(places)
    assert {panel["datasource"]["uid"] for panel in BOARD["panels"]} == {"${datasource}"}
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(places)
