"""Documents, calls and citations in frameworks' items, told by shape; their own packages are
tried in tests/integrations/test_evidence.py."""

from types import SimpleNamespace as Object

import pytest

from streamguard import Context, guard_sync
from streamguard.adapters import adapter_for_stream
from streamguard.framework_evidence import (
    MAX_SEEN,
    LangChainEvidence,
    PydanticAIEvidence,
    brought_by_llama_index,
    documents_in,
)
from streamguard.framework_items import is_langchain, langchain_text
from streamguard.wire.brought.tool_passages import MAX_LISTED
from tests.kit.tables import differing


def document(text="The fee is $5.", **more):
    return Object(page_content=text, metadata={}, **more)


def node(text="The fee is $5."):
    return Object(get_content=lambda: text, node_id="n", metadata={"file_name": "a.md"})


def unreadable():
    raise ValueError("node must be a text node")


def message(kind, content="", **more):
    return Object(type=kind, content=content, **more)


HELD = [
    (document(), ["retrieval:1"]),
    (document(id="d"), ["retrieval:d"]),
    ([document(), document("It is $6.")], ["retrieval:1", "retrieval:2"]),
    ({"a": {"b": [document(id="d")]}, "c": "text"}, ["retrieval:d"]),
    (Object(node=1, **vars(node())), ["retrieval:n"]),
    (Object(source_nodes=[node()]), ["retrieval:n"]),
    (Object(content="It is $5.", meta={}, id="h"), ["retrieval:h"]),
    (document(" "), []),
    (document(id=object()), []),
    (Object(get_content=unreadable, node_id="n"), []),
    (Object(page_content=5), []),
    ("text", []),
    ([None, 3, b"", object()], []),
    ([[0]] * (MAX_SEEN + 5), []),
]


def test_documents_are_found_wherever_they_stand():
    for value, ids in HELD:
        assert [chunk.id for chunk in documents_in(value)] == ids
    held = [chunk.source for chunk in documents_in(node())]
    assert held == ["a.md"]


def event(name, data, run="r"):
    return {"event": name, "run_id": run, "data": data, "name": "look_up"}


CALLS = [{"id": "c", "name": "look_up"}, {"id": None}]
LANGCHAIN = [
    (event("on_tool_start", {}), [("r", None, [])]),
    (event("on_tool_error", {"error": "x"}), [(None, "r", [])]),
    (event("on_tool_end", {"output": "It is $5."}), [(None, "r", ["tool:look_up"])]),
    (event("on_tool_end", {"output": message("tool", "$5", tool_call_id="c")}),
     [(None, "r", ["tool:c"])]),
    (event("on_retriever_end", {"output": [document(id="d")]}), [(None, "r", ["retrieval:d"])]),
    (event("on_chain_end", {"output": {"context": [document(id="d")]}}),
     [(None, "r", ["retrieval:d"])]),
    (event("on_chain_stream", {"chunk": {"context": [document()]}}), []),
    (event("on_chat_model_stream", {"chunk": message("AIMessageChunk", tool_call_chunks=CALLS)}),
     []),
    ((message("ai", tool_calls=CALLS), {}), [("c", None, [])]),
    ((message("tool", "It is $5.", tool_call_id="c", artifact="else"), {}),
     [(None, "c", ["tool:c"])]),
    (("updates", {"retrieve": {"context": [document(id="d")]}}), [(None, None, ["retrieval:d"])]),
    (message("ai", [{"type": "server_tool_result", "status": "error", "output": "$5",
                     "tool_call_id": "s"}]), [(None, "s", [])]),
    (message("ai", ["$5", 3, {"type": "image"}]), []),
    (message("human", "$5"), []),
]  # fmt: skip


def told(brought):
    return [(one.awaits, one.returns, [chunk.id for chunk in one.passages]) for _, one in brought]


def test_what_langchain_s_items_bring():
    def read(number):
        return told(LangChainEvidence().brings(LANGCHAIN[number][0]))

    assert differing([(n, brought) for n, (_, brought) in enumerate(LANGCHAIN)], read) == []
    wide = message("ai", [{"type": "text"}] * (MAX_LISTED + 1), id="m")
    assert [*LangChainEvidence().brings(wide)][-1][1].over


def test_the_modes_of_a_graph_are_told_from_text():
    chunk = message("AIMessageChunk", "It is $5.")
    said = [
        ("messages", (chunk, {})), (("sub",), "messages", (chunk, {})),
        {"type": "messages", "ns": (), "data": (chunk, {})}, (chunk, {}), chunk,
        event("on_chat_model_stream", {"chunk": chunk}),
    ]  # fmt: skip
    assert [langchain_text(item) for item in said] == ["It is $5."] * len(said)
    assert all(map(is_langchain, said))
    quiet = [
        ("updates", {"model": {"messages": [chunk]}}), ("messages", ()), ("messages", None),
        {"type": "custom", "ns": (), "data": chunk}, event("on_chain_stream", {"chunk": chunk}),
    ]  # fmt: skip
    assert [langchain_text(item) for item in quiet] == [""] * len(quiet)
    others = [
        ("a", "b"),
        ("other", chunk, {}),
        {"type": "else", "ns": (), "data": 1},
        (1, 2, 3),
        (),
    ]
    assert not any(map(is_langchain, others))


def part(kind, **more):
    return Object(part_kind=kind, tool_call_id="t", **more)


def pydantic_event(kind, **more):
    return Object(event_kind=kind, **more)


PYDANTIC = [
    (pydantic_event("function_tool_call", part=part("tool-call")), [("t", None, [])]),
    (pydantic_event("function_tool_result", result=part("tool-return", content="$5")),
     [(None, "t", ["tool:t"])]),
    (pydantic_event("function_tool_result", part=part("retry-prompt", content="$5")),
     [(None, "t", [])]),
    (pydantic_event("function_tool_result",
                    part=part("tool-return", content="$5", outcome="failed")), [(None, "t", [])]),
    (pydantic_event("function_tool_result", part=part("tool-return", content=[document(id="d")])),
     [(None, "t", ["retrieval:d"])]),
    (pydantic_event("part_start", index=0, part=part("builtin-tool-call")), [("t", None, [])]),
    (pydantic_event("part_start", index=0, part=part(
        "builtin-tool-return", tool_name="web_search",
        content=[{"type": "web_search_result", "url": "u", "encrypted_content": "AAAA"}])),
     [(None, "t", [])]),
    (pydantic_event("part_start", index=0, part=part("thinking")), []),
    (pydantic_event("part_end", index=0), []),
]  # fmt: skip


def test_what_pydantic_ai_s_events_bring():
    def read(number):
        return told(PydanticAIEvidence().brings(PYDANTIC[number][0]))

    assert differing([(n, brought) for n, (_, brought) in enumerate(PYDANTIC)], read) == []
    wide = pydantic_event("part_delta", index=0, delta=Object(citations_delta=[0, {}] * MAX_LISTED))
    assert [*PydanticAIEvidence().brings(wide)][-1][1].over


def result_of_tool(**more):
    return Object(tool_id="t", tool_output=Object(content="It is $5.", **more))


LLAMA = [
    (Object(tool_id="t", tool_name="a"), [("t", None, [])]),
    (result_of_tool(raw_output=3), [(None, "t", ["tool:t"])]),
    (result_of_tool(raw_output=[node()]), [(None, "t", ["retrieval:n"])]),
    (result_of_tool(is_error=True), [(None, "t", [])]),
    (Object(nodes=[node()]), [(None, None, ["retrieval:n"])]),
    (Object(result=Object(source_nodes=[node()])), [(None, None, ["retrieval:n"])]),
    (Object(delta="It"), []),
]


def test_what_llama_index_s_items_bring():
    def read(number):
        return told(brought_by_llama_index(LLAMA[number][0]))

    assert differing([(n, brought) for n, (_, brought) in enumerate(LLAMA)], read) == []


@pytest.mark.parametrize("raw", ["text", None, {"else": 1}])
def test_a_provider_s_frame_of_no_known_shape_brings_nothing(raw):
    item = Object(delta="It", raw=raw, additional_kwargs={})
    assert [*adapter_for_stream(item).brings(item)] == []


@pytest.mark.parametrize("text", ["answer", lambda item: item.get("answer")])
def test_a_stream_of_dicts_brings_its_documents(text):
    items = [
        {"context": [document("The fee is $5.")]},
        {"answer": "The fee "},
        {"answer": "is $6."},
    ]
    with guard_sync(items, text=text, context=Context(query="What is the fee?")) as stream:
        list(stream.items())
    assert [one.where for one in stream.result.context_source] == ["retrieval"]
    assert stream.result.status == "REFUSE"
