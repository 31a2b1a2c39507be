"""Text in frames of unknown shape: found where it changes, told from thoughts and states."""

import json
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.wire.fields import has_unread_parts, holds_words
from streamguard.wire.found import MAX_KEPT_CHARS, Elsewhere, Finder, path_of, text_in, value_at
from tests.kit.streams import TEXT, pieces

TOLD = pieces(TEXT)


def read(frames, path=None):
    """Return the text of frames, and whether something was not read; (kind, frame) or a frame."""
    finder = Finder(None if path is None else path_of(path))
    found = [
        finder.take(each[1], each[0]) if isinstance(each, tuple) else finder.take(each)
        for each in frames
    ]
    return "".join(found) + finder.rest(), finder.unread


SHAPES = {
    "a field": lambda text: {"chunk": text},
    "a field of its own": lambda text: {"words": text},
    "typed": lambda text: {"type": "token", "data": text},
    "nested": lambda text: {"data": {"text": text}},
    "deep": lambda text: {"result": {"message": {"content": text}}, "id": "8f14e45fceea167a"},
    "parts": lambda text: {"content": [{"type": "text", "text": text}]},
    "parts beside a thought": lambda text: {
        "content": [{"type": "thinking", "text": "hm hm"}, {"type": "text", "text": text}]
    },
    "lists": lambda text: {"outputs": [{"generated_text": text}, {"generated_text": ""}]},
    "beside an id": lambda text: {"id": f"{hash(text) & 0xFFFFFFFFFF:010x}", "piece": text},
    "beside a state": lambda text: {"status": f"Working on {text}", "piece": text},
    "beside a time": lambda text: {"at": f"2026-01-01T00:00:{len(text):02}", "piece": text},
    "beside what stays": lambda text: {"topic": "Prices of our plans", "message": text},
    "a string": lambda text: text,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_text_is_found_where_it_changes(shape):
    assert read(map(SHAPES[shape], TOLD)) == (TEXT, False)


@pytest.mark.parametrize("shape", SHAPES)
@given(st.data())
def test_pieces_of_any_length_give_the_text(shape, data):
    cuts = sorted(data.draw(st.sets(st.integers(1, len(TEXT) - 1), max_size=12)))
    told = [TEXT[a:b] for a, b in zip([0, *cuts], [*cuts, len(TEXT)], strict=True)]
    assert read(map(SHAPES[shape], told)) == (TEXT, False)


OTHERS = [
    {"type": "start", "message": "Starting to answer."},
    {"type": "thinking", "data": "They want the price of the plan."},
    {"type": "tool_call", "data": "prices of plans", "arguments": '{"plan": "Basic"}'},
    {"type": "status", "data": "Searching the documents"},
    {"event": "sources", "data": "Prices of 2026, page 3"},
    {"type": "ping"},
]


def test_thoughts_calls_and_states_are_no_text():
    told = [{"type": "token", "data": text} for text in TOLD]
    assert read([*OTHERS, *told[:4], *OTHERS, *told[4:], *OTHERS]) == (TEXT, False)
    assert read(OTHERS) == ("", False)
    told = [{"delta": {"type": "text_delta", "text": text}} for text in TOLD]
    thought = {"delta": {"type": "thinking_delta", "text": "They want the price."}}
    assert read([thought, *told[:9], thought, *told[9:]]) == (TEXT, False)


LAST = [{"type": "final", "answer": TEXT}, {"type": "token", "data": TEXT}]


@pytest.mark.parametrize("last", LAST)
def test_a_last_frame_that_repeats_the_answer_is_no_more_of_it(last):
    told = [{"type": "token", "data": text} for text in TOLD]
    assert read([*told, last]) == (TEXT, False)
    before, after = TEXT.split("😀")  # whose halves some servers tell apart
    told = [{"type": "token", "data": text} for text in (before, "\ud83d", "\ude00", after) if text]
    assert read([*told, last]) == (f"{before}\ud83d\ude00{after}", False)


def test_an_answer_that_is_changed_afterwards_is_unread():
    frames = [{"text": text} for text in accumulate(TOLD)]
    assert read([*frames, {"text": "It costs nothing."}]) == (TEXT, True)


def test_where_the_application_says_is_the_text():
    told = [{"a": {"b": [{"c": text}, {"c": ""}]}, "text": "no"} for text in TOLD]
    assert read(told, "a.b.*.c") == (TEXT, False)
    assert read(told, "a.b.0.c") == (TEXT, False)
    assert read(told, "a.b.c") == (TEXT, False)
    assert read(told, "a.b.2.c") == ("", False)
    assert read(told, "a.x") == ("", False)
    assert value_at({"a": 3}, ("a",)) is None
    assert value_at({"a": "x"}, ("a", "b")) is None


def test_hostile_frames_are_read_within_bounds():
    deep = json.loads("[" * 900 + '"It costs $5."' + "]" * 900)
    assert read([deep, {"text": deep}, {"a": [deep]}] * 4)[0] == ""
    assert read([{"a": deep}], "a.b") == ("", False)
    assert read([{"x": "a" + " " * 200_000 + "!"}] * 9)[0] == ""
    assert read([{"z" * 100_000: "A" * 100_000}] * 4)[0] == ""
    assert has_unread_parts(deep)


def test_of_a_text_over_the_cap_no_repetition_is_looked_for():
    told = [str(number) * (MAX_KEPT_CHARS // 4) for number in range(1, 7)]
    assert read([{"text": text} for text in told]) == ("".join(told), False)


def test_of_a_frame_of_very_many_objects_few_are_looked_at_and_it_is_unread():
    looks = []

    class Counted(dict):
        def items(self):
            looks.append(self)
            return super().items()

    frame = {str(number): Counted() for number in range(60_000)}
    assert text_in(frame) == (None, True)
    elsewhere = Elsewhere()
    elsewhere.take(frame)
    assert elsewhere.unread
    assert holds_words([frame])
    assert not looks
    assert text_in({"0": TEXT, **frame, "x": TEXT}, path_of("x")) == (TEXT, False)
