"""Streams that bring passages and citations beside their text, in the forms of their protocols.

Written after the references that docs/wire.md names; the facts are made up.
"""

import json
from itertools import pairwise

from streamguard import Context, Policy
from streamguard.examiner import Examiner
from streamguard.wire.dialects import DIALECTS

OF_NAME = {dialect.name: dialect for dialect in DIALECTS}
# A passage, a sentence that it supports, and one that it does not.
FACTS = [
    ("The Basic plan costs $49 per month and includes one seat.",
     "The Basic plan costs $49 per month.", "The Basic plan costs $59 per month."),
    ("Refunds are paid within 14 days of the return.",
     "Refunds are paid within 14 days.", "Refunds are paid within 30 days."),
    ("The museum opens at 9:30 and closes at 18:00 on Sundays.",
     "On Sundays the museum closes at 18:00.", "On Sundays the museum closes at 20:00."),
    ("Battery life is 11 hours with the screen at half brightness.",
     "Battery life is 11 hours.", "Battery life is 16 hours."),
    ("The ferry to Vik sails on 3 May 2026 from pier 4.",
     "The ferry to Vik sails on 3 May 2026.", "The ferry to Vik sails on 8 May 2026."),
    ("Uploads are limited to 250 MB per file.",
     "Uploads are limited to 250 MB per file.", "Uploads are limited to 750 MB per file."),
    ("The deposit is 20% of the price and is due at booking.",
     "The deposit is 20% of the price.", "The deposit is 35% of the price."),
    ("Each room holds up to 12 guests.",
     "Each room holds up to 12 guests.", "Each room holds up to 18 guests."),
    ("The warranty lasts 24 months from delivery.",
     "The warranty lasts 24 months.", "The warranty lasts 36 months."),
    ("Parking costs €3.50 per hour in zone B.",
     "Parking in zone B costs €3.50 per hour.", "Parking in zone B costs €4.80 per hour."),
]  # fmt: skip


def sse(frames):
    """Return frames as the bytes of an event stream, named by their type where they have one."""
    named = ((f"event: {each['type']}\n" if "type" in each else "", each) for each in frames)
    return "".join(f"{name}data: {json.dumps(each)}\n\n" for name, each in named).encode()


def result_of(name, frames, context=None, cuts=()):
    """Return the result of a stream that comes in pieces, cut at these offsets."""
    dialect, data = OF_NAME[name], sse(frames)
    reader, decoder = dialect.reader(), dialect.decoder()
    examiner = Examiner("00" * 16, context or Context(), Policy())
    places = [0, *sorted(cut % len(data) for cut in cuts), len(data)]
    for start, end in pairwise(places):
        for event in decoder.feed(data[start:end]):
            texts = reader.read(event)
            for choice, brought in reader.brought():
                examiner.bring(choice, brought)
            for choice, text in texts.items():
                examiner.take(choice, (text,))
            examiner.turn()
    assert not reader.unread
    return examiner.close("complete").result


def responses(item, text, *annotations):
    """Return a stream of Responses: a tool's item, then a text with its annotations."""
    at = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    part = {"type": "output_text", "text": text, "annotations": list(annotations)}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}
    begun = {key: value for key, value in item.items() if key in ("type", "id")}
    kind = item["type"]
    return [
        {"type": "response.created", "response": {"id": "resp_1", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": f"response.{kind}.in_progress", "output_index": 0, "item_id": item["id"]},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.output_item.added", "output_index": 1,
         "item": {**message, "content": []}},
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        *({"type": "response.output_text.delta", **at, "delta": piece} for piece in pieces(text)),
        *({"type": "response.output_text.annotation.added", **at, "annotation_index": number,
           "annotation": each} for number, each in enumerate(annotations)),
        {"type": "response.output_text.done", **at, "text": text},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        {"type": "response.completed", "response": {"id": "resp_1", "output": [item, message]}},
    ]  # fmt: skip


def messages(*blocks):
    """Return a stream of Messages with these blocks; a text's citations come behind it."""
    frames = [{"type": "message_start", "message": {"id": "msg_1", "content": []}}]
    for index, block in enumerate(blocks):
        begun = {**block, "text": ""} if block["type"] == "text" else block
        begun = {key: value for key, value in begun.items() if key != "citations"}
        frames.append({"type": "content_block_start", "index": index, "content_block": begun})
        deltas = [{"type": "text_delta", "text": each} for each in pieces(block.get("text", ""))]
        cited = [{"type": "citations_delta", "citation": each}
                 for each in block.get("citations", ())]  # fmt: skip
        frames += [{"type": "content_block_delta", "index": index, "delta": delta}
                   for delta in deltas + cited]  # fmt: skip
        frames.append({"type": "content_block_stop", "index": index})
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    return [*frames, end, {"type": "message_stop"}]


def chat(first, text, last=()):
    """Return a stream of Chat Completions: a first delta, a text, and what else is in the last."""

    def chunk(delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}

    said = [chunk({"content": piece}) for piece in pieces(text)]
    begun = chunk({"role": "assistant", **first})
    return [begun, *said, *(chunk(delta) for delta in last), chunk({}, "stop")]


def gemini(text, grounding, *parts):
    """Return a stream of Gemini: parts that are no text, the text, and its grounding."""

    def response(parts, **more):
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **more}]}

    before = [response([part]) for part in parts]
    said = [response([{"text": piece}]) for piece in pieces(text)]
    last = response([], finishReason="STOP", groundingMetadata=grounding)
    return [*before, *said, last]


def cohere(text, *citations):
    """Return a stream of Cohere's chat: a text and its citations."""
    said = [{"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": each}}}}
            for each in pieces(text)]  # fmt: skip
    cited = [{"type": "citation-start", "index": number, "delta": {"message": {"citations": each}}}
             for number, each in enumerate(citations)]  # fmt: skip
    return [
        {"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}},
        {"type": "content-start", "index": 0,
         "delta": {"message": {"content": {"type": "text", "text": ""}}}},
        *said,
        {"type": "content-end", "index": 0},
        *cited,
        {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
    ]  # fmt: skip


def pieces(text):
    """Return a text as models write it, some characters at a time."""
    return [text[at : at + 9] for at in range(0, len(text), 9)]


# By what brings the passage: the dialect, how a stream of it says a text, the kind that it shows.
SOURCES = {
    "mcp_call": ("openai_responses", "mcp", lambda passage, text: responses(
        {"type": "mcp_call", "id": "mcp_1", "name": "find", "server_label": "docs",
         "output": passage, "error": None}, text)),
    "file_search_call": ("openai_responses", "file_search", lambda passage, text: responses(
        {"type": "file_search_call", "id": "fs_1", "queries": ["q"], "results": [
            {"file_id": "file-1", "filename": "plans.md", "score": 0.9, "text": passage}]}, text)),
    "code_interpreter_call": ("openai_responses", "code", lambda passage, text: responses(
        {"type": "code_interpreter_call", "id": "ci_1", "code": "print(answer)",
         "outputs": [{"type": "logs", "logs": passage}, {"type": "image", "url": "x"}]}, text)),
    "function_call_output": ("openai_responses", "tool", lambda passage, text: responses(
        {"type": "function_call_output", "id": "fo_1", "call_id": "call_1", "output": passage},
        text)),
    "mcp_tool_result": ("anthropic", "mcp", lambda passage, text: messages(
        {"type": "text", "text": "Let me look it up."},
        {"type": "mcp_tool_use", "id": "t1", "name": "find", "server_name": "d", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "t1", "is_error": False,
         "content": [{"type": "text", "text": passage}]},
        {"type": "text", "text": text})),
    "web_fetch_tool_result": ("anthropic", "web_fetch", lambda passage, text: messages(
        {"type": "server_tool_use", "id": "t1", "name": "web_fetch", "input": {}},
        {"type": "web_fetch_tool_result", "tool_use_id": "t1", "content": {
            "type": "web_fetch_result", "url": "https://example.org/a", "content": {
                "type": "document", "title": "A", "source": {
                    "type": "text", "media_type": "text/plain", "data": passage}}}},
        {"type": "text", "text": text})),
    "code_execution_tool_result": ("anthropic", "code", lambda passage, text: messages(
        {"type": "server_tool_use", "id": "t1", "name": "code_execution", "input": {}},
        {"type": "code_execution_tool_result", "tool_use_id": "t1", "content": {
            "type": "code_execution_result", "stdout": passage, "stderr": "", "return_code": 0,
            "content": []}},
        {"type": "text", "text": text})),
    "web_search_tool_result": ("anthropic", "citation", lambda passage, text: messages(
        {"type": "server_tool_use", "id": "t1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "t1", "content": [
            {"type": "web_search_result", "url": "https://example.org/a", "title": "A page",
             "encrypted_content": "Eo8K" * 40, "page_age": None}]},
        {"type": "text", "text": text, "citations": [
            {"type": "web_search_result_location", "url": "https://example.org/a",
             "title": "A page", "encrypted_index": "E0", "cited_text": passage}]})),
    "azure_context": ("openai_chat", "retrieval", lambda passage, text: chat(
        {"context": {"citations": [{"content": passage, "title": "Plans", "url": None,
                                    "filepath": "plans.md", "chunk_id": "0"}],
                     "intent": "[]"}}, text)),
    "url_citation": ("openai_chat", "citation", lambda passage, text: chat({}, text, [
        {"content": "", "annotations": [{"type": "url_citation", "url_citation": {
            "url": "https://example.org/a", "title": "A", "content": passage,
            "start_index": 0, "end_index": len(text)}}]}])),
    "grounding": ("gemini", "retrieval", lambda passage, text: gemini(text, {
        "groundingChunks": [{"retrievedContext": {
            "uri": "gs://b/plans.md", "title": "plans.md", "text": passage}}],
        "groundingSupports": [{"groundingChunkIndices": [0], "segment": {
            "startIndex": 0, "endIndex": len(text.encode()), "text": text}}]})),
    "code_execution_result": ("gemini", "code", lambda passage, text: gemini(
        text, {}, {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": passage}})),
    "cohere_document": ("cohere", "retrieval", lambda passage, text: cohere(text, {
        "start": 0, "end": len(text), "text": text, "type": "TEXT_CONTENT", "sources": [
            {"type": "document", "id": "doc:0", "document": {
                "id": "doc:0", "title": "Plans", "snippet": passage}}]})),
    "cohere_tool": ("cohere", "tool", lambda passage, text: cohere(text, {
        "start": 0, "end": len(text), "text": text, "sources": [
            {"type": "tool", "id": "find:0", "tool_output": {"content": passage}}]})),
    "ui_message": ("ui_message", "tool", lambda passage, text: [
        {"type": "start", "messageId": "m"},
        {"type": "tool-output-available", "toolCallId": "t1", "output": {"found": passage}},
        {"type": "text-start", "id": "1"},
        *({"type": "text-delta", "id": "1", "delta": each} for each in pieces(text)),
        {"type": "text-end", "id": "1"}, {"type": "finish"}]),
    "ag_ui": ("ag_ui", "tool", lambda passage, text: [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TOOL_CALL_RESULT", "messageId": "m1", "toolCallId": "t1", "content": passage},
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
        *({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": each}
          for each in pieces(text)),
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}]),
    "dify": ("dify", "retrieval", lambda passage, text: [
        *({"event": "message", "task_id": "t", "answer": each} for each in pieces(text)),
        {"event": "message_end", "task_id": "t", "metadata": {"retriever_resources": [
            {"position": 1, "document_name": "plans.md", "content": passage, "score": 0.9}]}}]),
}  # fmt: skip
