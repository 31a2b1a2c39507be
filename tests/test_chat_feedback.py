"""Feedback: only on what was handed out, kept with its result, bounded."""

import json

import pytest

from streamguard.core.context import Context
from streamguard.core.model.result import Annotation
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.server.results.feedback import (
    MAX_COMMENT_CHARS,
    Feedback,
    FeedbackFullError,
    FeedbackRequest,
)
from tests.chatting import chatting, fetch, folder_store, say

ID = "0" * 32


def annotation(id=ID):
    context = Context(query="What does it cost?", chunks=["It costs $12."])
    return Annotation(id=id, state="complete", result=check_text("It costs $15.", context=context))


def given(**fields):
    return FeedbackRequest(**{"id": ID, "kind": "up", **fields})


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_holds_the_feedback_and_the_result_without_text(tmp_path):
    feedback = Feedback(tmp_path / "f.jsonl", clock=lambda: 1_700_000_000.0)
    feedback.remember(annotation())
    feedback.write(given(kind="was_supported", sentence=0, comment="see page 3 🚲"))
    feedback.write(given())
    first, second = lines(tmp_path / "f.jsonl")
    assert first["time"] == "2023-11-14T22:13:20Z"
    assert (first["kind"], first["sentence"], first["comment"]) == (
        "was_supported",
        0,
        "see page 3 🚲",
    )
    assert second["sentence"] is None
    assert first["annotation"]["id"] == ID
    assert first["annotation"]["result"]["text_stored"] is False
    assert "$15" not in (tmp_path / "f.jsonl").read_text()


def test_text_is_kept_where_that_was_asked_for(tmp_path):
    feedback = Feedback(tmp_path / "f.jsonl", store_text=True)
    feedback.remember(annotation())
    feedback.write(given())
    assert lines(tmp_path / "f.jsonl")[0]["annotation"]["result"]["findings"][0]["value"] == "$15"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"id": "1" * 32}, "id names no answer of this server, or one too long ago"),
        ({"sentence": 1}, "sentence is 1, the answer has 1 sentences"),
    ],
)
def test_feedback_on_what_was_never_said_is_refused(tmp_path, fields, words):
    feedback = Feedback(tmp_path / "f.jsonl")
    feedback.remember(annotation())
    with pytest.raises(ConfigError) as raised:
        feedback.write(given(**fields))
    assert str(raised.value) == words
    assert not (tmp_path / "f.jsonl").exists()


def test_an_unchecked_answer_has_no_sentences_but_can_be_praised(tmp_path):
    feedback = Feedback(tmp_path / "f.jsonl")
    feedback.remember(Annotation(id=ID, state="skipped"))
    feedback.write(given())
    with pytest.raises(ConfigError, match="the answer has 0 sentences"):
        feedback.write(given(sentence=0))
    assert lines(tmp_path / "f.jsonl")[0]["annotation"]["result"] is None


def test_only_the_newest_answers_are_remembered(tmp_path):
    feedback = Feedback(tmp_path / "f.jsonl", max_answers=2)
    for number in range(3):
        feedback.remember(annotation(str(number) * 32))
    feedback.write(given(id="1" * 32))
    feedback.write(given(id="2" * 32))
    with pytest.raises(ConfigError):
        feedback.write(given(id="0" * 32))


def test_the_file_never_grows_beyond_its_bound(tmp_path):
    path = tmp_path / "f.jsonl"
    feedback = Feedback(path, max_file_bytes=6_000)
    feedback.remember(annotation())
    feedback.write(given())
    room = 6_000 // path.stat().st_size
    for _ in range(room - 1):
        feedback.write(given())
    with pytest.raises(FeedbackFullError, match="the feedback file is full: 6000 bytes"):
        feedback.write(given())
    assert len(lines(path)) == room > 1
    assert path.stat().st_size <= 6_000


@pytest.fixture(scope="module")
def samples():
    store = folder_store()
    yield store
    store.close()


@pytest.mark.asyncio
async def test_feedback_on_an_answer_of_the_page_is_kept(samples, tmp_path):
    path = tmp_path / "f.jsonl"
    async with chatting(samples, feedback=path) as base:
        said = await say(base, "What are the vacation days?")
        body = {
            "id": said.annotation["id"],
            "kind": "up",
            "sentence": 1,
            "comment": None,
        }
        status, _, nothing = await fetch(base, "/api/feedback", "POST", json=body)
    assert (status, nothing) == (204, b"")
    (line,) = lines(path)
    assert line["annotation"]["id"] == said.annotation["id"]
    assert line["annotation"]["result"]["text"] == said.result["text"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"id": ID, "kind": "up"}, "id names no answer"),
        ({"id": ID, "kind": "meh"}, "kind: Input should be 'up', 'down', 'refusal_wrong' or"),
        ({"id": ID}, "kind: Field required"),
        ({"id": ID, "kind": "up", "sentence": -1}, "sentence: Input should be greater"),
        ({"id": ID, "kind": "up", "comment": "x" * (MAX_COMMENT_CHARS + 1)}, "comment: String"),
        ({"id": ID, "kind": "up", "page": 1}, "page: Extra inputs are not permitted"),
    ],
)
@pytest.mark.asyncio
async def test_wrong_feedback_is_answered_with_what_is_wrong(samples, tmp_path, body, words):
    async with chatting(samples, feedback=tmp_path / "f.jsonl") as base:
        status, _, error = await fetch(base, "/api/feedback", "POST", json=body)
    assert status == 400
    assert words in error["error"]["message"]


@pytest.mark.parametrize(
    ("path", "bound", "status", "code"),
    [
        ("f.jsonl", 10, 507, "feedback_full"),
        ("missing/f.jsonl", 10_000, 500, "feedback_not_written"),
    ],
)
@pytest.mark.asyncio
async def test_feedback_that_cannot_be_kept_says_so(samples, tmp_path, path, bound, status, code):
    file = tmp_path / path
    async with chatting(samples, feedback=file, max_feedback_bytes=bound) as base:
        said = await say(base, "Hello")
        body = {"id": said.annotation["id"], "kind": "down"}
        got, _, error = await fetch(base, "/api/feedback", "POST", json=body)
    assert (got, error["error"]["code"]) == (status, code)
