import pytest

from streamguard.core.checks import ALL_CHECKS, DEFAULT_CHECKS
from streamguard.core.context import Context
from streamguard.core.policy import Policy
from tests import conflict_cases as cases
from tests.answers import result_of

CONFLICTS = ("other_value", "other_owner", "opposite", "other_role", "other_name")


def conflicts(answer, chunks, checks=ALL_CHECKS, **arguments):
    """Return the conflicts found, the same under every split."""
    result = result_of(answer, Context(chunks=chunks), checks=checks, **arguments)
    assert result.errors == ()
    return [finding for finding in result.findings if finding.check in CONFLICTS]


@pytest.mark.parametrize(("check", "chunks", "answer", "value", "nearest"), cases.VALUES)
def test_a_value_that_a_chunk_has_otherwise_is_a_conflict(check, chunks, answer, value, nearest):
    (finding,) = conflicts(answer, chunks)
    assert (finding.flag, finding.severity) == ("contradicted_claim", "warning")
    assert (finding.check, finding.value, finding.nearest.value) == (check, value, nearest)
    label = finding.nearest.chunk_id
    assert finding.message.startswith(f"Check this: “{value}”, but {label} has “{nearest}”: “")


@pytest.mark.parametrize(("chunks", "answer"), cases.VALUE_TWINS)
def test_a_value_that_stands_so_or_is_of_something_else_is_none(chunks, answer):
    assert conflicts(answer, chunks) == []


@pytest.mark.parametrize("answer", cases.OPPOSITES)
def test_a_statement_turned_around_is_a_conflict(answer):
    (finding,) = conflicts(answer, cases.SHOP)
    assert (finding.flag, finding.check) == ("contradicted_claim", "opposite")
    assert finding.nearest.value in cases.SHOP[int(finding.nearest.chunk_id[1]) - 1]
    assert " says the contrary: “" in finding.message


@pytest.mark.parametrize("answer", cases.OPPOSITE_TWINS)
def test_a_statement_that_says_the_same_is_none(answer):
    assert conflicts(answer, cases.SHOP) == []


@pytest.mark.parametrize(("chunks", "answer"), cases.UNCLEAR)
def test_what_may_be_no_contrary_is_left_alone(chunks, answer):
    assert conflicts(answer, chunks) == []


@pytest.mark.parametrize(("chunks", "answer"), cases.WHOLE)
def test_a_denial_in_other_words_is_found_by_the_words_around_it(chunks, answer):
    (finding,) = conflicts(answer, chunks)
    assert finding.check == "opposite"


@pytest.mark.parametrize("answer", cases.ROLES)
def test_roles_the_wrong_way_round_are_a_conflict(answer):
    found = conflicts(answer, cases.NAMES)
    (finding,) = [finding for finding in found if finding.check == "other_role"]
    assert finding.flag == "contradicted_claim"
    assert finding.message.startswith("Check this: C2 has it the other way round: “")


@pytest.mark.parametrize("answer", cases.ROLE_TWINS)
def test_roles_the_right_way_round_are_none(answer):
    assert conflicts(answer, cases.NAMES) == []


@pytest.mark.parametrize(("answer", "value", "other"), cases.SWAPPED_NAMES)
def test_a_name_in_anothers_place_is_a_conflict_for_who_asks(answer, value, other):
    (finding,) = conflicts(answer, cases.NAMES)
    assert (finding.check, finding.value) == ("other_name", value)
    assert finding.message.startswith(f"Check this: C1 has “{other}” in this place: “")
    assert conflicts(answer, cases.NAMES, DEFAULT_CHECKS) == []


@pytest.mark.parametrize("answer", cases.NAME_TWINS)
def test_a_name_in_its_own_place_is_none(answer):
    assert conflicts(answer, cases.NAMES) == []


def test_the_literal_policy_and_code_know_no_conflicts():
    answer = "Refunds are not possible for rugs."
    assert conflicts(answer, cases.SHOP, policy=Policy.preset("literal")) == []
    assert conflicts(f"```\n{answer}\n```\n", cases.SHOP) == []


@pytest.mark.parametrize("chunks", [None, ()])
def test_without_chunks_nothing_is_contradicted(chunks):
    assert conflicts("Pro costs $49 a month. Rugs are not sold in June.", chunks) == []


def test_a_long_passage_is_quoted_in_part():
    chunk = f"Basic costs $49 a month{' and comes with mail' * 20}."
    (finding,) = conflicts("Basic costs $59 a month.", (chunk,))
    assert finding.message.endswith("…”")
    assert len(finding.message) < 300


def test_a_contradicted_claim_is_a_warning_of_rule_five():
    result = result_of("Pro costs $49 a month.", Context(chunks=cases.PLANS))
    assert result.status == "WARN"
    assert result.reasons[0].code == "contradicted_claim"
