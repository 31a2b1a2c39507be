"""Which rows of which logs are read as answers, and what they are checked against."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.audit.logged import Logged, NoAnswer, read_mapping, read_row
from streamguard.errors import ConfigError, DecodeError

PASSAGE = "Basic costs $49 per month."
SYSTEM = {"role": "system", "content": f"Answer from these passages.\n\n[1] {PASSAGE}"}
ASKED = {"role": "user", "content": "What does Basic cost?"}
SAID = {"role": "assistant", "content": "It costs $49."}
COMPLETION = {
    "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt",
    "choices": [{"index": 0, "message": SAID, "finish_reason": "stop"}],
}  # fmt: skip
RESPONSE = {
    "id": "resp-1", "object": "response", "model": "gpt",
    "output": [{"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": "It costs $49."}]}],
}  # fmt: skip

# Each is one answer to one question with one passage; where they come from is in docs/audit.md.
ROWS = {
    "plain": {"question": ASKED["content"], "chunks": [PASSAGE], "answer": "It costs $49."},
    "a chat": {"messages": [SYSTEM, ASKED, SAID]},
    "a chat beside its completion": {"messages": [SYSTEM, ASKED], **COMPLETION},
    "request and response": {"request": {"messages": [SYSTEM, ASKED]}, "response": COMPLETION},
    "a batch, joined": {"custom_id": "7", "request": {"body": {"messages": [SYSTEM, ASKED]}},
     "response": {"status_code": 200, "body": COMPLETION}},
    "a log with its response": {"messages": [SYSTEM, ASKED], "response": COMPLETION},
    "a response beside its input": {"input": [SYSTEM, ASKED], **RESPONSE},
    "a response to a request": {"request": {"input": [SYSTEM, ASKED]}, "response": RESPONSE},
    "another provider's": {"request": {"system": SYSTEM["content"], "messages": [ASKED]},
     "response": {"type": "message", "role": "assistant", "model": "claude",
     "content": [{"type": "text", "text": "It costs $49."}]}},
    "an observation of Langfuse": {"id": "o", "trace_id": "t", "type": "GENERATION",
     "input": json.dumps({"messages": [SYSTEM, ASKED]}), "output": json.dumps(SAID)},
    "an observation, as messages": {"id": "o", "traceId": "t", "type": "GENERATION",
     "input": [SYSTEM, ASKED], "output": "It costs $49."},
    "a data frame's span of Phoenix": {"context.span_id": "s", "span_kind": "LLM",
     "attributes.llm.input_messages": [{"message.role": each["role"],
     "message.content": each["content"]} for each in (SYSTEM, ASKED)],
     "attributes.llm.output_messages": [{"message.role": "assistant",
     "message.content": "It costs $49."}]},
    "a span with flat attributes": {"context": {"span_id": "s"},
     "attributes": {"openinference.span.kind": "LLM",
     "llm.input_messages.0.message.role": "system",
     "llm.input_messages.0.message.content": SYSTEM["content"],
     "llm.input_messages.1.message.role": "user",
     "llm.input_messages.1.message.content": ASKED["content"],
     "llm.output_messages.0.message.role": "assistant",
     "llm.output_messages.0.message.content": "It costs $49."}},
    "a span with values and documents": {"span_kind": "LLM",
     "attributes": {"input": {"value": ASKED["content"]}, "output": {"value": "It costs $49."},
     "retrieval": {"documents": [{"document": {"content": PASSAGE, "id": 1}}]}}},
    "a span with a frame's documents": {"span_kind": "LLM",
     "attributes.input.value": ASKED["content"], "attributes.output.value": "It costs $49.",
     "attributes.retrieval.documents": [{"document.content": PASSAGE}]},
}  # fmt: skip


ROWS["a span whose parts have dotted keys"] = {"attributes": {
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": ASKED["content"],
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.contents.0.message_content.type": "text",
    "llm.output_messages.0.message.contents.0.message_content.text": "It costs $49.",
    "llm.output_messages.\u00b2.message.role": "assistant",
    "retrieval.documents.0.document.content": PASSAGE,
}}  # fmt: skip
NAMED = {  # the id and model that rows tell, where they tell one
    "a batch, joined": ("7", "gpt"),
    "request and response": (None, "gpt"),
    "a chat beside its completion": ("chatcmpl-1", "gpt"),
    "an observation of Langfuse": ("o", None),
    "a span with flat attributes": ("s", None),
    "plain": (None, None),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_each_known_log_is_question_passage_and_answer(name):
    read = read_row(ROWS[name])
    assert isinstance(read, Logged)
    assert dict(read.texts) == {0: "It costs $49."}
    assert read.context.query == ASKED["content"]
    assert [chunk.text for chunk in read.context.chunks] == [PASSAGE]
    assert name not in NAMED or (read.id, read.model) == NAMED[name]


CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {}}]}


def test_another_span_of_a_trace_and_a_call_of_tools_are_no_answer():
    rows = [
        ({"type": "SPAN", "input": None, "output": None}, "SPAN"),
        ({"span_kind": "RETRIEVER", "attributes.input.value": "q"}, "RETRIEVER"),
        ({"attributes": {"http.method": "GET"}}, "span"),
        ({"messages": [ASKED, CALL]}, "tool_call"),
        ({"messages": [ASKED], "choices": [{"index": 0, "message": CALL}]}, "tool_call"),
        ({"type": "GENERATION", "input": [ASKED], "output": CALL}, "tool_call"),
    ]
    assert [read_row(row) for row, _ in rows] == [NoAnswer(kind) for _, kind in rows]


UNKNOWN = [{"type": "markdown", "text": "Basic costs $59 a month."}]


def said_by_assistant(content):
    return {"messages": [ASKED, {"role": "assistant", "content": content}]}


def test_a_row_that_cannot_be_read_says_what_was_seen():
    """One whose text is found in part or not at all is none that may pass for an answer."""
    for row, seen in (
        ([1], r"it is \[1\], expected an object with answer"),
        ({}, "it has no key, expected"),
        ({"text": "a", "score": 1}, "it has score, text, expected"),
        ({"answer": 3}, "answer is 3, expected a string"),
        ({"answer": "a", "question": 3}, "question is 3, expected a string or null"),
        ({"answer": "a", "chunks": 3}, "chunks is 3, expected a list or a string"),
        ({"answer": "a", "chunks": [3]}, r"chunks\[0\] is a int"),
        ({"messages": [ASKED]}, "the last of its messages is no assistant's"),
        ({"messages": []}, "the last of its messages is no assistant's"),
        ({"input": "q", "output": None}, "no text was found in its answer, which is missing"),
        ({"input": "q", "output": 3}, "no text was found in its answer, which is 3"),
        ({"input": "q", "output": {"x": 1}}, "no text was found in its answer"),
        (said_by_assistant(UNKNOWN), "its answer has parts that are not read"),
        (said_by_assistant([{"type": "text", "text": "It costs $49."}, *UNKNOWN]),
         "parts that are not"),
        (said_by_assistant({"md": "It costs $59 a month."}),
         "its answer has parts that are not read"),
        ({"type": "GENERATION", "input": [ASKED], "output": {**SAID, "content": UNKNOWN}}, "parts"),
        ({"messages": [ASKED], "choices": []}, "no text was found in its answer"),
        ({"messages": [ASKED], "choices": None}, "no text was found in its answer"),
    ):  # fmt: skip
        with pytest.raises((ConfigError, DecodeError), match=seen):
            read_row(row)


def test_passages_and_answers_may_be_json_in_a_string():
    assert read_row({"input": "q", "output": '{"price": 49}'}).texts == {0: '{"price": 49}'}
    assert read_row({"input": "q", "output": "[1, 2"}).texts == {0: "[1, 2"}
    assert read_row({"input": None, "output": ["a", "b"]}).texts == {0: "b"}
    marked = read_row({"answer": "a", "chunks": "[C1] One.\n[C2] Two."})
    listed = read_row({"answer": "a", "chunks": '["One.", {"document": {"content": "Two."}}]'})
    assert [c.text for c in marked.context.chunks] == ["One.", "Two."]
    assert [c.text for c in listed.context.chunks] == ["One.", "Two."]
    assert read_row({"answer": "a"}).context.chunks is None
    assert read_row({"answer": "a", "chunks": []}).context.chunks == ()


MAPPED = {
    "input": '{"query": "What does Basic cost?", "docs": [{"text": "Basic costs $49."}]}',
    "output.text": "It costs $49.",
    "meta": {"n": 3, "model": "m"},
    "turns": [SYSTEM, ASKED],
}


def test_a_mapping_says_where_things_stand():
    said = "question=input.query, answer=output.text, chunks=input.docs, id=meta.n,model=meta.model"
    read = read_row(MAPPED, read_mapping(said))
    assert (read.context.query, read.texts) == (ASKED["content"], {0: "It costs $49."})
    assert [chunk.text for chunk in read.context.chunks] == ["Basic costs $49."]
    assert (read.id, read.model) == ("3", "m")
    read = read_row(MAPPED, read_mapping("messages=turns,answer=output.text"))
    assert [chunk.text for chunk in read.context.chunks] == [PASSAGE]
    read = read_row(MAPPED, read_mapping("messages=turns,answer=output.text,chunks=input.docs"))
    assert (read.context.query, len(read.context.chunks)) == (ASKED["content"], 1)
    chat = read_row({"log": [ASKED, SAID]}, read_mapping("messages=log"))
    assert chat.texts == {0: "It costs $49."}
    row = {"runs": [{"a": "one"}, {"a": "two"}]}
    assert read_row(row, read_mapping("answer=runs.1.a")).texts == {0: "two"}


def test_a_mapping_that_is_none_or_leads_nowhere_is_told():
    for said, seen in (
        ("answr=a", "--map has 'answr=a', expected FIELD=PLACE with one of question, answer"),
        ("answer", "--map has 'answer', expected FIELD=PLACE"),
        ("question=a", "--map is 'question=a', expected a place of the answer"),
        ("answer=nothing", "which is missing"),
        ("answer=input.nothing", "which is missing"),
        ("answer=meta.n.deeper", "which is missing"),
    ):
        with pytest.raises((ConfigError, DecodeError), match=seen):
            read_row(MAPPED, read_mapping(said))


_KEYS = st.sampled_from(
    ["answer", "question", "chunks", "messages", "input", "output", "request", "response", "body",
     "type", "span_kind", "attributes", "attributes.input.value", "llm.output_messages.0.message",
     "retrieval.documents", "a.b", "a.b.c", "a", "content", "role", "id", "choices", "0", "1", ""]
)  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(_KEYS, _JSON, max_size=6))
def test_any_row_is_read_or_refused_in_words(row):
    with suppress(ConfigError, DecodeError):
        read = read_row(row)
        assert isinstance(read, NoAnswer) or all(isinstance(t, str) for t in read.texts.values())
