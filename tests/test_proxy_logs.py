"""Log lines: one JSON object each, and nothing in them that is nobody's business."""

import io
import json
import logging

import pytest

from streamguard.server.observe.logs import JSONLines, set_up


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


def test_a_line_holds_time_level_event_and_fields(lines):
    logging.getLogger("streamguard.x").info("answer", extra={"fields": {"id": "a", "n": 1}})
    (line,) = lines()
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "streamguard.x",
        "event": "answer",
        "id": "a",
        "n": 1,
    }


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


def test_values_that_other_libraries_log_stay_out(lines):
    logging.getLogger("aiohttp.server").error("Error handling request from %s", "10.0.0.1?key=x")
    assert lines()[0]["event"] == "Error handling request from %s"


def test_access_lines_and_levels_below_the_chosen_one_are_left_out(lines):
    logging.getLogger("aiohttp.access").error("GET /?key=secret")
    logging.getLogger("streamguard.x").debug("detail")
    assert lines() == []


def test_line_breaks_in_values_stay_inside_the_line():
    record = logging.makeLogRecord({"msg": "a\nb", "fields": {"path": "/x\n{}\u2028"}})
    assert "\n" not in JSONLines().format(record)
