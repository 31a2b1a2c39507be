"""The one driver of the checks: text noted as it passes, examined in turns, closed once."""

import logging

import pytest

from streamguard import DEFAULT_CHECKS, Context, Policy
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


@pytest.mark.parametrize(
    ("method", "state"),
    [("take", "complete"), ("step", "complete"), ("close_step", "complete"), ("close", "skipped")],
)
def test_a_defect_of_ours_leaves_no_method(method, state, monkeypatch, caplog):
    def fails(*_args):
        raise ZeroDivisionError("secret")

    examiner = examiner_of()
    monkeypatch.setattr(ChoiceGuards, method, fails)
    examiner.take(0, (TEXT,))
    examiner.turn()
    annotation = examiner.close("complete")
    assert [record.fields["id"] for record in caplog.records] == [ID]
    assert annotation.state == state
    if annotation.result is not None:
        assert annotation.result.errors == ("guard: ZeroDivisionError",)
