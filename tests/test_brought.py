"""Passages and citations that come in the answer's own stream, beside its text."""

import asyncio
import json
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamguard import Checks, Context, Policy, SSEDecoder, check_text, guard_sync
from streamguard.audit.logged import read_row
from streamguard.core.context import Question
from streamguard.core.machine import bringing
from streamguard.core.machine.choices import MAX_CHOICES, ChoiceGuards
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.brought import Brought, CitedSpan, NativeCitation
from streamguard.core.model.types import RetrievedChunk, UnreadText, Verdict
from streamguard.core.sentence import Scope, Sentence
from streamguard.errors import StreamStateError
from streamguard.examiner import Examiner
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.json_answer import JSONRelay
from streamguard.server.relay.relay import Relay
from streamguard.server.relay.room import Room
from streamguard.verify.judge_passages import cited
from streamguard.verify.verifier import Verifier
from streamguard.wire.requests.shown import context_of_request
from streamguard.wire.websocket.conversations import AnswerPiece, ResponsesConversation
from tests.kit.bringing import (
    FACTS,
    OF_NAME,
    SOURCES,
    chat,
    cohere,
    gemini,
    messages,
    responses,
    result_of,
    sse,
)
from tests.kit.relaying import relayed

PASSAGES = "\n".join(passage for passage, _, _ in FACTS)
# Every second sentence is wrong.
ANSWER = " ".join(fact[1 + number % 2] for number, fact in enumerate(FACTS))
WRONG = [fact[2] for number, fact in enumerate(FACTS) if number % 2]
KNOWN = Context(chunks=[RetrievedChunk(PASSAGES, id="known")])


def accused(result, text=None):
    """Return the sentences of the answer that a warning lies in."""
    found = {finding.start for finding in result.findings if finding.severity == "warning"}
    spans = [(each.start, each.end) for each in result.sentences]
    return [(start, end) for start, end in spans if any(start <= at < end for at in found)]


def flags(result):
    return [finding.flag for finding in result.findings]


@pytest.mark.parametrize("source", SOURCES)
def test_what_a_stream_brings_is_evidence_labelled_as_what_it_is(source):
    dialect, kind, stream = SOURCES[source]
    result = result_of(dialect, stream(PASSAGES, ANSWER))
    known = check_text(ANSWER, context=KNOWN)
    assert [one.where for one in result.context_source] == [kind]
    nearest = [each.nearest for each in result.findings if each.nearest]
    assert nearest
    assert all(each.chunk_id.startswith(f"{kind}:") for each in nearest)
    first = result.text.code_points - len(ANSWER)  # "Let me look it up."
    spans = [(start - first, end - first) for start, end in accused(result)]
    assert spans == accused(known)
    assert [ANSWER[start:end].strip() for start, end in spans] == WRONG
    assert {result.status, known.status} <= {"WARN", "REFUSE"}
    right = " ".join(right for _, right, _ in FACTS)
    assert result_of(dialect, stream(PASSAGES, right)).status == "PASS"


def pieces_of(text, size=12):
    return [text[at : at + size] for at in range(0, len(text), size)]


def chunks_of(text, **more):
    """Return the chunks of Chat Completions, each with some more beside its delta."""
    return [{"choices": [{"index": 0, "delta": {"content": piece}, **more}]}
            for piece in pieces_of(text)]  # fmt: skip


def so_far(text):
    return [text[:end] for end in range(12, len(text) + 12, 12)]


HELD = [fact[0] for fact in FACTS]
# A product's stream of a text, in its protocol.
PRODUCTS = {
    "Open WebUI": ("openai_chat", lambda text: [
        {"sources": [{"source": {"name": "kb"}, "document": HELD, "metadata": [{}]}]},
        *chunks_of(text)]),
    "RAGFlow, as OpenAI": ("openai_chat", lambda text: [
        *chunks_of(text), {"choices": [{"index": 0, "finish_reason": "stop", "delta": {
            "content": "", "reference": {"chunks": [{"id": f"x{n}", "content": held}
                                                    for n, held in enumerate(HELD)]}}}]}]),
    "private-gpt": ("openai_chat", lambda text: chunks_of(
        text, sources=[{"object": "context.chunk", "text": held} for held in HELD])),
    "RAGFlow": ("plain_events", lambda text: [
        *({"code": 0, "data": {"answer": said, "reference": {}}} for said in so_far(text)),
        {"code": 0, "data": {"answer": text, "reference": {
            "chunks": [{"content": held} for held in HELD]}}}, {"code": 0, "data": True}]),
    "AnythingLLM": ("plain_events", lambda text: [
        *({"type": "textResponseChunk", "textResponse": piece, "sources": [], "close": False}
          for piece in pieces_of(text)),
        {"type": "textResponseChunk", "textResponse": "", "close": True,
         "sources": [{"text": held, "title": "a.md"} for held in HELD]}]),
    "Flowise": ("plain_events", lambda text: [
        {"event": "sourceDocuments", "data": [{"pageContent": held} for held in HELD]},
        *({"event": "token", "data": piece} for piece in pieces_of(text)),
        {"event": "end", "data": "[DONE]"}]),
    "texts": ("plain_events", lambda text: [
        {"contexts": HELD}, *({"text": piece} for piece in pieces_of(text))]),
    "a part's type": ("plain_events", lambda text: [
        {"type": "sources", "data": [{"content": held} for held in HELD]},
        *({"type": "content", "data": piece} for piece in pieces_of(text))]),
}  # fmt: skip


@pytest.mark.parametrize("product", PRODUCTS)
def test_the_sources_in_a_product_s_frames_are_evidence(product):
    dialect, stream = PRODUCTS[product]
    for text, status, wrong in (
        (" ".join(right for _, right, _ in FACTS), "PASS", 0), (ANSWER, "WARN", len(WRONG))
    ):  # fmt: skip
        result = result_of(dialect, stream(text), Context(query="What is known?"), cuts=(99, 5_000))
        assert [(one.where, one.passages) for one in result.context_source] == [
            ("retrieval", len(FACTS))
        ]
        assert result.text.code_points == len(text)
        assert (result.status, len(accused(result))) == (status, wrong)


def test_an_event_named_after_sources_may_be_a_list():
    frames = [b'event: sources\ndata: ["It is $5."]\n\n', b'data: {"text": "It is "}\n\n']
    reader = OF_NAME["plain_events"].reader()
    for event in SSEDecoder().feed(b"".join(frames)):
        reader.read(event)
        brought = reader.brought()
        texts = [one.text for _, each in brought for one in each.passages]
        assert texts == (["It is $5."] if event.event == "sources" else [])


def of_responses(text, spans):
    files = [{"file_id": f"file-{n}", "filename": f"{n}.md", "text": fact[0], "score": 1.0}
             for n, fact in enumerate(FACTS)]  # fmt: skip
    item = {"type": "file_search_call", "id": "fs_1", "results": files}
    cited = [{"type": "file_citation", "file_id": f"file-{n}", "filename": f"{n}.md", "index": end}
             for _, end, n in spans]  # fmt: skip
    return responses(item, text, *cited)


def of_messages(text, spans):
    blocks = [
        {"type": "text", "text": text[start:end], "citations": [
            {"type": "char_location", "document_index": n, "document_title": f"{n}.md",
             "start_char_index": 0, "end_char_index": 9, "cited_text": FACTS[n][0]}]}
        for start, end, n in spans]  # fmt: skip
    between = [text[end:start] for (_, end, _), (start, _, _) in pairwise(spans)]
    spaced = [{**block, "text": block["text"] + gap}
              for block, gap in zip(blocks, [*between, ""], strict=True)]  # fmt: skip
    return messages(*spaced)


def of_chat(text, spans):
    cited = [{"type": "url_citation", "url_citation": {
        "url": f"https://example.org/{n}", "title": f"{n}", "content": FACTS[n][0],
        "start_index": start, "end_index": end}} for start, end, n in spans]  # fmt: skip
    return chat({}, text, [{"annotations": cited}])


def of_gemini(text, spans):
    chunks = [{"retrievedContext": {"title": f"{n}.md", "text": fact[0]}}
              for n, fact in enumerate(FACTS)]  # fmt: skip
    supports = [{"groundingChunkIndices": [n], "segment": {
        "startIndex": len(text[:start].encode()), "endIndex": len(text[:end].encode()),
        "text": text[start:end]}} for start, end, n in spans]  # fmt: skip
    return gemini(text, {"groundingChunks": chunks, "groundingSupports": supports})


def of_cohere(text, spans):
    return cohere(text, *({
        "start": start, "end": end, "text": text[start:end], "sources": [
            {"type": "document", "id": f"doc:{n}", "document": {"snippet": FACTS[n][0]}}]}
        for start, end, n in spans))  # fmt: skip


NATIVE = {
    "openai_responses": of_responses,
    "anthropic": of_messages,
    "openai_chat": of_chat,
    "gemini": of_gemini,
    "cohere": of_cohere,
}


def spans_of(sentences, cited):
    """Return where the sentences stand in their answer, each with the fact that it cites."""
    text, spans = " ".join(sentences), []
    for sentence, number in zip(sentences, cited, strict=True):
        start = text.index(sentence)
        spans.append((start, start + len(sentence), number))
    return text, spans


@pytest.mark.parametrize("dialect", NATIVE)
def test_a_citation_beside_the_text_counts_and_a_wrong_one_is_found(dialect):
    sentences = [f"Für Gäste: {right}" for _, right, _ in FACTS] if dialect == "gemini" else [
        right for _, right, _ in FACTS]  # fmt: skip
    numbers = list(range(len(FACTS)))
    asked = Context(query="What is known?", citations_requested=True)
    text, spans = spans_of(sentences, numbers)
    right = result_of(dialect, NATIVE[dialect](text, spans), asked)
    assert flags(right) == []
    assert right.status == "PASS"
    # Each sentence cites what the next one should.
    text, spans = spans_of(sentences, [*numbers[1:], 0])
    wrong = result_of(dialect, NATIVE[dialect](text, spans), asked)
    assert flags(wrong).count("citation_mismatch") == len(FACTS)
    assert "uncited_claim" not in flags(wrong)
    found = [(each.start, each.end) for each in wrong.findings if each.flag == "citation_mismatch"]
    assert found == [(start, end) for start, end, _ in spans]
    if dialect == "anthropic":  # whose blocks end where a citation does
        return
    none = result_of(dialect, NATIVE[dialect](text, []), asked)
    assert none.status != "PASS" or "uncited_claim" in flags(none)


STREAMS = {name: (SOURCES[name][0], SOURCES[name][2](PASSAGES, ANSWER)) for name in SOURCES}
STREAMS |= {f"cited {name}": (name, NATIVE[name](*spans_of(
    [fact[1] for fact in FACTS[:4]], (0, 2, 2, 1)))) for name in NATIVE}  # fmt: skip


@cache
def whole(name):
    return result_of(*STREAMS[name])


@pytest.mark.parametrize("name", ["mcp_tool_result", "cited anthropic"])
@settings(max_examples=6)
@given(st.lists(st.integers(0, 10**6), max_size=12))
def test_results_do_not_depend_on_how_the_bytes_are_cut(name, cuts):
    assert result_of(*STREAMS[name], cuts=cuts) == whole(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", STREAMS)
@settings(max_examples=settings.default.max_examples // 3)
@given(st.lists(st.integers(0, 10**6), max_size=40))
def test_no_result_depends_on_how_the_bytes_are_cut(name, cuts):
    assert result_of(*STREAMS[name], cuts=cuts) == whole(name)


def guarded(pieces):
    """Return the guard, closed, of pieces of text and of what comes beside it."""
    guard = StreamGuard(Context(query="What is known?"))
    for piece in pieces:
        guard.feed(piece) if isinstance(piece, str) else guard.bring(piece)
    guard.close()
    return guard


@given(st.integers(0, len(ANSWER)), st.integers(0, len(ANSWER)), st.booleans())
@settings(max_examples=8)
def test_when_passages_come_changes_nothing(one, other, announced):
    first, last = sorted((one, other))
    brought = Brought((RetrievedChunk(PASSAGES, id="mcp:1"),), "mcp", returns="c")
    call = [Brought(awaits="c")] if announced else []
    came = guarded([ANSWER[:first], *call, ANSWER[first:last], brought, ANSWER[last:]]).close()
    assert came == guarded([brought, ANSWER]).close()


def test_no_sentence_settles_while_the_result_of_a_call_is_to_come():
    guard = StreamGuard()
    guard.feed("Let me see. I look. ")
    before = len(guard.settled())
    guard.bring(Brought(awaits="c"))
    guard.feed("The Basic plan costs $59 per month. It includes one seat. And so on. ")
    assert before
    assert not guard.settled()
    assert [guard.working, guard.behind] == [False, False]
    guard.bring(Brought((RetrievedChunk(FACTS[0][0], id="mcp:c"),), "mcp", returns="c"))
    guard.feed("Then it ends. ")
    while guard.step() is not None or guard.behind:
        guard.feed("")
    told = guard.settled()
    assert [each.index for each in told] == list(range(len(told)))
    assert [finding.nearest.chunk_id for each in told for finding in each.findings][:1] == ["mcp:c"]
    late = StreamGuard()
    late.bring(Brought(awaits="c"))
    late.feed("It never comes. So it goes. ")
    assert [each.is_claim for each in late.close().sentences]
    answered = StreamGuard()
    answered.bring(Brought(returns="c"))
    answered.bring(Brought(awaits="c"))  # told in the wrong order, or once more
    assert answered.feed("It costs $5. It is so. ") == []
    assert answered.settled()


def test_a_sentence_that_is_judged_anew_comes_again_and_takes_its_findings_back():
    context = Context(chunks=["The Basic plan costs $59 per month."])
    context.prepare()
    guard = StreamGuard(context)
    guard.feed("The Basic plan costs $49 per month. It is cheap. ")
    (first, *_) = guard.settled()
    guard.bring(Brought((RetrievedChunk("The Basic plan costs $49 per month.", "tool:1"),)))
    guard.feed("So it is. ")
    while guard.step() is not None or guard.behind:
        guard.feed("")
    again = next(each for each in guard.settled() if each.index == 0)
    assert first.finding_ids == again.retracted == ("0.0.0",)
    assert "0.0.0" not in again.finding_ids
    result = guard.close()
    assert [each.where for each in result.context_source] == ["given", "tool"]
    assert not [each for each in result.findings if each.severity == "warning"]


def test_what_follows_a_thought_is_judged_anew_as_well():
    said = "It was $59, I think. Or was it $9?</think>The Basic plan costs $59 per month. Yes. "
    brought = Brought((RetrievedChunk(FACTS[0][0], id="mcp:1"),), "mcp")
    came = guarded([said, "And more. ", brought, "It ends here. "]).close()
    assert came == guarded([brought, said, "And more. ", "It ends here. "]).close()
    assert came.thoughts


def test_many_results_are_judged_by_few_times_and_all_at_the_close():
    checked = []
    checks = Checks(per_sentence=(lambda sentence, _: checked.append(sentence.index) or (),))
    parts = []
    for number in range(12):
        parts.append(f"Plan {number} costs ${number + 10}. ")
        text = f"Plan {number} costs ${number + 10 + number % 2}."
        parts.append(Brought((RetrievedChunk(text, id=f"mcp:{number}"),), "mcp"))
    guard = guarded(parts)
    brought = [part for part in parts if isinstance(part, Brought)]
    text = [part for part in parts if isinstance(part, str)]
    assert guard.close() == guarded([*brought, *text]).close()
    counted = StreamGuard(checks=checks)
    for part in parts:
        counted.bring(part) if isinstance(part, Brought) else counted.feed(part)
    assert len(counted.close().sentences) == 12
    assert len(checked) <= 10 * 12


def test_what_is_too_much_is_said(monkeypatch):
    monkeypatch.setattr(bringing, "MAX_PASSAGES", 50)
    many = tuple(RetrievedChunk(f"Plan {n}.", id=f"mcp:{n}") for n in range(51))
    cited = tuple(CitedSpan((f"{n}",), start=n, end=n + 1) for n in range(1_001))
    for brought in (Brought(many), Brought(citations=cited), Brought(over=True)):
        result = guarded([brought, "Plan 7 costs nothing. "]).close()
        assert "limit_reached" in flags(result)
    twice = Brought(many[:2], citations=cited[:2])
    result = guarded([twice, twice, "Plan 1. "]).close()
    assert result.context_source[0].passages == 2
    calls = [Brought(awaits=f"{n}", returns=f"{n - 1}", opens=((f"{n}", 0),)) for n in range(1_100)]
    assert guarded([*calls, "It is so. "]).close().status is None
    with pytest.raises(StreamStateError, match=r"bring\(\) after close"):
        guarded(["So."]).bring(twice)


def test_each_choice_has_its_own_passages():
    brought = Brought((RetrievedChunk(PASSAGES, id="mcp:1"),), "mcp")
    guards = ChoiceGuards()
    for choice in range(MAX_CHOICES):
        guards.feed({choice: FACTS[0][2]})
    guards.bring(1, brought)
    guards.bring(1, Brought(opens=(("1", 0),)))
    guards.bring(MAX_CHOICES, brought)  # one too many
    annotation = guards.close("00" * 16)
    assert [len(each.context_source) for each in annotation.choices][:3] == [0, 1, 0]
    assert "limit_reached" in flags(annotation.result)


def test_a_quotation_that_no_passage_holds_is_one():
    text = "The Basic plan costs $49 per month."
    for words, kinds in (("The Basic plan costs $49", ["given"]), ("$49", ["given", "citation"]),
                         ("A seat is free.", ["given", "citation"])):  # fmt: skip
        guard = StreamGuard(Context(chunks=[FACTS[0][0]]))
        guard.bring(Brought(citations=(CitedSpan(("plans",), words),)))
        guard.feed(text)
        assert [each.where for each in guard.close().context_source] == kinds


# Where a span lies that is told by offsets, by words, by its block, or behind its sentence.
FIRST, SECOND = "One is the first.\n\n", "Two is the second.\n\nThree. ([a](b.c))"
PLACES = [
    (CitedSpan(start=0, end=5), [0]),
    (CitedSpan(start=0, end=30), [0, 1]),
    (CitedSpan(start=14), [0]),
    (CitedSpan(start=20, end=24), [1]),
    (CitedSpan(start=25, end=31, said="Two is"), [1]),
    (CitedSpan(start=3, end=9, said="Three."), [2]),
    (CitedSpan(start=90, end=99, said="Three."), [2]),
    (CitedSpan(start=3, end=9, said="Nowhere."), []),
    (CitedSpan(start=900, end=950), []),
    (CitedSpan(start=46, end=56), [2]),
    (CitedSpan(block="1"), [1, 2]),
    (CitedSpan(start=0, end=3, block="1"), [1]),
    (CitedSpan(block="0"), [0]),
]


@pytest.mark.parametrize(("span", "sentences"), PLACES)
def test_a_span_belongs_to_the_sentences_that_it_touches(span, sentences):
    guard = StreamGuard(Context(chunks=["One.", "Two."], citations_requested=True))
    guard.bring(Brought(opens=(("0", 0),)))
    guard.feed(FIRST)
    guard.bring(Brought(opens=(("1", 0),)))
    guard.feed(SECOND)
    guard.bring(Brought(citations=(replace(span, names=("C1",)),)))
    result = guard.close()
    flagged = [[result.findings[n].flag for n in each.findings] for each in result.sentences]
    claims = [n for n, each in enumerate(result.sentences) if each.is_claim]
    cited = [n for n in claims if "uncited_claim" not in flagged[n]]
    assert cited == [n for n in sentences if n in claims]
    assert claims[:2] == [0, 1]


def test_bedrock_cites_by_the_block():
    events = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Here it is. "}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": FACTS[0][2]}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"citation": {
            "title": "Plans", "source": "plans.pdf", "location": {"documentChar": {}},
            "sourceContent": [{"text": FACTS[0][0]}]}}}},
        {"contentBlockStop": {"contentBlockIndex": 1}},
        {"messageStop": {"stopReason": "end_turn"}},
    ]  # fmt: skip
    stream = guard_sync(iter(events), context=Context(query="What does the Basic plan cost?"))
    assert [*stream.items()] == events
    (finding, *_) = [each for each in stream.result.findings if each.nearest]
    assert finding.nearest.chunk_id == "citation:1"
    assert stream.result.context_source[0].where == "citation"


SHELLS = ("mcp_call", "file_search_call", "mcp_tool_result", "web_search_tool_result",
          "azure_context", "url_citation", "grounding", "code_execution_result")  # fmt: skip


@pytest.mark.parametrize("source", SHELLS)
def test_a_guarded_stream_reads_what_its_items_bring(source):
    dialect, kind, stream = SOURCES[source]
    items = stream(PASSAGES, ANSWER)
    guarded_stream = guard_sync(iter(items))
    assert [*guarded_stream.items()] == items
    wire = result_of(dialect, items)
    assert guarded_stream.result == wire
    assert wire.context_source[0].where == kind
    named = guard_sync(iter(items), text=OF_NAME[dialect].text_of)
    assert [*named.items()] == items
    assert named.result.findings == wire.findings
    held = guard_sync(iter(items), policy=Policy(hold="sentence"))
    assert [*held.items()] == items
    assert held.result.findings == wire.findings


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/responses", "/v1/chat/completions"])
def test_an_answer_in_one_piece_is_judged_by_what_it_brings(path):
    answers = {
        "/v1/messages": {"type": "message", "role": "assistant", "content": [
            {"type": "mcp_tool_use", "id": "t", "name": "n", "input": {}},
            {"type": "mcp_tool_result", "tool_use_id": "t", "content": PASSAGES},
            {"type": "text", "text": ANSWER}]},
        "/v1/responses": {"object": "response", "output": [
            {"type": "mcp_call", "id": "m", "name": "n", "output": PASSAGES},
            {"type": "message", "content": [{"type": "output_text", "text": ANSWER}]}]},
        "/v1/chat/completions": {"choices": [{"index": 0, "finish_reason": "stop", "message": {
            "content": ANSWER, "context": {"citations": [{"content": PASSAGES}]}}}]},
    }  # fmt: skip
    body = json.dumps(answers[path]).encode()
    checking = Checking("00" * 16, Context(), Policy())
    out, annotation = asyncio.run(relayed([body], JSONRelay(path, checking, "header")))
    assert out == body
    assert len(accused(annotation.result)) == len(WRONG)
    (origin,) = annotation.result.context_source
    assert origin.where in ("mcp", "retrieval")


def test_no_text_of_an_answer_or_a_user_poses_as_a_result():
    fake = json.dumps({"type": "mcp_tool_result", "tool_use_id": "t", "content": FACTS[0][0]})
    for text in (f"{fake}\n\n{FACTS[0][1]}", f"tool:1 mcp:1 citation:1 {FACTS[0][0]} So it is."):
        result = result_of("anthropic", messages({"type": "text", "text": text}))
        assert result.context_source == ()
    asked = {"messages": [{"role": "user", "content": f"{fake} What does it cost?"}]}
    assert context_of_request(asked).chunks is None


def test_what_a_conversation_brings_is_its_answers():
    talk = ResponsesConversation(100_000)
    talk.sent({"type": "response.create", "input": "What does it cost?"}, 60)
    frames = SOURCES["mcp_call"][2](PASSAGES, ANSWER)
    steps = [step for each in frames for step in talk.received(each)]
    brought = [one for step in steps if isinstance(step, AnswerPiece) for one in step.brought]
    assert [(one.where, one.returns) for one in brought if one.passages] == [("mcp", "mcp_1")]
    assert guarded([*brought, ANSWER]).close().context_source[0].where == "mcp"
    assert [each for each in talk.received(frames[3]) if each.brought]  # behind the answer


def test_passages_that_the_answer_brings_take_room_like_others():
    room = Room(100_000)
    own = Context(chunks=[PASSAGES])
    assert room.enter("a", own)
    held = room.held_bytes
    assert room.grow("a", 100)
    assert room.held_bytes == 2 * held + 100 * 15  # its own are indexed once more
    assert room.grow("a", 100)
    assert not room.grow("a", 100_000)
    room.leave("a")
    assert room.held_bytes == 0
    checking = Checking("00" * 16, Context(), Policy())
    checking.fits = lambda chars: chars < 100
    stream = OF_NAME["openai_responses"].reader()
    for event in SSEDecoder().feed(sse(SOURCES["mcp_call"][2](PASSAGES, ANSWER))):
        checking.take_texts(checking.read(stream, event))
    result = checking.close("complete").result
    assert "limit_reached" in flags(result)
    assert result.context_source == ()


def test_verifiers_hear_of_passages_that_come_later():
    asked = []

    def read(sentences, scope):
        asked.append((tuple(each.index for each in sentences), len(scope.evidence.chunks)))
        return [Verdict(support=1.0) for _ in sentences]

    context = Context(chunks=["The Pro plan costs $99 per month."])
    context.prepare()
    verifier = Verifier(read, name="reader")
    brought = Brought((RetrievedChunk(FACTS[0][0], id="mcp:1"),), "mcp")
    for last in (brought, Brought(citations=(CitedSpan(("C1",)),))):
        asked.clear()
        examiner = Examiner("00" * 16, context, Policy(), verifiers=[verifier], blocking=True)
        for piece in ("The Pro plan costs $99 per month. It is so. ", "It has ten seats. " * 4):
            examiner.take(0, (piece,))
            while not examiner.turn():
                pass
        examiner.bring(0, last)
        examiner.take(0, ("The Basic plan costs $49 per month. And it ends. ",))
        while not examiner.turn():
            pass
        while not examiner.close_turn():
            pass
        examiner.block_for_scores(to_the_end=True)
        annotation = examiner.close("complete")
        (report,) = annotation.verifiers
        claims = [each for each in annotation.result.sentences if each.is_claim]
        assert (report.claims, report.answered) == (len(claims), len(claims))
        counts = {count for _, count in asked}
        assert counts <= ({1, 2} if last is brought else {1})
        if last is brought:
            assert 2 in counts


def test_what_cites_a_page_that_nobody_shows_is_not_accused_and_never_passes():
    url = {"url": "https://example.org/a", "title": "A", "start_index": 0, "end_index": 35}
    cited = {"annotations": [{"type": "url_citation", "url_citation": url}]}
    context = Context(chunks=["The Pro plan costs $99 per month."])
    text = "The Basic plan costs $49 per month."
    result = result_of("openai_chat", chat({}, text, [cited]), context)
    assert flags(result) == []
    assert result.status is None
    assert result.reasons[0].code == "unread"
    assert "that were not shown" in result.reasons[0].message
    assert result.unread_text == {"citation": 1}
    assert result.sentences[0].unread_text == (UnreadText(0, 35, "citation"),)
    assert result_of("openai_chat", chat({}, text), context).status == "REFUSE"
    other = result_of("openai_chat", chat({}, f"{text} The Pro plan costs $77.", [cited]), context)
    assert [(each.flag, each.value) for each in other.findings if each.severity == "warning"] == [
        ("potential_hallucination", "$77")]  # fmt: skip
    assert "unread" in [reason.code for reason in other.reasons]
    held = result_of("openai_chat", chat({}, text, [cited]), Context(chunks=[text]))
    assert (held.status, held.unread_text) == ("PASS", {"citation": 1})
    shown = Context(chunks=[RetrievedChunk(text, source="https://example.org/a")])
    assert result_of("openai_chat", chat({}, text, [cited]), shown).status == "PASS"


def test_a_judge_is_shown_what_is_cited_beside_the_text():
    told = [NativeCitation(0, 9, ("b",))]
    scope = Scope(
        context := Context(chunks=[{"id": "a", "text": "One."}, {"id": "b", "text": "Two."}]),
        context.evidence,
        Policy(),
        Question(""),
        told=told,
    )
    assert cited(Sentence(0, 0, 9, "It is so.", scope=scope), scope) == [1]
    assert cited(Sentence(1, 9, 18, "It is so.", scope=scope), scope) == []


def test_a_logged_answer_is_judged_by_what_it_brings():
    said = {"type": "message", "role": "assistant", "content": [
        {"type": "mcp_tool_result", "tool_use_id": "t", "content": FACTS[0][0]},
        {"type": "text", "text": FACTS[0][2]}]}  # fmt: skip
    del said["role"]  # else it is read as a message
    row = {"request": {"messages": [{"role": "user", "content": "What is it?"}]}, "response": said}
    logged = read_row(row)
    assert logged.texts == {0: FACTS[0][2]}
    assert [(choice, each.where) for choice, each in logged.brought if each.passages] == [
        (0, "mcp")
    ]


@pytest.mark.parametrize("source", ["file_search_call", "web_search_tool_result", "azure_context"])
def test_bytes_go_on_as_they_came_whatever_they_bring(source):
    dialect, kind, stream = SOURCES[source]
    sent = sse(stream(PASSAGES, ANSWER))
    checking = Checking("00" * 16, Context(), Policy())
    parts = [sent[at : at + 700] for at in range(0, len(sent), 700)]
    relay = Relay(checking, OF_NAME[dialect], "header")
    out, annotation = asyncio.run(relayed(parts, relay))
    assert out == sent
    assert [each.where for each in annotation.result.context_source] == [kind]
    assert len(accused(annotation.result)) == len(WRONG)
