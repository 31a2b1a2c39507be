"""What one frame brings beside its text: passages, and the names that its citations have."""

import json

import pytest

from streamguard.core.model.brought import Brought
from tests.kit.bringing import OF_NAME

LONG = "The fee is $5. " * 5_000
PICTURE = "iVBORw0KGgo" * 9_000
URL = {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 2}


def item(kind, **fields):
    return {"type": "response.output_item.done", "item": {"type": kind, "id": "i", **fields}}


def annotated(kind, **fields):
    annotation = {"type": kind, "file_id": "f", **fields}
    return {"type": "response.output_text.annotation.added", "annotation": annotation}


def block(kind, content=None, **fields):
    result = {"type": kind, "tool_use_id": "t", "content": content, **fields}
    return {"type": "content_block_start", "content_block": result}


# Frame, labels and texts of its passages, and what its citations name.
RESPONSES = [
    (item("mcp_call", output='[{"id": "a", "fee": 5}, {"fee": 7}]'),
     [("mcp:a", "fee: 5"), ("mcp:i/2", "fee: 7")], []),
    (item("mcp_call", output="$5", error="it broke off"), [], []),
    (item("mcp_call", output={"fee": 5}), [("mcp:i", "fee: 5")], []),
    (item("mcp_call", output=[{"fee": 5}, 7]), [("mcp:i/1", "fee: 5"), ("mcp:i/2", "7")], []),
    (item("mcp_call", output=LONG), [("mcp:i", LONG.strip())], []),
    (item("mcp_call", output="Fee: $5 " + PICTURE), [("mcp:i", "Fee: $5")], []),
    (item("mcp_call", output=json.dumps([5] * 2_100)), [("mcp:i", json.dumps([5] * 2_100))], []),
    (item("web_search_call", action={"sources": [{"type": "url", "url": "u"}]}), [], []),
    (item("web_search_call", results=[{"url": "u", "snippet": "The fee is $5."}]),
     [("web_search:1", "The fee is $5.")], []),
    (item("shell_call_output", output=[{"stdout": "5", "stderr": "no 6"}]),
     [("code:i", "5\nno 6")], []),
    (item("local_shell_call_output", output="5 of 6"), [("code:i", "5 of 6")], []),
    (item("function_call_output", call_id="f", output=[
        {"type": "input_text", "text": "The fee is $5."}, {"type": "input_image"}]),
     [("tool:f", "The fee is $5.")], []),
    (item("image_generation_call", result=PICTURE), [], []),
    (annotated("file_path", index=3), [], []),
    (annotated("container_file_citation", start_index=0, end_index=3), [], [("f",)]),
    ({"object": "response", "output": [
        {"type": "file_search_call", "id": "s", "results": None},
        {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]},
        {"type": "message", "content": [{"type": "output_text", "text": "$5",
                                         "annotations": [URL]}]}]}, [], [("u", "t")]),
]  # fmt: skip
MESSAGES = [
    (block("mcp_tool_result", "$5", is_error=True), [], []),
    (block("mcp_tool_result", [{"type": "text", "text": "$5"}, {"type": "image"}]),
     [("mcp:t", "$5")], []),
    (block("web_search_tool_result", {"type": "web_search_tool_result_error"}), [], []),
    (block("web_search_tool_result", [{"url": "u", "encrypted_content": PICTURE}]), [], []),
    (block("web_search_tool_result", [{"url": "u", "content": [{"type": "text", "text": "$5"}]}]),
     [("web_search:t/1", "$5")], []),
    (block("web_fetch_tool_result", {"content": {
        "type": "document", "source": {"type": "base64", "data": PICTURE}}}), [], []),
    (block("bash_code_execution_tool_result", {"stdout": "5", "stderr": ""}),
     [("code:t", "5")], []),
    (block("thinking"), [], []),
    (block("tool_search_tool_result", {"tool_references": [{"tool_name": "$5"}]}), [], []),
    ({"type": "message", "content": [
        {"type": "text", "text": "It is ", "citations": None}, {"type": "thinking"},
        {"type": "text", "text": "$5.", "citations": [
            {"type": "search_result_location", "source": "u", "title": "t", "cited_text": "$5"}]}]},
     [], [("u", "t")]),
]  # fmt: skip
CHAT = [
    ({"choices": [{"message": {"context": {
        "citations": [{"content": "$5", "filepath": "a.md"}],
        "all_retrieved_documents": [{"content": "$5"}, {"content": "$6"}]}}}]},
     [("retrieval:doc1", "$5"), ("retrieval:retrieved2", "$6")], []),
    ({"search_results": [{"url": "u", "snippet": "$5"}, {"url": "v"}], "choices": [{"delta": {}}]},
     [("web_search:1", "$5")], []),
    ({"choices": [{"delta": {"annotations": [
        {"type": "url_citation", "url_citation": URL}, {"type": "else"}, "no"]}}]},
     [], [("u", "t")]),
    ({"choices": [{"index": 0, "text": "It"}]}, [], []),
]  # fmt: skip
GEMINI = [
    ({"candidates": [{"groundingMetadata": {
        "groundingChunks": [{"web": {"uri": "u", "title": "t"}}, {}, {"maps": {"text": "$5"}}],
        "groundingSupports": [{"segment": {"endIndex": 3, "text": "One"},
                               "groundingChunkIndices": [0, 2, 9, "1"]}, {}]}}]},
     [("retrieval:3", "$5")], [("retrieval:1", "t"), ("retrieval:3",)]),
    ({"candidates": [{"content": {"parts": [{"codeExecutionResult": {"output": "5 of 6"}}]}}]},
     [("code:code", "5 of 6")], []),
]  # fmt: skip
COHERE = [
    ({"type": "citation-start", "delta": {"message": {"citations": {
        "type": "PLAN", "sources": [{"type": "document", "id": "d"}]}}}}, [], []),
    ({"id": "m", "finish_reason": "COMPLETE", "message": {"citations": [
        {"start": 0, "end": 2, "text": "$5", "sources": [
            {"type": "document", "id": "d", "document": {"data": {"title": "t", "text": "$5"}}},
            {"type": "document", "id": "e"}, {"type": "tool", "id": "f:0"}]}]}},
     [("retrieval:d", "$5")], [("retrieval:d",), ("e",), ("f:0",)]),
]  # fmt: skip
OTHERS = [
    ("ui_message", {"type": "tool-output-error", "toolCallId": "t", "errorText": "$5"}, [], []),
    ("ag_ui", {"type": "TOOL_CALL_ARGS", "toolCallId": "t", "delta": "$5"}, [], []),
    ("dify", {"event": "message_end", "metadata": {"retriever_resources": [{"content": " "}]}},
     [], []),
    ("dify", {"event": "message", "answer": "$5"}, [], []),
]  # fmt: skip
BRINGS = [
    *(("openai_responses", *case) for case in RESPONSES),
    *(("anthropic", *case) for case in MESSAGES),
    *(("openai_chat", *case) for case in CHAT),
    *(("gemini", *case) for case in GEMINI),
    *(("cohere", *case) for case in COHERE),
    *OTHERS,
]


@pytest.mark.parametrize(("dialect", "frame", "passages", "cited"), BRINGS)
def test_what_a_frame_brings(dialect, frame, passages, cited):
    brought = [each for _, each in OF_NAME[dialect].reader().brings(frame)]
    assert [(each.id, each.text) for one in brought for each in one.passages] == passages
    assert [each.names for one in brought for each in one.citations] == cited
    assert not any(each.over for each in brought)


def test_every_result_of_a_call_ends_the_wait_for_it():
    for kind in ("mcp", "web_search", "web_fetch", "code_execution", "tool_search", "new"):
        frame = block(f"{kind}_tool_result", {"type": f"{kind}_tool_result_error"})
        assert [each.returns for _, each in OF_NAME["anthropic"].reader().brings(frame)] == ["t"]
    for kind in ("mcp_call", "file_search_call", "web_search_call", "code_interpreter_call"):
        begun = {**item(kind), "type": "response.output_item.added"}
        for frame, name in ((begun, "awaits"), (item(kind, status="failed"), "returns")):
            ((_, brought),) = OF_NAME["openai_responses"].reader().brings(frame)
            assert getattr(brought, name) == "i"


def test_of_a_frame_so_many_elements_are_read():
    cited = [{"content": f"Plan {number}."} for number in range(150)]
    frame = {"choices": [{"index": n, "delta": {"context": {"citations": cited}}} for n in (0, 1)]}
    brought = [*OF_NAME["openai_chat"].reader().brings(frame)]
    assert [len(each.passages) for _, each in brought] == [150, 50, 0]
    assert brought[-1] == (0, Brought(over=True))
    assert not any(each.over for _, each in OF_NAME["openai_chat"].brought(frame))
