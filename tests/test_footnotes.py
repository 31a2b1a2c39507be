"""Footnotes and lists of sources at an answer's end say which passages its numbers mean."""

from streamguard import Context, RetrievedChunk, StreamGuard, check_text
from streamguard.testing import feed_every_way
from tests.kit.tables import differing

CHUNKS = [
    RetrievedChunk("The Orbit pass costs $48 a month.", id="p-1", source="kb/orbit.md"),
    RetrievedChunk(
        "Comet passes\n\nThe Comet pass costs $96 a month.", id="p-2", source="https://x.org/comet"
    ),
]
COMET, ORBIT = "The Comet pass costs $96 a month", "The Orbit pass costs $48 a month"
# The answer cites the second passage by 1 and the first by 2, as its own list numbers them.
LISTS = [
    (f"{COMET}[^1]. {ORBIT}[^2].\n\n[^1]: https://x.org/comet\n[^2]: orbit.md", "fits"),
    (f"{COMET} [1]. {ORBIT} [2].\n\nSources:\n[1] https://x.org/comet\n[2] kb/orbit.md", "fits"),
    (f"{COMET} [1]. {ORBIT} [2].\n\n[1]: https://x.org/comet\n[2]: orbit.md, page 3", "fits"),
    (f"{COMET}.[^1] {ORBIT}.[^2]\n\n[^1]: p-2\n[^2]: p-1", "fits"),
    (f"{COMET} [1]. {ORBIT} [p-1].\n\n[1] <https://x.org/comet>", "fits"),
    (f"{COMET} [7].\n\n[7] (https://x.org/comet)", "fits"),
    (f"{COMET} [^1^].\n\n[^1^]: see p-2.", "fits"),
    # A list that gives a number to a passage which does not hold the claim.
    (f"{COMET} [1]. {ORBIT} [2].\n\n[1] orbit.md\n[2] comet", "citation_mismatch"),
    # Without a name that a passage has the place counts, as it does without a list.
    (f"{COMET} [1]. {ORBIT} [2].\n\n[1] The price list\n[2] Our shop", "citation_mismatch"),
    (f"{COMET} [1]. {ORBIT} [2].", "citation_mismatch"),
    (f"{COMET} [2]. {ORBIT} [1].\n\n[2] The price list", "fits"),
    (f"{COMET} [9].\n\n[9] The price list", "citation_unknown"),
    (f"{COMET} [p-2]. It is [so].\n\n[1] orbit.md", "fits"),
]  # fmt: skip


def result_of(answer, **more):
    context = Context(query="What does it cost?", chunks=CHUNKS, **more)

    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    return feed_every_way(answer, read)


def warned(answer):
    checks = [each.check for each in result_of(answer).findings if each.severity == "warning"]
    return checks[0] if checks else "fits"


def test_a_list_at_the_answer_s_end_says_what_its_numbers_mean():
    assert differing(LISTS, warned) == []


def test_the_report_says_which_passages_were_meant_and_why():
    result = result_of(LISTS[0][0])
    assert [each.cited_chunks for each in result.sentences[:2]] == [("p-2",), ("p-1",)]
    assert result.status == "PASS"
    assert {each.effect for each in result.findings} == {"none"}
    told = result.findings[0].message
    assert told == "By the list at the answer's end it names p-2."
    titled = check_text(f"{COMET} [1].\n\n[1] Comet passes", context=Context(chunks=CHUNKS))
    assert titled.sentences[0].cited_chunks == ("p-2",)
    own = check_text(LISTS[0][0], context=Context(chunks=CHUNKS, citations=["p-1"]))
    assert own.sentences[0].cited_chunks == ("p-1",)
