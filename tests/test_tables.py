import pytest

from streamguard.core.anchors import read_anchors
from streamguard.core.conflicts.reading import read
from streamguard.core.conflicts.tables import cells, is_row, is_rule, keys_in_cells
from streamguard.core.evidence import Evidence
from streamguard.core.types import RetrievedChunk


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("| Plan | Basic |", [" Plan ", " Basic "]),
        ("  | Plan | Basic", [" Plan ", " Basic"]),
        ("Plan | Basic", ["Plan ", " Basic"]),
        ("| | $10 | |", [" ", " $10 ", " "]),
        (r"| a \| b | c |", [r" a \| b ", " c "]),
        ("Plan", ["Plan"]),
        ("|", []),
        ("", []),
    ],
)
def test_a_row_is_cut_into_its_cells_empty_ones_too(text, found):
    assert [text[start:end] for start, end in cells(text)] == found


@pytest.mark.parametrize(
    ("text", "row", "rule"),
    [
        ("| Plan |", True, False),
        ("Plan | Basic", True, False),
        ("|---|:-:|", True, True),
        ("--- | ---", True, True),
        ("| | |", True, False),
        ("a|b in code", False, False),
        ("Plain words.", False, False),
    ],
)
def test_rows_and_rules_are_told_from_prose(text, row, rule):
    assert (is_row(text), is_rule(text)) == (row, rule)


def test_the_keys_of_a_cell_are_those_of_its_words_and_values():
    text = "| **Price** list | $10 | | $49 |"
    reading = read(text, read_anchors(text))
    found = keys_in_cells(reading, cells(text))
    assert found == [{"pric", "list"}, {"#10"}, set(), {"#49"}]
    assert keys_in_cells(reading, []) == []


def test_each_row_of_the_chunks_knows_the_heading_of_its_table():
    table = "| Plan | Basic |\n|---|---|\n| Price | $10 |\n| Seats | 3 |\n"
    text = f"Two plans are sold. A a|b is no row.\n{table}\n{table}"
    evidence = Evidence((RetrievedChunk(text), RetrievedChunk(table)))
    evidence.build()
    headings = [evidence.heading_of(number) for number in range(evidence.size)]
    assert headings == [None, None, 2, 2, 2, 2, 2, 6, 6, 6, 10, 10, 10, 10]


def test_rows_without_bars_at_their_ends_stay_lines_of_their_own():
    row = "a word or two and some more of them | and another cell of many words | $10"
    evidence = Evidence((RetrievedChunk(f"plan | of many words | price\n{row}\n{row}"),))
    evidence.build()
    assert evidence.size == 3
