from hypothesis import given
from hypothesis import strategies as st

from streamguard.text.normalise import fold
from streamguard.values import read_anchors
from streamguard.values.unread import find_unread
from tests.kit.tables import differing


def unread(text):
    folded = fold(text).text
    found = find_unread(folded, read_anchors(folded))
    return "; ".join(f"{one.kind} {folded[one.start : one.end]}" for one in found)


UNREAD = [
    ("The fee is 7.2 °dH now.", "figure 7.2"), ("Es kostet 5 Xrd. €.", "magnitude Xrd."),
    ("It lost $3 quintillion.", "magnitude quintillion"),
    ("Es sind 5 Billiarden.", "magnitude Billiarden"),
    ("It costs €5 kx.", "magnitude kx"), ("It costs €5kx.", "magnitude kx"),
    ("It weighs 30zk.", "unit zk"), ("It is 40 kZ.", "unit kZ"),
    ("It costs ₡500 there.", "currency ₡"), ("It costs 500 ₡ there.", "currency ₡"),
    ("价格是三百元。", "digits 三百"), ("Chapter 〢", "digits 〢"),
]  # fmt: skip
READ = [
    "It costs $49 per month.", "See [1] and [2, 3].", "1. Open the door.", "Q1 was good, 5 cm3.",
    "It takes 30 or EUR.", "It went from 5 to €9.", "Passage 3 has it.", "at http://localhost:8080",
    "The ₡ is a sign.", "12:30 and 3.5.2024 and v1.2", "元", "A4〢", "It costs $5 tbd €9.",
]  # fmt: skip


def test_what_looks_like_a_value_and_is_none_is_listed_with_its_kind():
    assert differing(UNREAD, unread) == []
    assert differing([(text, "") for text in READ], unread) == []


PIECES = st.sampled_from(
    [*"0123456789.,:[]() -\n₡$€〢", " million", " quintillion", "三百元", "Q", "http://"]
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_what_is_unread_stands_in_order_and_inside_the_text_and_is_no_anchor(text):
    folded = fold(text).text
    anchors = read_anchors(folded)
    found = find_unread(folded, anchors)
    assert found == sorted(found)
    for one in found:
        assert 0 <= one.start < one.end <= len(folded)
        read = [a for a in anchors if a.start < one.end and one.start < a.end]
        # Letters that are glued to a figure make a name of both, and no unit.
        assert all(a.kind == "identifier" and one.end == a.end for a in read)
