import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamguard.core.conflicts.cells import MOST_ROWS
from streamguard.core.context import Context
from streamguard.core.validate import check_text
from tests import cell_cases as cases
from tests.answers import result_of


def seen(answer, *chunks, question=None):
    """Return words and nearest cell of what was found, the same under every split."""
    result = result_of(answer, Context(query=question, chunks=chunks))
    assert result.errors == ()
    found = [finding for finding in result.findings if finding.check == "other_cell"]
    assert all(finding.flag == "contradicted_claim" for finding in found)
    return [(finding.value, finding.nearest.value) for finding in found]


@pytest.mark.parametrize(("table", "answer", "words", "nearest"), cases.OTHERWISE)
def test_what_the_cell_has_otherwise_is_a_conflict(table, answer, words, nearest):
    assert seen(answer, table) == [(words, nearest)]


@pytest.mark.parametrize(("table", "answer"), cases.JUST_SO)
def test_what_the_cell_has_just_so_or_no_cell_tells_is_none(table, answer):
    assert seen(answer, table) == []


def test_the_cell_is_quoted_in_its_row():
    result = result_of("The cave trip includes lunch.", Context(chunks=(cases.TRIPS,)))
    (finding,) = [finding for finding in result.findings if finding.check == "other_cell"]
    row = "“| Cave | Tim Falk | no | yes |”"
    assert finding.message == f"Check this: “lunch”, but C1 has “no” in this cell: {row}"


def test_the_question_may_name_the_column():
    asked = "Who is the mayor of North Brook?"
    assert seen("For North Brook it is Lea Moran.", cases.TOWNS) == []
    found = seen("In North Brook this is Lea Moran.", cases.TOWNS, question=asked)
    assert found == [("Lea Moran", "Omar Said")]
    assert seen("North Brook lies on the Dunn.", cases.TOWNS, question=asked) == []


def test_a_name_in_another_cell_of_the_row_is_none_where_only_the_question_names_the_column():
    head = "| Club | Chair | Deputy |\n|---|---|---|\n"
    table = f"{head}| Chess | Ann Ode | Tom Reh |\n| Judo | Tom Reh | X |\n"
    asked = "Who is the chair of the chess club?"
    assert seen("In the Chess club that is Tom Reh.", table, question=asked) == []
    assert seen("The chair of the Chess club is Tom Reh.", table) == [("Tom Reh", "Ann Ode")]


def test_what_another_passage_says_just_so_is_none():
    told = "Since May Ida Holm is also the mayor of North Brook."
    assert seen("The mayor of North Brook is Ida Holm.", cases.TOWNS, told) == []


def test_a_dash_is_a_no_only_beside_a_yes():
    table = "| Course | Exam | Lab |\n|---|---|---|\n| Optics | - | yes |\n| Ethics | - | - |\n"
    assert seen("Optics has an exam.", table) == [("exam", "-")]
    assert seen("Ethics has an exam.", table) == []


def test_a_long_table_is_read_in_part():
    rows = "".join(
        f"| Lake {chr(65 + n // 26)}{chr(97 + n % 26)}x | no |\n" for n in range(MOST_ROWS)
    )
    table = f"| Lake | Boats |\n|---|---|\n{rows}| Lake Zorn | no |\n"
    assert seen("Lake Aax has boats.", table) == [("boats", "no")]
    assert seen("Lake Zorn has boats.", table) == []


def test_rows_with_fewer_cells_and_tables_that_follow_one_another_are_read():
    rooms = "| Room | Bath |\n|---|---|\n| Oak |\n| Ash | no |\n"
    tables = f"{rooms}| Hall | Piano |\n|---|---|\n| Big | no |\n"
    assert seen("The Oak room has a bath.", tables) == []
    assert seen("The Ash room has a bath.", tables) == [("bath", "no")]
    assert seen("The Big hall has a piano.", tables) == [("piano", "no")]


WORDS = st.sampled_from(
    "Basic|Pro|plans|all|both|neither|no|yes|includes|lacks|backups|lunch|and|not|Ida Holm|"
    "Omar Said|mayor|of|is|Elsund|-|✓|,|.|---|\n".split("|")
) | st.just("|")
TEXTS = st.lists(WORDS, max_size=30).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(TEXTS, TEXTS)
def test_no_text_breaks_the_search(answer, chunk):
    result = check_text(answer, context=Context(chunks=(chunk, cases.PLANS, cases.TOWNS)))
    assert result.errors == ()
