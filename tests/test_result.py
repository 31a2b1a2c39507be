import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, BrokenBarrierError, current_thread

import pytest
from pydantic import BaseModel

from streamguard.core.context import Context
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.core.model.result import SCHEMA_VERSION, Annotation, GuardrailsResult
from streamguard.core.model.types import FLAGS, Model, in_flag_order
from streamguard.errors import StreamStateError
from tests.kit.answers import CLEAN, plans, result_of

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


def test_of_threads_that_need_a_schema_one_builds_it_and_the_others_wait(monkeypatch):
    inside, together = [], Barrier(2)

    def build(_cls):
        inside.append(current_thread())
        with pytest.raises(BrokenBarrierError):  # the other one does not get here
            together.wait(0.05)
        inside.remove(current_thread())
        together.reset()

    monkeypatch.setattr(BaseModel, "model_rebuild", classmethod(build))
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(lambda _: Model.model_rebuild(), range(2))] == [None, None]
    assert inside == []


def test_the_schema_is_the_published_one_and_no_field_is_gone():
    """Changed on purpose? Then `streamguard schema > docs/annotation.schema.json`."""
    assert json.loads(SCHEMA.read_text()) == Annotation.model_json_schema()
    assert set(GuardrailsResult.model_fields) >= FIELDS_1_0
    assert SCHEMA_VERSION.startswith("1.")


def test_utf16_spans_are_shifted_once_and_those_of_the_whole_answer_not():
    shifted = result_of("😀 The basic plan.", Context(chunks=())).in_utf16()
    assert shifted.findings[-1].start is None
    assert shifted.in_utf16() is shifted
    for answer in ("😀 Hello.", CLEAN):  # read back, nothing says where wide characters are
        read = GuardrailsResult.model_validate_json(result_of(answer).model_dump_json())
        with pytest.raises(StreamStateError, match="before serialising"):
            read.in_utf16()
    read = GuardrailsResult.model_validate_json(result_of("Hello!").model_dump_json())
    assert read.in_utf16() is read  # there is no evidence that needs them
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
