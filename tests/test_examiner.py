"""The one driver of the checks: text noted as it passes, examined in turns, closed once."""

import logging

import pytest

import streamguard.examiner as examiner_module
from streamguard import DEFAULT_CHECKS, Context, Policy
from streamguard.core.index.evidence import Evidence
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.examiner import Examiner

ID = "0" * 32  # its first block begins empty
CONTEXT = Context(query="What does Basic cost?", chunks=["The Basic plan costs $10 per month."])
TEXT = "The Basic plan costs $10 per month. The Pro plan costs $99 per month. " * 4


def examiner_of(context=CONTEXT, policy=None, **options):
    return Examiner(ID, context, policy or Policy(), DEFAULT_CHECKS, **options)


def test_what_is_skipped_stays_skipped_and_what_is_final_stays_final():
    examiner = examiner_of()
    examiner.skip("it is a picture")
    annotation = examiner.close("complete")
    assert (annotation.state, annotation.result.status) == ("skipped", None)
    assert annotation.result.reasons[0].code == "unread"
    assert "it is a picture" in annotation.result.reasons[0].message
    examiner = examiner_of()
    examiner.close("complete")
    examiner.skip("it is a picture")
    examiner.report("late", ValueError())
    assert (examiner.annotation.state, examiner.annotation.result.errors) == ("complete", ())


def test_text_that_nobody_examines_or_asks_for_again_is_not_kept(monkeypatch):
    monkeypatch.setattr(examiner_module, "MAX_TEXT_CHARS", 500)
    off = examiner_of(policy=Policy(validation_enabled=False))
    on = examiner_of()
    for examiner in (off, on):
        examiner.keep_text()
        examiner.take(0, (TEXT, TEXT, TEXT))
    assert (off.full, on.full) == (False, True)
    while on.due:
        on.turn()
    assert 500 <= sum(map(len, on.kept_text[0])) < 500 + examiner_module.SLICE_CHARS


@pytest.mark.parametrize("listener", ["on_finding", "on_sentence"])
def test_a_listener_that_raises_is_listed_once_and_hears_of_everything(listener, caplog):
    heard = []

    def raises(said):
        heard.append(said)
        raise ZeroDivisionError("secret")

    examiner = examiner_of(**{listener: raises})
    for at in range(0, len(TEXT), 10):
        examiner.take(0, (TEXT[at : at + 10],))
        examiner.turn()
    result = examiner.close("complete").result
    assert result.errors == (f"{listener}: ZeroDivisionError",)
    assert len(heard) == len(result.findings if listener == "on_finding" else result.sentences)
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


@pytest.mark.parametrize(("place", "method", "state"), [
    (ChoiceGuards, "take", "complete"),
    (ChoiceGuards, "step", "complete"),
    (ChoiceGuards, "settled", "complete"),
    (ChoiceGuards, "close_step", "complete"),
    (ChoiceGuards, "close", "skipped"),
    (Evidence, "build_slice", "skipped"),
])  # fmt: skip
def test_a_defect_of_ours_leaves_no_method(place, method, state, monkeypatch, caplog):
    def fails(*_args):
        raise ZeroDivisionError("secret")

    context = Context(chunks=["It costs $10."])  # of which nothing is indexed
    examiner = examiner_of(context, on_sentence=print)
    monkeypatch.setattr(place, method, fails)
    examiner.take(0, (TEXT,))
    examiner.turn()
    examiner.turn()
    annotation = examiner.close("complete")
    assert {record.fields["id"] for record in caplog.records} == {ID}
    assert annotation.state == state
    if annotation.result is not None:
        assert annotation.result.errors == ("guard: ZeroDivisionError",)
