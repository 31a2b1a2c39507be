"""The frames of the chat: one line each, spans as browsers count them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.model.result import EvidenceSpan, SentenceAnnotation, SentenceReport
from streamguard.core.model.types import Finding, Nearest, RetrievedChunk
from streamguard.server.chat.frames import UTF16Spans, frame
from streamguard.server.chat.model import pieces

TEXTS = st.text(st.sampled_from("ab 🚲é\u2028\n"), max_size=30)


def units(text):
    """Return how many UTF-16 units a text has."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def settled(start, end, passage_span=(0, 0)):
    """Return a sentence with evidence, and findings on its span and on the whole answer."""
    nearest = Nearest("x", "C1", *passage_span)
    spans = ((start, end), (None, None))
    findings = tuple(Finding("f", "c", "info", a, b, None, nearest, None) for a, b in spans)
    evidence = EvidenceSpan("C1", *passage_span)
    report = SentenceReport(start, end, True, 1.0, None, evidence, (), (0, 1))
    return SentenceAnnotation(id="0", choice=0, index=0, sentence=report, findings=findings)


def sent(spans, annotation):
    return json.loads(spans.sentence_frame(annotation).removeprefix(b"data: "))["annotation"]


@given(before=TEXTS, sentence=TEXTS, passage=TEXTS, data=st.data())
def test_spans_are_those_of_the_same_text_in_utf16(before, sentence, passage, data):
    start, end = len(before), len(before) + len(sentence)
    at = data.draw(st.integers(0, len(passage)))
    spans = UTF16Spans([RetrievedChunk(passage)])
    # Cut by UTF-16 units, as models do: pairs come in two.
    written = (before + sentence).encode("utf-16-le")
    for unit in range(0, len(written), 2):
        spans.add(written[unit : unit + 2].decode("utf-16-le", "surrogatepass"))
    found = sent(spans, settled(start, end, (at, len(passage))))
    expected = (units(before), units(before + sentence))
    in_passage = (units(passage[:at]), units(passage))
    report, (on_span, on_whole) = found["sentence"], found["findings"]
    assert (report["start"], report["end"]) == expected
    assert (on_span["start"], on_span["end"]) == expected
    assert (on_whole["start"], on_whole["end"]) == (None, None)
    for where in (report["evidence"], on_span["nearest"], on_whole["nearest"]):
        assert (where["start"], where["end"]) == in_passage


def test_no_text_breaks_out_of_its_frame():
    for text in ("a\nb", "\u2028\u2029", "\ud83d", "data: [DONE]\n\ndata: x", "🚲"):
        event = frame("token", text=text)
        assert event.isascii()
        assert event.count(b"\n") == 2
        assert json.loads(event.removeprefix(b"data: ")) == {"type": "token", "text": text}
    found = sent(UTF16Spans([]), settled(0, 1, (2, 3)))  # a span in a passage nobody sent stays
    assert found["findings"][0]["nearest"]["start"] == 2


@pytest.mark.asyncio
async def test_pieces_join_to_the_text_at_any_rate():
    text = "Hello! I have 3 documents:\n- a.md"
    for rate in (0.0, 1e6):
        assert "".join([piece async for piece in pieces(text, rate)]) == text
