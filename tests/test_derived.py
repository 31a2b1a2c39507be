"""How a value follows is told with the evidence, and where its operands stand."""

import pytest

from streamguard.core.context import Context, Question
from streamguard.core.facts.comparing import Comparing
from streamguard.core.model.result import EvidenceSpan
from streamguard.core.verdict.claimed import with_derivations
from streamguard.values import read_anchors
from tests.kit.answers import result_of
from tests.test_evidence import index

BEST = EvidenceSpan("C9", 3, 7)
RENT = "The rent is $49 per month."


def told(sentence, chunk, best, question="", **changes):
    evidence = index(chunk)
    edits = Comparing(evidence.source, Question(question).slots).edits(
        sentence, read_anchors(sentence)
    )
    derived = [edit._replace(**changes) for edit in edits if edit.derivation]
    return with_derivations(best, derived, evidence)


@pytest.mark.parametrize(
    ("sentence", "chunk"),
    [
        ("The rent is $49 per month.", RENT),  # nothing follows
        ("The owner gets $98.", "The rent is $49. Some ferry tickets cost $98."),  # held by chance
    ],
)
def test_what_a_passage_holds_is_not_told_as_derived(sentence, chunk):
    assert told(sentence, chunk, BEST) is BEST


def test_a_derivation_is_told_with_the_place_of_its_operands():
    found = told("The rent of a year is $588.", RENT, BEST)
    assert found.derivation == "$49 per month × 12 = $588"
    assert [(one.value, one.chunk_id) for one in found.operands] == [("$49 per month", "C1")]
    assert (found.chunk_id, found.start, found.end) == ("C9", 3, 7)
    found = told("The rent of a year is $588.", RENT, None)
    assert (found.chunk_id, RENT[found.start : found.end]) == ("C1", "$49 per month")
    assert told("The rent of a year is $588.", RENT, BEST, absent=False) is BEST
    (report,) = result_of("A year of the Basic plan costs $588.").sentences
    assert report.evidence.derivation == "$49 per month × 12 = $588"


def test_so_long_as_from_one_time_to_another_is_no_figure_in_another_unit():
    chunk = "The fair takes 8 days. It is open from 9:00 to 17:00."
    found = result_of("It is open for 8 hours a day.", Context(chunks=(chunk,)))
    assert found.findings == ()
    assert found.sentences[0].evidence.derivation == "9:00 to 17:00 = 8 hours a day"
