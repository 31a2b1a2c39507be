"""What a conversation over a WebSocket says of its answers, event by event."""

import json

import pytest

from streamguard.wire.codecs.sse import SSEDecoder
from streamguard.wire.protocols.openai_responses import OutputText, ResponsesReader, brings_text
from streamguard.wire.websocket.conversations import (
    MAX_ANSWERS,
    AnswerPiece,
    Began,
    Over,
    RealtimeConversation,
    ResponsesConversation,
    conversation_of,
    is_sound,
    outline,
)


def steps(conversation, *events):
    """Give events, the client's in a list each; return what the server's say."""
    out = []
    for event in events:
        if isinstance(event, list):
            conversation.sent(event[0], len(json.dumps(event[0])))
        else:
            out += conversation.received(event)
    return out


def created(name, **more):
    return {"type": "response.created", "response": {"id": name}, **more}


def create(**more):
    return [{"type": "response.create", **more}]


def item(text, **more):
    part = {"type": "input_text", "text": text}
    made = {"type": "message", "role": "user", "content": [part], **more}
    return [{"type": "conversation.item.create", "item": made}]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/v1/realtime", RealtimeConversation),
        ("/openai/v1//Realtime/", RealtimeConversation),
        ("/v1/responses", ResponsesConversation),
        ("/v1/realtime/translations", None),
        ("/v1/live", None),
    ],
)
def test_a_path_says_how_a_websocket_is_read(path, found):
    assert conversation_of(path) is found


def test_realtime_answers_are_asked_with_instructions_items_and_what_was_said():
    talk = RealtimeConversation(10_000)
    kind = "conversation.item.input_audio_transcription.completed"
    said = {"type": kind, "item_id": "i2", "transcript": "And Pro?"}
    begun = steps(
        talk,
        {"type": "session.created", "session": {"instructions": "theirs"}},
        created("r1"),
        [{"type": "session.update", "session": {"instructions": "ours"}}],
        {"type": "session.updated", "session": {"instructions": "theirs again"}},
        [{"type": "session.update", "session": {"voice": "x"}}],
        item("Basic?", id="i1"),
        said,
        {"type": "conversation.item.deleted", "item_id": "i1"},
        created("r2"),
        create(response={"instructions": "once", "input": []}),
        create(),
        created("r3"),
        created("r4"),
    )
    assert all(isinstance(each, Began) for each in begun)
    assert [each.request["instructions"] for each in begun] == ["theirs", "ours", "once", "ours"]
    texts = [[i["content"][0]["text"] for i in each.request["input"]] for each in begun]
    assert texts == [[], ["And Pro?"], [], ["And Pro?"]]
    assert not any(each.over for each in begun)


DELTA = "response.output_text.delta"
AT = {"output_index": 0, "content_index": 0}
NEXT = {"output_index": 0, "content_index": 1}


def delta(text, **at):
    return {"type": DELTA, "delta": text, **at}


def done(text, **at):
    return {"type": "response.output_text.done", "text": text, **at}


def part(text, kind="output_text", told="done", **at):
    return {"type": f"response.content_part.{told}", "part": {"type": kind, "text": text}, **at}


def whole_item(*parts, kind="message", **at):
    item = {"type": kind, "content": [each["part"] for each in parts]}
    return {"type": "response.output_item.done", "item": item, **at}


def by_words(kind):
    return [{"type": kind, "bit": word} for word in ("It", "is", "$9", "now.")]


@pytest.mark.parametrize(
    ("events", "text", "unread"),
    [
        ([delta("ab", **AT), done("ab", **AT)], "ab", False),
        ([done("ab", **AT)], "ab", False),
        ([delta("a", **AT), done("b", **NEXT)], "ab", False),
        ([delta("ab"), done("ab", **AT)], "ab", False),
        ([part("a", told="added", **AT), delta("b", **AT)], "ab", False),
        ([part("ab", **AT)], "ab", False),
        ([whole_item(part("a"), part("b"), output_index=0)], "ab", False),
        ([done("ab", **AT), part("ab", **AT),
          whole_item(part("ab"), output_index=0), {"shown": "ab"}], "ab", False),
        ([delta("a", **AT), part("b", **NEXT)], "ab", False),
        ([delta("a", **AT), whole_item(part("ab"), output_index=0)], "ab", False),
        ([delta("a", **AT), whole_item(part("a"), output_index=1)], "a", False),
        ([delta("ab", **AT), part("ax", **AT)], "ab", True),
        ([*(delta(half, **AT) for half in "\ud83d\ude00"), part("😀", **AT)],
         "\ud83d\ude00", False),
        ([part("ab", "markdown", **AT)], "", True),
        ([whole_item(part("It is $9 now.", "text"), kind="widget")], "", True),
        ([whole_item(part("It is $9 now.", "text"), kind="reasoning")], "", False),
        ([{"type": DELTA, "delta": "ab", "output_index": []}], "ab", False),
        (by_words("response.markdown.piece"), "", True),
        (by_words("response.reasoning.piece"), "", False),
        ([{"type": DELTA, "delta": [{"text": "ab"}]}], "", True),
        ([{"type": "response.output_markdown.delta", "delta": "ab"}], "", True),
        ([{"type": "response.reasoning_text.delta", "delta": "ab"}], "", False),
        ([delta("a", **AT), {"shown": "ab"}], "ab", False),
        ([delta("a", **AT), {"shown": "a "}], "a", False),
        ([{"shown": "ab"}], "ab", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [RealtimeConversation, ResponsesConversation, None])
def test_text_is_read_once_however_it_is_told(kind, events, text, unread):
    """Over a WebSocket and as server-sent events."""
    shown = [each["shown"] for each in events if "shown" in each]
    output = [{"content": [{"type": "output_text", "text": each}]} for each in shown]
    told = [each for each in events if "shown" not in each]
    end = "response.done" if kind is RealtimeConversation else "response.completed"
    told.append({"type": end, "response": {"id": "r", "output": output}})
    if kind is None:
        reader = ResponsesReader()
        found = [reader.read(sse(each)) for each in [created("r"), *told]]
        assert ("".join(each.get(0, "") for each in found), reader.unread) == (text, unread)
        return
    at = {"response_id": "r"} if kind is RealtimeConversation else {}
    said = steps(kind(1_000), created("r"), *({**each, **at} for each in told))[1:]
    assert "".join(each.text for each in said) == text
    assert said[-1].unread is unread


def sse(frame):
    (event,) = SSEDecoder().feed(f"data: {json.dumps(frame)}\n\n".encode())
    return event


def test_text_in_front_of_its_answers_beginning_is_its_own_and_behind_its_end_nobodys():
    told = delta("x", response_id="r")
    for kind, end in (
        (RealtimeConversation, "response.done"),
        (ResponsesConversation, "response.completed"),
    ):
        found = steps(
            kind(1_000), create(), told, created("r"), told,
            {"type": end, "response": {"id": "r"}}, told, {"type": end, "response": {"id": "r"}},
        )  # fmt: skip
        assert [type(each) for each in found] == [
            Began,
            AnswerPiece,
            AnswerPiece,
            Over,
            AnswerPiece,
        ]


def test_a_lane_that_is_idle_makes_room_for_another():
    talk = ResponsesConversation(10**6)
    for number in range(3 * MAX_ANSWERS):
        lane = {"stream_id": f"{number}"}
        end = {"type": "response.completed", "response": {}, **lane}
        assert len(steps(talk, create(**lane), created(f"r{number}", **lane), end)) == 2
    (begun,) = steps(talk, create(previous_response_id="r1"), created("next"))
    assert begun.over  # what it follows is gone


def test_realtime_keeps_no_more_than_it_may_and_says_so():
    talk = RealtimeConversation(500)
    begun = steps(talk, item("x" * 300), item("y" * 300), created("r1"))
    assert [(len(each.request["input"]), each.over) for each in begun] == [(1, True)]
    talk = RealtimeConversation(500)
    long = {"type": "session.update", "session": {"instructions": "x" * 600}}
    assert steps(talk, [long], created("r1"))[0].over
    talk = RealtimeConversation(10**9)
    steps(talk, *(create(response={"instructions": f"{n}"}) for n in range(MAX_ANSWERS + 5)))
    begun = steps(talk, *(created(f"r{n}") for n in range(MAX_ANSWERS + 5)))
    assert [each.request["instructions"] for each in begun[-6:]] == [
        f"{MAX_ANSWERS - 1}",
        *[""] * 5,
    ]
    told = delta("x", response_id="early")
    talk = RealtimeConversation(500)
    steps(talk, told, *(created(f"r{n}") for n in range(MAX_ANSWERS)))  # the last in place of it
    assert [type(each) for each in steps(talk, created("early"), told)] == [Began, AnswerPiece]


def test_responses_keep_no_more_than_they_may_and_say_so():
    talk = ResponsesConversation(400)
    begun = steps(
        talk, create(input="x" * 300), create(input="y" * 300, previous_response_id="r1"),
        created("r1"), created("r2"), create(previous_response_id="r2"), created("r3"),
    )  # fmt: skip
    assert [each.over for each in begun] == [False, True, True]
    talk = ResponsesConversation(10**9)
    lanes = [f"{n}" for n in range(MAX_ANSWERS + 5)]
    begun = steps(talk, *(created("r", stream_id=lane) for lane in lanes))
    assert [each.over for each in begun] == [False] * MAX_ANSWERS + [True] * 5
    steps(talk, *(create(stream_id=lanes[-1]) for _ in range(3)))
    steps(talk, *(create(stream_id="0", input=f"{n}") for n in range(MAX_ANSWERS + 5)))
    begun = steps(talk, *(created("r", stream_id="0") for n in range(MAX_ANSWERS + 1)))
    assert begun[-1].request["input"] == []
    assert begun[-2].request["input"][0]["content"] == f"{MAX_ANSWERS - 1}"


@pytest.mark.parametrize("named", [{"event_id": "e2"}, {}])
def test_an_answer_that_was_refused_takes_no_context_from_the_next(named):
    talk = RealtimeConversation(1_000_000)

    def ask(number):
        return create(event_id=f"e{number}", response={"instructions": str(number)})

    def failed(**error):
        return {"type": "error", "error": error}

    code = "conversation_already_has_active_response"
    begun = steps(
        talk, ask(1), created("r1"), ask(2), failed(code=code, **named),
        ask(3), failed(code="other", event_id="e9"), failed(param="session.voice"), created("r2"),
        ask(4), failed(code="invalid_value", event_id=None), ask(5), created("r5"),
    )  # fmt: skip
    assert [each.request["instructions"] for each in begun] == ["1", "3", "5"]


def test_what_is_told_whole_is_looked_for_within_bounds():
    output = OutputText(frozenset({DELTA}))
    output.take({"type": DELTA, "delta": "x" * 100_000, **AT})
    for _ in range(40):
        assert output.take(part("y" + "x" * 99, **AT)) == ""
    assert output.unread
    assert output._compared < 3_000_000
    assert output.take(delta("z", **NEXT)) == "z"
    assert [brings_text(each) for each in (delta("z", **AT), created("r"))] == [True, False]


ELSEWHERE = {  # what an error is about that no answer was refused by, as far as it says
    "param": ([], {"param": "item.content"}),
    "code": ([], {"code": "item_truncate_invalid_item_id"}),
    "named": ([{"type": "conversation.item.delete", "event_id": "x"}], {"event_id": "x"}),
    "order": ([{"type": "conversation.item.delete"}], {"code": "invalid_value"}),
    "nothing": ([{"type": "conversation.item.truncate"}], {}),
}


@pytest.mark.parametrize("case", ELSEWHERE)
@pytest.mark.parametrize("kind", [RealtimeConversation, ResponsesConversation])
def test_an_error_about_something_else_takes_no_request(kind, case):
    conversation = kind(1_000_000)
    before, error = ELSEWHERE[case]

    def ask(text):
        asked = {"instructions": text}
        more = {"response": asked} if kind is RealtimeConversation else asked
        return [{"type": "response.create", **more}]

    def over(name):
        completed = {"type": "response.completed", "response": {"id": name}}
        return [completed] if kind is ResponsesConversation else []

    found = steps(
        conversation, ask("running"), created("r0"), *([each] for each in before), ask("one"),
        {"type": "error", "error": error}, *over("r0"), created("r1"), ask("refused"),
        {"type": "error", "error": {"code": "invalid_value"}}, *over("r1"), ask("two"),
        created("r2"),
    )  # fmt: skip
    told = [each.request["instructions"] for each in found if isinstance(each, Began)]
    assert told == ["running", "one", "two"]


def test_an_event_that_names_no_answer_is_of_the_only_one():
    talk = RealtimeConversation(100)
    assert steps(talk, created("r1"), delta("a"))[1:] == [AnswerPiece("r1", "a")]
    thought = {"type": "response.reasoning_text.delta", "response_id": "r2", "delta": "a"}
    assert steps(talk, thought) == []


@pytest.mark.parametrize(
    ("message", "sound"),
    [
        ('{"event_id": "e", "type": "response.output_audio.delta", "delta": "AAAA"}', True),
        ('{"type":"input_audio_buffer.append","audio":"AAAA"}', True),
        ('{"type": "response.done"}', False),
        ('{"type": "response.output_audio.delta", "type": "response.text.delta"}', False),
        ('{"type": "response.audio.delta", "\\u0074ype": "response.text.delta"}', False),
        ('{"a": {"type": "response.audio.delta"}, "type": "response.text.delta"}', False),
    ],
)
def test_only_what_is_certainly_sound_is_not_read(message, sound):
    assert is_sound(message.encode()) is sound


def test_an_error_that_names_the_request_of_the_running_answer_ends_it():
    talk = ResponsesConversation(10_000)
    error = {"type": "error", "error": {"event_id": "e1"}}
    found = steps(talk, create(event_id="e1"), created("r1"), create(input="next"), error)
    assert found[1:] == [Over("", "upstream_error")]
    (begun,) = steps(talk, created("r2"))
    assert begun.request["input"][0]["content"] == "next"


def test_of_answers_that_are_over_the_last_are_known():
    talk, late = RealtimeConversation(10_000), delta("x")
    for number in range(MAX_ANSWERS + 1):
        done = {"type": "response.done", "response": {"id": f"r{number}", "output": []}}
        steps(talk, created(f"r{number}"), done)
    assert steps(talk, {**late, "response_id": "r1"}) == [AnswerPiece("r1", "x")]
    remark = {"type": "remark", "remark": "It is $9 now."}
    assert steps(talk, remark) == [AnswerPiece(f"r{MAX_ANSWERS}", "", unread=True)]
    begun, _ = steps(talk, {**late, "response_id": "r0"})
    assert isinstance(begun, Began)
    output = OutputText(frozenset({DELTA}))
    output.take({"type": DELTA, "delta": "x" * 70_000, **AT})
    output.over()
    assert output.take(part("y", **NEXT)) == ""


def test_what_nobody_answers_and_items_of_answers_take_no_errors_place():
    talk, append = RealtimeConversation(10_000), [{"type": "input_audio_buffer.append"}]
    shown = {"type": "conversation.item.added", "item": {"role": "assistant"}}
    steps(talk, append, item("x"), shown, create(response={"instructions": "one"}))
    steps(talk, {"type": "error", "error": {}})  # about the item, which came first
    (begun,) = steps(talk, created("r"))
    assert begun.request["instructions"] == "one"


def test_an_event_of_an_odd_kind_is_none():
    for kind in (RealtimeConversation, ResponsesConversation):
        conversation = kind(1_000_000)
        conversation.sent({"type": ["response.create"]}, 9)
        assert conversation.received({"type": ["response.done"]}) == ()


def test_of_an_event_that_is_too_wide_stays_what_tells_which_answer_it_ends():
    response = {"id": "r", "status": "completed", "output": [1], "usage": {}}
    event = {"type": "response.done", "response": response, "x": [1]}
    short = {"id": "r", "status": "completed"}
    assert outline(event) == {"type": "response.done", "response": short}
    assert outline({"type": "error", "response": None, "x": {}}) == {
        "type": "error", "response": None,
    }  # fmt: skip
