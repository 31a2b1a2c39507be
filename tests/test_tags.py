"""Passages of HTML: read by their headings, lists and tables, every character in its place."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard import Context, check_text
from streamguard.text.normalise import fold_source
from streamguard.text.tags import laid_out
from tests.kit.tables import differing

TABLE = (
    "<table><thead><tr><th>Plan</th><th>Price</th><th>Seats</th></tr></thead><tbody>"
    "<tr><td>Basic</td><td><b>$49</b>/month</td><td>1</td></tr>"
    '<tr class="odd"><td>Pro</td><td>$99/month</td><td>12</td></tr></tbody></table>'
)
PRETTY = TABLE.replace("><", ">\n    <").replace("<td>", "<td>\n      ")
SECTIONS = """\
<div class="plan"><h3>Team</h3><p>It costs <b>$12</b>/user, billed annually.</p></div>
<div class="plan"><h3>Scale</h3><p>It costs <b>$20</b>/user, billed monthly.</p></div>"""
LISTS = (
    "<p>Not included in the fare:</p><ul><li>meals</li><li>lounge access</li></ul>"
    "<p>Included in the fare:</p><ul><li>one cabin bag</li><li>water</li></ul>"
)
# A passage, a right answer, and a wrong one.
ANSWERS = [
    (TABLE, "The Basic plan costs $49 a month.", "The Basic plan costs $99 a month."),
    (TABLE, "The Pro plan has 12 seats.", "The Pro plan has 1 seat."),
    (PRETTY, "The Pro plan costs $99 a month.", "The Pro plan costs $49 a month."),
    (PRETTY, "The Basic plan has 1 seat.", "The Basic plan has 12 seats."),
    (SECTIONS, "Team costs $12 per user.", "Team costs $20 per user."),
    (SECTIONS, "Scale costs $20 per user.", "Scale costs $12 per user."),
    (LISTS, "Meals are not included in the fare.", "Meals are included in the fare."),
    (LISTS, "Water is included in the fare.", "Water is not included in the fare."),
    ("<p>The fee is&nbsp;&euro;5&nbsp;per day.</p><p>It opens at&#160;9.</p>",
     "The fee is €5 per day.", "The fee is €6 per day."),
    ("<!-- $7 --><style>p { width: 7px }</style><p>The fee is <em>$5</em>.</p><p>Pay it.</p>",
     "The fee is $5.", "The fee is $7."),
]  # fmt: skip
LAID_OUT = [
    ("<h1>A</h1><h2>B</h2><p>c</p>", "\n# A\n\n\n## B\n\n\nc"),
    ("<ul><li>a</li><li>b</li></ul>", "\n\n- a\n- b"),
    ("<tr><td>a</td><td>b</td></tr>", "\n| a | b |"),
    ("<p>a<br/>b <i>c</i>d &amp; e&lt;</p><p></p>", "\na\nb cd & e<"),
    ("<p>1<sup>st</sup></p><div>x</div>", "\n1st\n\n\nx"),
    ("Use `<li>` in <ul></ul>, <p></p>", "Use `<li>` in <ul></ul>, <p></p>"),
    ("```\n<p>a</p><p>b</p>\n```", "```\n<p>a</p><p>b</p>\n```"),
    ("a < b and c > d </p>", "a < b and c > d </p>"),
]  # fmt: skip


def warned(passage, answer):
    result = check_text(answer, context=Context(query="What is said?", chunks=[passage]))
    return result.status in ("WARN", "REFUSE")


def test_a_passage_of_html_is_read_as_what_it_lays_out():
    rows = [(passage, right, False) for passage, right, _ in ANSWERS]
    rows += [(passage, wrong, True) for passage, _, wrong in ANSWERS]
    assert differing(rows, warned) == []


def test_tags_become_marks_and_lines_and_code_stays():
    def read(text):
        lines = [" ".join(line.split()) for line in fold_source(laid_out(text)).text.split("\n")]
        return "\n".join(lines).rstrip()

    assert differing(LAID_OUT, read) == []


def test_evidence_points_into_the_passage_as_it_is():
    context = Context(query="What is said?", chunks=[TABLE])
    (finding,) = check_text("The Basic plan costs $99 a month.", context=context).findings
    near = finding.nearest
    assert TABLE[near.start : near.end] == "$49</b>/month"


TAGS = (
    "<p> </p> <tr> </tr> <td> </td> <li > </li> <h2 </h2> <!-- --> <script> </script> &amp; &#0;"
    " &#9999999; &nope; ` a $5 < </ é"
)
PIECES = st.sampled_from([*TAGS.split(), "\n", " ", "<h2 a='b'>"])


@given(st.lists(PIECES, max_size=40).map("".join))
def test_every_character_keeps_its_place(text):
    laid = laid_out(text)
    assert len(laid) == len(text)
    for one, other in zip(laid, text, strict=True):
        assert one == other or one in " \n#-|\u200b&\ufffd" or other in "&\n"


@pytest.mark.parametrize("shape", ["<!--", "<script>", "<p ", "</p><!-- -", "&amp", "<td></p>"])
def test_hostile_tags_take_linear_time(shape):
    def cost(count):
        began = time.process_time()
        laid_out(shape * count + "</p></p>")
        return time.process_time() - began

    cost(100)
    assert cost(20_000) < 1.0
