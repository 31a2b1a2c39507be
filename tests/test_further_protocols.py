"""Cohere, Vertex, Ollama's last line and the streams of agents, beside what all share."""

import json

import pytest

from streamguard.errors import DecodeError
from streamguard.wire import dialects
from streamguard.wire.agents.quiet import QuietReader
from streamguard.wire.codecs.sse import SSEDecoder
from tests.kit.streams import TEXT, frames, pieces
from tests.test_dialects import KINDS, cuts, expected_result, runner, through
from tests.test_doors import SERVERS
from tests.test_unread import Shown, judged

__all__ = ["runner"]


def sse(*made, named=None):
    name = f"event: {named}\n" if named else ""
    return [f"{name}data: {json.dumps(each)}\n\n".encode() for each in made]


def read(dialect, made):
    """Return the text of frames, and the reader that has read them."""
    reader, text = dialect.reader(), ""
    for event in SSEDecoder().feed(b"".join(made)):
        try:
            text += "".join(reader.read(event).values())
        except DecodeError:
            text += "!"
    return text + "".join(reader.rest().values()), reader


def test_a_chat_of_cohere_that_failed_is_incomplete():
    made = [each.replace(b"COMPLETE", b"ERROR") for each in frames("cohere")]
    _, annotation = through(made, "cohere")
    assert annotation.result.ended == "upstream_error"


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c:streamRawPredict", "anthropic"),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c@1:rawPredict", "anthropic"),
        ("/v1/projects/p/locations/l/publishers/mistralai/models/m:streamRawPredict", "chat"),
        ("/v1/projects/p/locations/l/publishers/google/models/g:streamGenerateContent", "gemini"),
    ],
)
def test_a_prediction_of_vertex_speaks_its_publishers_protocol(path, dialect):
    assert dialects.of_path(path) is KINDS[dialect]
    assert dialects.of_path("/v1/publishers/other/models/m:rawPredict") is None


@pytest.mark.parametrize("form", [None, "chunk", "attach", "header"])
@pytest.mark.parametrize("protocol", ["ollama_chat", "ollama_generate"])
def test_a_last_line_without_its_end_is_the_last_line(protocol, form):
    made = frames(protocol)
    made[-1] = made[-1].removesuffix(b"\n")
    for parts in cuts(made):
        out, annotation = through(parts, protocol, form)
        assert annotation.result == expected_result("text")
        assert annotation.state == "complete"
        lines = [json.loads(line) for line in out.splitlines()]
        assert [each["streamguard"]["id"] for each in lines if "streamguard" in each] == (
            [] if form == "header" else [annotation.id]
        )
        assert lines[-1]["done"]
        assert not out.endswith(b"\n")


def ag_ui(told):
    yield {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    yield {"type": "STATE_SNAPSHOT", "snapshot": {"plan": "It costs $5, they say."}}
    yield {"type": "REASONING_MESSAGE_CONTENT", "messageId": "m", "delta": "They want the price."}
    yield {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
    for piece in told[:-1]:
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": piece}
    yield {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": told[-1]}
    yield {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"plan": "$1"}'}
    yield {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "user", "content": "So, what?"}]}
    yield {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def dify(told):
    head = {"task_id": "t", "message_id": "m"}
    yield {"event": "workflow_started", **head, "data": {"inputs": {"q": "What is it?"}}}
    yield {"event": "agent_thought", **head, "thought": "They want the price."}
    for piece in told[::2]:
        yield {"event": "message", **head, "answer": piece}
    yield {"event": "workflow_finished", **head, "data": {"outputs": {"answer": "".join(told)}}}
    yield {"event": "message_end", **head, "metadata": {}}


def dify_workflow(told):
    for piece in told:
        yield {"event": "text_chunk", "task_id": "t", "data": {"text": piece}}
    yield {"event": "workflow_finished", "data": {"outputs": {"text": "".join(told)}}}


def langgraph(told):
    yield "metadata", {"run_id": "r"}
    yield "values", {"messages": [{"type": "human", "content": "What is it?"}]}
    for piece in told:
        yield "messages", [{"type": "AIMessageChunk", "content": piece, "id": "m"}, {"tags": []}]
    yield "messages", [{"type": "tool", "content": "$5"}, {"tags": []}]
    yield "end", None


def langgraph_growing(told):
    for at in range(len(told)):
        text = [{"type": "text", "text": "".join(told[: at + 1])}]
        yield "messages/partial|sub", [{"type": "ai", "content": text, "id": "m"}]
    yield "messages/complete", [{"type": "ai", "content": "".join(told), "id": "m"}]
    yield "messages/complete", [{"type": "human", "content": "What is it?", "id": "h"}]


def of_a2a(result):
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def a2a(told):
    for at, piece in enumerate(told):
        artifact = {"artifactId": "a", "parts": [{"kind": "text", "text": piece}]}
        yield of_a2a({"kind": "artifact-update", "artifact": artifact, "append": at > 0})
    yield of_a2a({"kind": "status-update", "status": {"state": "completed"}, "final": True})


def a2a_since_1(told):
    for piece in told[:-1]:
        yield of_a2a({"artifactUpdate": {"artifact": {"parts": [{"text": piece}]}}})
    yield of_a2a({"message": {"role": "ROLE_AGENT", "parts": [{"text": told[-1]}]}})


PATHS = {"dify": "/v1/chat-messages", "dify_workflow": "/v1/workflows/run",
         "langgraph": "/threads/t/runs/stream", "langgraph_growing": "/runs/stream"}  # fmt: skip
AGENTS = {each.__name__: each for each in (ag_ui, dify_workflow, langgraph, langgraph_growing, a2a,
                                           a2a_since_1)}  # fmt: skip
QUIET = (dialects.AG_UI, dialects.DIFY, dialects.LANGGRAPH, dialects.A2A)


def written(made):
    """Return the events of (name, data) or of data."""
    named = [each if isinstance(each, tuple) else (None, each) for each in made]
    return [frame for name, data in named for frame in sse(data, named=name)]


@SERVERS
@pytest.mark.asyncio
@pytest.mark.parametrize("name", AGENTS)
async def test_a_stream_of_agents_is_read_and_nothing_is_put_into_it(door, name):
    said = Shown("text/event-stream", written(AGENTS[name](pieces(TEXT))), PATHS.get(name, "/ask"))
    for form in ("header", "chunk", "attach", "event"):
        stored, got = await judged(door, said, form)
        assert got.body == said.body
        expected = json.loads(expected_result("text").model_dump_json())
        assert stored["result"]["text"] == expected["text"]
        assert stored["state"] == "complete"


def test_an_answer_of_a2a_in_one_piece_is_a_message_or_a_task():
    parts = [{"kind": "text", "text": TEXT}]
    for result in ({"kind": "message", "parts": parts}, {"artifacts": [{"parts": parts}]},
                   {"task": {"status": {"message": {"parts": parts}}}}):  # fmt: skip
        assert dialects.of_answer("/", of_a2a(result)) is dialects.A2A
        assert dialects.A2A.answer(of_a2a(result)) == {0: TEXT}
    assert dialects.A2A.answer({"jsonrpc": "2.0", "result": {}}) is None


def test_of_a2a_what_the_user_said_and_what_is_said_twice_do_not_count():
    asked = {"role": "user", "parts": [{"kind": "text", "text": "What does it cost?"}]}
    echoed = {"kind": "status-update", "status": {"state": "submitted", "message": asked}}
    answer = {"parts": [{"kind": "text", "text": TEXT}]}
    said = {"kind": "status-update", "status": {"state": "working", "message": answer}}
    again = {"kind": "artifact-update", "artifact": answer}
    assert read(dialects.A2A, sse(*map(of_a2a, (echoed, said, again))))[0] == TEXT


FAILED = {
    "ag_ui": ({"type": "RUN_STARTED"}, {"type": "RUN_ERROR", "message": "overloaded"}),
    "dify": ({"event": "message", "answer": "x"}, {"event": "error", "message": "overloaded"}),
    "langgraph": (("messages", []), ("error", {"message": "overloaded"})),
    "a2a": ({"jsonrpc": "2.0", "error": {"code": -32603, "message": "overloaded"}},),
}


@pytest.mark.parametrize("dialect", QUIET, ids=lambda dialect: dialect.name)
def test_an_error_of_a_protocol_of_agents_is_one(dialect):
    _, reader = read(dialect, written(FAILED[dialect.name]))
    assert reader.failed


@pytest.mark.parametrize(
    ("dialect", "made"),
    [
        (dialects.AG_UI, [{"type": "RUN_STARTED"}, {"type": "CUSTOM", "value": "It is $5."}]),
        (dialects.DIFY, [{"event": "workflow_finished", "data": {"outputs": {"a": "It is $5."}}}]),
        (dialects.DIFY, [{"event": "message", "answer": "x"}, {"event": "message_replace"}]),
        (dialects.AG_UI, [{"type": "STATE_SNAPSHOT", "snapshot": {"answer": "It is $5 a month."}}]),
        (dialects.AG_UI, [{"type": "RUN_FINISHED", "result": "It is $5 a month."}]),
        (dialects.A2A, [of_a2a({"parts": [{"kind": "data", "data": {"a": "It is $5 a month."}}]})]),
        (dialects.LANGGRAPH, [("tasks", {"result": "It is $5 a month."})]),
        (dialects.LANGGRAPH, [("events", {"data": {"chunk": {"content": "It is $5 a month."}}})]),
        (dialects.LANGGRAPH, [("messages/partial", [
            {"type": "ai", "content": [{"type": "new", "text": "It is $5."}], "id": "m"}])]),
        (dialects.LANGGRAPH, [("values", {"messages": [{"type": "ai", "content": "It is $5."}]})]),
        (dialects.LANGGRAPH, [("messages/partial", [{"type": "ai", "content": text, "id": "m"}])
                              for text in ("It is $5.", "It is not.")]),
    ],
)  # fmt: skip
def test_text_in_a_place_of_the_applications_choice_leaves_an_answer_unread(dialect, made):
    assert read(dialect, written(made))[1].unread


def test_a_task_that_failed_is_broken_and_calls_alone_are_read():
    status = {"status": {"state": "TASK_STATE_FAILED"}}
    for result in (status, {"statusUpdate": status}, {"task": status}):
        assert read(dialects.A2A, sse(of_a2a(result)))[1].broken
    ended = {"event": "workflow_finished", "data": {"status": "failed"}}
    assert read(dialects.DIFY, sse({"event": "text_chunk", "data": {"text": "x"}}, ended))[1].broken
    within = written((("messages", []), ("error|sub:1", {"message": "overloaded"})))
    assert read(dialects.LANGGRAPH, within)[1].failed
    call = {"type": "TOOL_CALL_START", "toolCallName": "price"}
    assert not read(dialects.AG_UI, sse({"type": "RUN_STARTED"}, call))[1].unread


@pytest.mark.parametrize("dialect", QUIET, ids=lambda dialect: dialect.name)
def test_nothing_of_ours_has_a_shape_in_a_protocol_that_is_only_read(dialect):
    reader = dialect.reader()
    assert isinstance(reader, QuietReader)
    assert (reader.addition("{}", None), reader.live(0, 0, "{}")) == (b"", b"")
    (event,) = SSEDecoder().feed(b"data: {}\n\n")
    assert reader.attached(event, "{}") is None
    assert reader.place(event) == "body"
    assert dialect.finished({}) == set()
    assert dialect.answer({"object": "list"}) is None
