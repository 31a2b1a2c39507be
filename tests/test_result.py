import json
from pathlib import Path

import pytest

from streamguard.core.checks import Checks
from streamguard.core.context import Context
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.core.model.result import SCHEMA_VERSION, Annotation, GuardrailsResult
from streamguard.core.model.types import (
    FLAGS,
    AnswerSpan,
    Finding,
    Nearest,
    RetrievedChunk,
    in_flag_order,
)
from streamguard.errors import StreamStateError
from tests.answers import CLEAN, plans, result_of

SCHEMA = Path(__file__).parent.parent / "docs" / "annotation.schema.json"
# All that tells a reader of version 1.0 where things are; a release may add to it, never remove.
FIELDS_1_0 = {
    "schema_version", "policy", "choice", "status", "reasons", "flags", "findings",
    "uncovered_claims", "citation_density", "supported_claims", "total_claims", "scores", "refusal",
    "retrieval", "banners", "sentences", "replacement", "complete", "ended", "errors", "text",
    "text_stored", "work",
}  # fmt: skip


def annotation_of(answer, context=None):
    guards = ChoiceGuards(context or plans())
    guards.feed({0: answer})
    return guards.close("ab" * 16)


def test_the_schema_is_the_published_one_and_no_field_is_gone():
    """Changed on purpose? Then `streamguard schema > docs/annotation.schema.json`."""
    assert json.loads(SCHEMA.read_text()) == Annotation.model_json_schema()
    assert set(GuardrailsResult.model_fields) >= FIELDS_1_0
    assert SCHEMA_VERSION.startswith("1.")


def test_an_annotation_survives_json_and_stays_one_line_of_it():
    annotation = annotation_of("The Basic plan costs $59, says “John Smith” 😀 [C9].")
    line = annotation.to_json()
    assert line.isascii()
    assert "\n" not in line
    assert Annotation.model_validate_json(line) == annotation
    assert json.loads(line)["object"] == "streamguard.result"
    line = annotation_of("John\u2028 Smith</script>\r\n\r\ndata: [DONE] pays $59 \ud83d.").to_json()
    assert line.isascii()
    assert not set("\r\n") & set(line)
    assert "\\ufffd" in line


def test_utf16_spans_point_at_the_same_words():
    text = "😀 The Basic plan costs $59. 𝒳 John Smith says so."
    chunk = RetrievedChunk("𝒴 The Basic plan costs $49.", id="😀")
    result = result_of(text, Context(chunks=[chunk]))
    units = text.encode("utf-16-le")
    chunk_units = chunk.text.encode("utf-16-le")
    shifted = result.in_utf16()
    assert shifted.findings != result.findings
    for finding in shifted.findings:
        assert units[2 * finding.start : 2 * finding.end].decode("utf-16-le") == finding.value
        if finding.nearest:
            at = slice(2 * finding.nearest.start, 2 * finding.nearest.end)
            assert chunk_units[at].decode("utf-16-le") == finding.nearest.value
    for sentence, plain in zip(shifted.sentences, result.sentences, strict=True):
        words = units[2 * sentence.start : 2 * sentence.end].decode("utf-16-le")
        assert words == text[plain.start : plain.end]
        if plain.evidence is None:
            assert sentence.evidence is None
            continue
        at = slice(2 * sentence.evidence.start, 2 * sentence.evidence.end)
        quoted = chunk.text[plain.evidence.start : plain.evidence.end]
        assert chunk_units[at].decode("utf-16-le") == quoted


def test_utf16_spans_are_shifted_once_and_those_of_the_whole_answer_not():
    shifted = result_of("😀 The basic plan.", Context(chunks=())).in_utf16()
    assert shifted.findings[-1].start is None
    assert shifted.in_utf16() is shifted


@pytest.mark.parametrize("answer", ["😀 Hello.", CLEAN])
def test_a_result_read_back_does_not_know_where_wide_characters_are(answer):
    read = GuardrailsResult.model_validate_json(result_of(answer).model_dump_json())
    with pytest.raises(StreamStateError, match="before serialising"):
        read.in_utf16()


def test_a_result_read_back_without_evidence_needs_no_places():
    read = GuardrailsResult.model_validate_json(result_of("Hello!").model_dump_json())
    assert read.in_utf16() is read
    assert hash(read) == hash(result_of("Hello!"))


def test_a_stored_copy_holds_no_text_of_answer_or_passages():
    answer = "Penguins eat $59 sandwiches, says John Smith [C9]. I cannot say more."
    guards = ChoiceGuards(plans())
    guards.feed({0: answer})
    guards.report_error("mine", ValueError("Penguins"))
    annotation = guards.close("ab" * 16)
    stored = annotation.without_text()
    assert stored.result.text_stored is False
    assert annotation.result.text_stored is True
    assert stored.result.flags == annotation.result.flags
    assert [(f.start, f.end) for f in stored.result.findings] == [
        (f.start, f.end) for f in annotation.result.findings
    ]
    assert stored.result.errors == ("mine: ValueError",)
    words = stored.to_json()
    for told in ("Penguins", "$59", "Smith", "$49", "Basic plan"):
        assert told not in words
    assert annotation_of("Hi.").model_copy(update={"result": None}).without_text().result is None


def test_flags_come_in_the_published_order_and_unknown_ones_last():
    assert in_flag_order({"zeta", "limit_reached", "alpha", "refusal_detected"}) == [
        "refusal_detected", "limit_reached", "alpha", "zeta",
    ]  # fmt: skip
    assert in_flag_order(set(FLAGS)) == list(FLAGS)


def test_operands_of_a_derivation_keep_their_place_in_a_stored_copy():
    answer = "The Basic plan costs $588 per year."
    result = result_of(answer, Context(chunks=[RetrievedChunk("The Basic plan costs $49/month.")]))
    (operand,) = result.sentences[0].evidence.operands
    assert operand == Nearest("$49/month", "C1", 21, 30)
    stored = result.without_text().sentences[0].evidence
    assert (stored.derivation, stored.operands) == (None, (Nearest(None, "C1", 21, 30),))


def test_the_place_a_finding_disagrees_with_shifts_and_loses_its_words():
    def disagrees(sentence, scope):
        yield Finding("mine", "mine", "info", 2, 5, "The", None, "m", AnswerSpan("a\ud83d", 1, 2))
        yield Finding("mine", "mine", "info", 2, 5, "The", None, "m", AnswerSpan(None, 1, 2))

    checks = Checks(per_sentence=(disagrees,), verdicts=False)
    result = result_of("😀 The end.", checks=checks)
    assert result.findings[0].against == AnswerSpan("a\ufffd", 1, 2)
    assert result.findings[1].against == AnswerSpan(None, 1, 2)
    assert result.in_utf16().findings[0].against == AnswerSpan("a\ufffd", 2, 3)
    assert result.without_text().findings[0].against == AnswerSpan(None, 1, 2)
