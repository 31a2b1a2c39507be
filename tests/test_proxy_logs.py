"""Log lines: one JSON object each, and nothing in them that is nobody's business."""

import io
import json
import logging

import pytest

from streamguard.server.observe import logs
from streamguard.server.observe.logs import set_up


@pytest.fixture
def lines():
    """Give the log lines written since; the logging of the process is restored afterwards."""
    root, access = logging.getLogger(), logging.getLogger("aiohttp.access")
    before = (root.handlers[:], root.level, access.level)
    out = io.StringIO()
    set_up("info", out)
    yield lambda: [json.loads(line) for line in out.getvalue().splitlines()]
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    access.setLevel(before[2])


def test_a_message_with_values_has_an_event_of_its_own(lines):
    fields = {"event": "verifier_failed", "verifier": "nli"}
    log = logging.getLogger("streamguard.x")
    log.warning("verifier %s failed", "nli", extra={"fields": fields})
    (line,) = lines()
    assert (line["event"], line["verifier"]) == ("verifier_failed", "nli")


def test_an_exception_shows_as_type_and_place_without_its_text(lines):
    try:
        raise ValueError("Bearer sk-secret\nforged")
    except ValueError:
        logging.getLogger("streamguard.x").exception("check_failed")
    (line,) = lines()
    assert line["error"].startswith("ValueError at ")
    assert "secret" not in json.dumps(line)
    logging.getLogger("x").error("bare", exc_info=KeyError("secret"))
    assert lines()[1]["error"] == "KeyError"


def at(second, event="refused", level=logging.WARNING, **more):
    """Log a record as of that second."""
    record = logging.makeLogRecord(
        {"msg": event, "name": "streamguard.x", "levelno": level, "levelname": "X", **more}
    )
    record.created = second
    logging.getLogger().handlers[0].handle(record)


def test_what_was_left_out_is_written_when_other_lines_are_and_at_the_end(lines):
    at(0.0)
    at(0.1)
    at(0.9, "answer", logging.INFO)
    assert [line["event"] for line in lines()] == ["refused", "answer"]
    at(1.0, "answer", logging.INFO)
    assert [line["event"] for line in lines()[2:]] == ["refused", "answer"]
    at(2.0)
    at(2.1)
    at(2.2)
    logging.getLogger().handlers[0].close()
    assert lines()[-1]["repeated"] == 2


def test_kinds_of_lines_are_counted_up_to_a_bound(lines, monkeypatch):
    monkeypatch.setattr(logs, "MAX_THROTTLED", 2)
    for number in (0, 1, 2, 2, 1, 0):
        at(0.0, f"refused{number}")
    assert [line["event"][-1] for line in lines()] == ["0", "1", "2", "2"]
