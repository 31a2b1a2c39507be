"""What requests of every protocol show: the question, and the sources that came with it."""

import json

import pytest

from streamguard.wire.requests.shown import context_of_request
from streamguard.wire.requests.tool_results import MAX_ITEMS

START, END = "=== DOCUMENT CONTEXT START ===", "=== DOCUMENT CONTEXT END ==="


def user(content, **more):
    return {"role": "user", "content": content, **more}


def text(words):
    return {"type": "text", "text": words}


def tool_use(result, id="toolu_1"):
    return {"type": "tool_result", "tool_use_id": id, "content": result}


def document(kind, **more):
    return {"type": "document", "title": "Plans", "source": {"type": kind, **more}}


FOUND = json.dumps({"results": [{"id": "d7", "title": "Plans", "base_price": 10.50}, "Free."]})
# Request, question, chunks as (id, text), whether citations were asked for.
REQUESTS = {
    "responses: an input of words": (
        {"instructions": f"{START}\n[C1] One.\n[C2] Two.\n{END}", "input": "Which?"}, "Which?",
        [("C1", "One."), ("C2", "Two.")], False,
    ),
    "responses: instructions that end with the question": (
        {"instructions": "[C1] One.\n\nQuestion: Which?"}, "Which?", [("C1", "One.")], False,
    ),
    "responses: messages and what a function returned": (
        {"input": [
            user([{"type": "input_text", "text": "What does it cost?"}]),
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "It costs $10."},
        ]},
        "What does it cost?", [("tool:c1", "It costs $10.")], False,
    ),
    "responses: an output in parts, and a file search": (
        {"input": [
            user("?"),
            {"type": "custom_tool_call_output", "call_id": "c1",
             "output": [{"type": "input_text", "text": "A."}]},
            {"type": "file_search_call", "id": "fs",
             "results": [{"filename": "a.md", "text": "B."}]},
        ]},
        "?", [("tool:c1", "A."), ("tool:fs/1", "filename: a.md\ntext: B.")], False,
    ),
    "chat: a tool's list, each element by itself": (
        {"messages": [
            user("What does it cost?"), {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "tool_call_id": "call_1", "content": FOUND},
        ]},
        "What does it cost?",
        [("tool:d7", "title: Plans\nbase price: 10.5"), ("tool:call_1/2", "Free.")], False,
    ),
    "chat: a function's words": (
        {"messages": [user("?"), {"role": "function", "name": "f", "content": "Free."}]}, "?",
        [("tool:result", "Free.")], False,
    ),
    "chat: passages and a tool": (
        {"messages": [
            user("[C1] One.\nQuestion: Which?"),
            {"role": "tool", "tool_call_id": "t", "content": "Two."},
        ]},
        "Which?", [("C1", "One."), ("tool:t", "Two.")], False,
    ),
    "chat: a tool that returned passages": (
        {"messages": [user("Which?"), {"role": "tool", "content": "[C1] One.\n[C2] Two."}]},
        "Which?", [("tool:C1", "One."), ("tool:C2", "Two.")], False,
    ),
    "chat: a tool that returned nothing": (
        {"messages": [user("Which?"), {"role": "tool", "tool_call_id": "t", "content": " "}]},
        "Which?", None, False,
    ),
    "anthropic: the system prompt in blocks": (
        {"system": [text("Rules."), text("[C1] One.")], "messages": [user("Which?")]}, "Which?",
        [("C1", "One.")], False,
    ),
    "anthropic: documents": (
        {"messages": [user([
            document("text", media_type="text/plain", data="One."),
            document("content", content=[text("Two."), text("Three.")]),
            document("content", content="Four."), document("base64", data="JVBE"),
            {"type": "search_result", "source": "u", "content": [text("Five.")]}, text("Which?"),
        ])]},
        "Which?",
        [(None, "One."), (None, "Two."), (None, "Three."), (None, "Four."), (None, "Five.")], False,
    ),
    "anthropic: tool results leave the question as it is": (
        {"messages": [
            user("Which?"),
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1"}]},
            user([tool_use([text("One."), {"type": "search_result", "content": [text("A.")]}])]),
        ]},
        "Which?", [("tool:toolu_1", "One."), (None, "A.")], False,
    ),
    "anthropic: a tool result of words, with a new question": (
        {"messages": [user([tool_use("One."), text("And now?")])]}, "And now?",
        [("tool:toolu_1", "One.")], False,
    ),
    "ollama: generate": (
        {"model": "m", "system": "[C1] One.", "prompt": "Which?"}, "Which?",
        [("C1", "One.")], False,
    ),
    "ollama: a tool without an id": (
        {"messages": [user("?"), {"role": "tool", "tool_name": "f", "content": '{"a_b": true}'}]},
        "?", [("tool:result", "a b: true")], False,
    ),
    "ui: parts, and what tools put out": (
        {"messages": [
            {"role": "user", "parts": [text("Which?")]},
            {"role": "assistant", "parts": [
                text("I look."),
                {"type": "tool-price", "toolCallId": "t1", "output": {"price": "$10"}},
                {"type": "dynamic-tool", "toolCallId": "t2", "output": "Words."},
                {"type": "tool-slow", "toolCallId": "t3", "state": "input-available"},
            ]},
        ]},
        "Which?", [("tool:t1", "price: $10"), ("tool:t2", "Words.")], False,
    ),
    "by hand: a question": ({"question": "Which?"}, "Which?", None, False),
    "by hand: an address's query": ({"q": "Which?", "page": "1"}, "Which?", None, False),
    "nothing": ({}, None, None, False),
}  # fmt: skip


def chunks(context):
    return None if context.chunks is None else [(c.id, c.text) for c in context.chunks]


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_shows_its_question_and_its_sources(name):
    request, query, expected, cited = REQUESTS[name]
    context = context_of_request(request)
    assert (context.query, chunks(context), context.citations_requested) == (query, expected, cited)


ODD = [
    {"messages": [user([tool_use(3), tool_use(None), tool_use([3, None, {"type": "document"}])])]},
    {"input": [{"type": "function_call_output"}, {"type": "file_search_call", "results": 3}, 7]},
    {"messages": [user([{"type": "document", "source": 3}, {"type": "search_result"}])]},
    {"messages": [{"role": "assistant", "parts": [{"type": "tool-x"}, {"type": 3}]}]},
    {"system": {"a": 1}, "instructions": [3], "prompt": {"id": "p"}, "input": {"x": 1}},
]


@pytest.mark.parametrize("request_", ODD)
def test_requests_of_any_shape_are_read_without_harm(request_):
    context = context_of_request(request_)
    assert not context.chunks
    assert context.query is None


def tool_chunks(result):
    message = {"role": "tool", "tool_call_id": "t", "content": result}
    return chunks(context_of_request({"messages": [message]}))


RESULTS = [
    ("plain words", [("tool:t", "plain words")]),
    ('{"a": 1.50, "b": null, "c": {"d": [1, "x"]}}', [("tool:t", "a: 1.50\nc: d: 1\nx")]),
    ('["One.", {"text": "Two.", "url": "u"}]',
     [("tool:t/1", "One."), ("tool:t/2", "text: Two.\nurl: u")]),
    ('{"hits": [{"x": "A"}], "total_count": 3}',
     [("tool:t/1", "x: A"), ("tool:t/0", "total count: 3")]),
    ('{"a": [{"x": "A"}], "b": [{"x": "B"}]}', [("tool:t", "a: x: A\nb: x: B")]),
    ('{"a": ["A", "B"]}', [("tool:t", "a: A\nB")]),
    ("{broken", [("tool:t", "{broken")]),
    ("[1, 2", [("tool:t", "[1, 2")]),
    ("{}", None),
    ("[]", None),
    ("[" * 5_000, [("tool:t", "[" * 5_000)]),
]  # fmt: skip


@pytest.mark.parametrize(("result", "expected"), RESULTS)
def test_a_tools_result_is_read_as_text_and_its_figures_as_they_are_written(result, expected):
    assert tool_chunks(result) == expected


def test_a_long_list_is_one_chunk_and_deep_nesting_is_cut():
    assert len(tool_chunks(json.dumps(["x"] * MAX_ITEMS))) == MAX_ITEMS
    assert len(tool_chunks(json.dumps(["x"] * (MAX_ITEMS + 1)))) == 1
    deep = '{"a":' * 50 + '"x"' + "}" * 50
    assert tool_chunks(f'{{"k": "seen", "deep": {deep}}}') == [("tool:t", "k: seen")]
