"""Links, mail addresses, hosts and paths as values of a text."""

from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.model.chunks import RetrievedChunk
from streamguard.text.normalise import fold
from streamguard.values import agree, read_anchors
from streamguard.values.addresses import are_near_addresses, find_addresses
from tests.kit.answers import result_of
from tests.kit.tables import differing


def read(text):
    return "; ".join(f"{one.unit} {one.key}" for one in read_anchors(fold(text).text))


ADDRESSES = [
    ("See (https://x.org/a_(b)).", "link x.org/a_(b)"),
    ("(see www.x.org/a)", "link x.org/a"),
    ("Open https://x.org/, please.", "link x.org"),
    ("It is on x.org/a?b=1#c.", "link x.org/a?b=1#c"),
    ("Write to First.Last+3@mail.x.org!", "mail first.last+3@mail.x.org"),
    ("`~/a/b.txt`", "path ~/a/b.txt"), ("It is ./a/b/", "path ./a/b"),
    ("It is D:\\a\\b.txt.", "path d:/a/b.txt"), ("It is a/b.yaml", "path a/b.yaml"),
    ("may.x.org", "link may.x.org"),
    # none of these
    ("at http://localhost:8080/a", "None 8080"),  # the port alone
    ("you@example.com", ""), ("/path/to/file", ""),
    ("he/she and/or €/kWh/day", ""), ("node.js, e.g. i.e. U.S.", ""), ("said.in a", ""),
    ("it/they are in a/b", ""), ("https://", ""),
]  # fmt: skip


def test_addresses_are_read_without_the_signs_of_their_sentence():
    assert differing(ADDRESSES, read) == []


def only(text):
    (anchor,) = read_anchors(text)
    return anchor


AGREEING = [
    ("https://x.org/a/", "www.x.org/a", True), ("x.org", "https://docs.x.org/a/b", True),
    ("x.org/a", "x.org/a/b?c=1", True), ("x.org/a/b", "x.org/a", False),
    ("x.org", "me@x.org", True), ("me@x.org", "x.org", False), ("a/b.txt", "/c/a/b.txt", False),
    ("/c/a", "/c/a/b.txt", True), ("a/b.txt", "~/a/b.txt", False),
]  # fmt: skip


def test_a_longer_address_supports_its_host_and_its_folders():
    def holds(mine, theirs):
        return agree(only(mine), only(theirs)) == "same"

    assert differing(AGREEING, holds) == []


NEAR = [
    ("x.org/a", "x.org/b", True), ("x.org/a", "y.org/b", False), ("x.org/a", "y.org/a", True),
    ("me@x.org", "you@x.org", True), ("me@x.org", "me@y.org", True),
    ("me@x.org", "you@y.org", False), ("x.org", "me@x.org", False), ("x.org", "x.org", False),
    ("/a/b/c", "/a/b/d", True), ("/a/b/c", "/e/f/d", False),
]  # fmt: skip


def test_addresses_are_near_that_share_a_part():
    def near(mine, theirs):
        return are_near_addresses(only(mine), only(theirs))

    assert differing(NEAR, near) == []


def test_the_address_of_a_passage_is_no_value_of_it():
    chunk = RetrievedChunk("The pass costs $48.", id="a", source="https://x.org/passes")
    answer = "The pass costs $48, as https://x.org/passes says."
    assert not result_of(answer, Context(chunks=(chunk,))).findings
    other = result_of(answer.replace("passes says", "pass says"), Context(chunks=(chunk,)))
    assert [finding.value for finding in other.findings] == ["https://x.org/pass"]


PIECES = st.sampled_from(
    [*"ab1./\\@:-_()~? \n", "https://", "www.", ".com", ".txt", "x.org", "c:\\"]
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_addresses_stand_in_order_and_inside_the_text(text):
    folded = fold(text).text
    anchors = read_anchors(folded)
    ends = [0, *(one.end for one in anchors)]
    assert all(end <= one.start < one.end for end, one in zip(ends, anchors, strict=False))
    assert all(one.text == folded[one.start : one.end] for one in anchors)


@given(st.lists(st.one_of(PIECES, st.sampled_from(["\t", "\u2003", "\r", "`", "="])), max_size=25))
def test_addresses_among_many_words_are_those_of_the_text_without_them(pieces):
    low, words = "".join(pieces).lower(), "word " * 500
    moved = [
        (start + len(words), end + len(words), unit) for start, end, unit in find_addresses(low)
    ]
    assert list(find_addresses(f"{words}{low} {words}")) == moved
