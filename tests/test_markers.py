from streamguard.core.model.types import RetrievedChunk
from streamguard.core.reading.markers import STANDARD_REFUSAL, Labels, citations_in, refusal_message
from tests.kit.tables import differing


def tags(text, labels=None):
    return [(text[tag.start : tag.end], tag.label) for tag in citations_in(text, labels)]


CITED = [
    # a text, and the labels its tags name; each tag is in brackets of some kind
    ("Costs $49 [1][2].", ["C1", "C2"]), ("Both [C1, C3].", ["C1", "C3"]),
    ("Both [c1; 4].", ["C1", "C4"]), ("See [C02].", ["C2"]), ("Both (C1, C2).", ["C1", "C2"]),
    ("Costs $49【C2】.", ["C2"]), ("All [C1-C3].", ["C1", "C2", "C3"]),
    ("Linked [C1](https://x/y).", ["C1"]), ("Both [C1 and C3].", ["C1", "C3"]),
    ("Both [C1/C3] [C2 & 4].", ["C1", "C3", "C2", "C4"]),
    ("It is $49 [Source: C2] (see C3).", ["C2", "C3"]), ("It is $49 (Source 2).", ["C2"]),
    ("It is [Doc 1, Doc 2].", ["C1", "C2"]), ("It is $49 [^2].", ["C2"]),
    ("It is $49 [C2, p. 3] [C1, pages 3-4].", ["C2", "C1"]),
    ("A link [1](http://x), [2](b).", ["C1", "C2"]),
    ("An array[0 is open", []), ("no bracket", []), ("[...]", []),
    ("A note (see below) is none.", []),
    ("A number at a clause's end is told, not read (1).", [""]),
    ("Step [1/2], (section 4), (page 3), (sources vary).", []), ("Use `items[0]` and `a[1]`.", []),
    ("The range [0, 100] by Smith [2023].", []),
]  # fmt: skip


def test_citations_are_read_from_their_tags():
    assert differing(CITED, lambda text: [label for _, label in tags(text)]) == []
    assert tags("So [C1-C2](http://x), [3].") == [
        ("[C1-C2](http://x)", "C1"),
        ("[C1-C2](http://x)", "C2"),
        ("[3]", "C3"),
    ]


def test_a_chunks_own_id_in_brackets_is_a_citation():
    labels = {"doc-7": ["doc-7"], "a - b": ["a – b"]}
    assert tags("See [doc-7] and [x-8].", labels) == [("[doc-7]", "doc-7"), ("[x-8]", "")]
    assert tags("See [doc-8].", labels) == [("[doc-8]", "doc-8")]  # like theirs: an id, no place
    assert tags("See [a - b], not [a - b](x/y).", labels) == [("[a - b]", "a – b")]
    assert tags("See (Source: doc-7).", labels) == [("(Source: doc-7)", "doc-7")]


def test_the_source_of_chunks_in_brackets_cites_each_of_them():
    chunks = [RetrievedChunk("a", source="docs/faq.md"), RetrievedChunk("b", source="2"),
              RetrievedChunk("c", id="x", source="docs/faq.md")]  # fmt: skip
    labels = Labels(chunks).folded
    for tag in ("[faq.md]", "[docs/faq.md]", "[Source: faq.md]", "(source: faq.md)", "(faq.md)"):
        assert tags(f"It is so {tag}.", labels) == [(tag, "C1"), (tag, "x")]
    assert tags("It is so [2].", labels) == [("[2]", "C2")]
    assert tags("It is so [faq] (faq.txt).", labels) == []


def test_the_refusal_names_its_topic_when_there_is_one():
    assert refusal_message() == STANDARD_REFUSAL
    assert refusal_message(" ") == STANDARD_REFUSAL
    assert refusal_message("vacation policies.").endswith("They do not cover vacation policies.")
    assert refusal_message("x").startswith(STANDARD_REFUSAL)
