from dataclasses import FrozenInstanceError

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamguard import check_text
from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.core.context import Context
from streamguard.core.index.content import content_of
from streamguard.core.names.reading import read_names
from streamguard.core.sentence import Sentence
from streamguard.text.normalise import fold
from streamguard.values import read_anchors


def test_a_sentence_reads_itself_without_a_scope():
    sentence = Sentence(0, 10, 60, "I cannot say; John Smith pays $59 for 5 seats [C1].")
    assert [anchor.text for anchor in sentence.amounts] == ["$59"]
    assert [name.text for name in sentence.names] == ["John Smith"]
    assert [tag.label for tag in sentence.citations] == ["C1"]
    assert [refusal.phrase for refusal in sentence.refusals] == ["i cannot"]
    assert sentence.is_claim
    assert (sentence.matches, sentence.unknown_names, sentence.cited) == ((), (), frozenset())
    assert sentence.coverage is None
    assert Sentence.names.__doc__.startswith("Proper nouns")


def test_a_check_is_given_a_sentence_with_all_that_is_read_and_earlier_ones_read_themselves_anew():
    seen = []

    def look(sentence, scope):
        seen.append(sentence)
        assert sentence.anchors is sentence.anchors
        assert sentence.coverage is sentence.coverage
        assert sentence.read() is sentence.look_up() is sentence
        for earlier in scope.earlier:
            size = len(vars(earlier))
            assert earlier.coverage == seen[earlier.index].coverage
            assert earlier.matches == seen[earlier.index].matches
            assert (earlier.support, earlier.doubted) == (
                seen[earlier.index].support,
                seen[earlier.index].doubted,
            )
            assert len(vars(earlier)) == size  # nothing is kept of it
        return ()

    context = Context("What does it cost?", ["The Basic plan costs $49 a month at Acme Corp."])
    text = "It costs $49 a month at Acme Corp. It costs $59. See Beta Corp [C1]."
    assert check_text(text, context=context, checks=DEFAULT_CHECKS.plus(look)).errors == ()
    assert [one.role for one in seen] == ["claim"] * 3
    with pytest.raises(FrozenInstanceError):
        seen[0].role = "claim"


def test_findings_are_placed_in_the_answer():
    sentence = Sentence(0, 10, 23, "“Ｊｏｈｎ” pays it.")
    whole = sentence.finding("x", None, check="c", message="m")
    assert (whole.start, whole.end, whole.value) == (10, 10 + len(sentence.text), sentence.text)
    at = sentence.folded.text.index("John")
    name = sentence.finding("x", (at, at + 4), check="c", message="m", severity="info")
    assert (name.start, name.end, name.value, name.severity) == (11, 15, "Ｊｏｈｎ", "info")
    place = sentence.place(at, at + 4)
    assert (place.value, place.start, place.end) == ("Ｊｏｈｎ", 11, 15)


# Words whose names and values touch, hide or introduce one another.
WORDS = """
    March May 5 2024 3/5/24 Q3 In On the IBM NASA Foo Bar (MAR) of van 1990s 5, 2023 first quarter
    Acme's Mr. B. 5-7 X-Ray A @March /May Monday pm Sept 5th, & Foo-March _Foo oldMay iPhone 12 $5
    free EUR euros 5p CHF7 £3 dollars cost
""".split()


@given(st.lists(st.sampled_from(WORDS), max_size=8), st.sampled_from([" ", "", ", "]))
@example(["in", "March", "all", "repairs", "(MAR)"], " ")
def test_no_name_is_part_of_a_date_an_amount_or_a_unit(words, joint):
    text = joint.join(words)
    sentence = Sentence(0, 0, len(text), text)
    anchors = read_anchors(fold(text).text)
    prose = sentence.prose
    for date in (anchor for anchor in anchors if anchor.kind in ("date", "amount")):
        prose = prose[: date.start] + " " * (date.end - date.start) + prose[date.end :]
    units = [anchor for anchor in anchors if anchor.kind == "quantity"]
    expected = [
        name
        for name in read_names(prose)
        if not any(unit.start <= name.start and name.end <= unit.end for unit in units)
    ]
    assert list(sentence.names) == expected


LEADS = ["", "1. ", "Second, ", "Also note that ", "Based on the provided passages", "(Step 2) "]


@given(st.sampled_from(LEADS), st.text("aé' -,.:5$()", max_size=20))
@example("1. ", "Pay $5 by 3 May.")
@example("Based on the provided passages", ", it's 5 o'clock")
@example("Second, ", "-in-law")
def test_what_a_sentence_states_is_the_content_of_its_plain_text(lead, rest):
    sentence = Sentence(0, 0, len(lead + rest), lead + rest).look_up()
    assert sentence.stated == content_of(sentence.plain, sentence.anchors)
