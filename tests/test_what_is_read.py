"""The page on what is read says what the code does, row by row, and no row is silently wrong."""

from tests.test_reference import loaded

what_is_read = loaded("what_is_read")


def test_the_page_is_what_the_code_says_of_every_row():
    # Each row of the page is run, and raises where an answer is misread and nothing says so.
    text = what_is_read.PAGE.read_text(encoding="utf-8")
    assert text == what_is_read.page(), "python scripts/what_is_read.py"
    assert {"read", "two readings"} <= {what_is_read.outcome(row) for row in what_is_read.VALUES}
    assert len(text.replace("|", " ").split()) < 1_500
