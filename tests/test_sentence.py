import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.names import read_names
from streamguard.core.question import Question
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.validate import check_text
from streamguard.text.normalise import fold
from streamguard.text.patterns import lazy
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


def test_findings_are_placed_in_the_answer():
    sentence = Sentence(0, 10, 23, "“Ｊｏｈｎ” pays it.")
    whole = sentence.finding("x", None, check="c", message="m")
    assert (whole.start, whole.end, whole.value) == (10, 10 + len(sentence.text), sentence.text)
    at = sentence.folded.text.index("John")
    name = sentence.finding("x", (at, at + 4), check="c", message="m", severity="info")
    assert (name.start, name.end, name.value, name.severity) == (11, 15, "Ｊｏｈｎ", "info")


def test_a_span_of_the_folded_text_is_a_place_of_the_answer():
    sentence = Sentence(0, 10, 23, "“Ｊｏｈｎ” pays it.")
    at = sentence.folded.text.index("John")
    place = sentence.place(at, at + 4)
    assert (place.value, place.start, place.end) == ("Ｊｏｈｎ", 11, 15)


def test_under_literal_matching_no_sentence_holds_refusals():
    scope = Scope(Context(), None, Policy.preset("literal"), Question(""))
    sentence = Sentence(0, 0, 13, "I cannot say.", scope=scope)
    assert sentence.refusals == ()
    assert sentence.refuses_literally


@pytest.mark.parametrize("folding", [True, False])
def test_a_refusal_in_letters_that_look_latin_counts_where_the_policy_says_so(folding):
    scope = Scope(Context(), None, Policy(fold_look_alikes=folding), Question(""))
    sentence = Sentence(0, 0, 13, "I с\u0430nnot s\u0430y.", scope=scope)
    assert [found.phrase for found in sentence.refusals] == (["i cannot"] if folding else [])


def test_content_leaves_citations_and_keys_leave_talk_about_the_sources_out():
    sentence = Sentence(0, 0, 0, "According to passage 2, the plan costs money [C1].")
    assert sentence.content.words == (
        "according",
        "to",
        "passage",
        "2",
        "the",
        "plan",
        "costs",
        "money",
    )
    assert sentence.keys == ("plan", "cost", "money")


def test_a_question_is_read_once_for_all_sentences():
    question = Question("Does Jean-Luc Picard pay $49 in 2024?")
    assert "#49" in question.keywords
    assert {"2024"} <= question.values
    (name,) = Sentence(0, 0, 0, "So Jean Luc Picard pays.").names
    assert question.holds_name(name)


def test_a_scope_is_what_a_check_may_look_at():
    scope = Scope(Context(), None, Policy(), Question(""))
    assert scope.earlier == ()
    assert Sentence(0, 0, 5, "Costs.", scope=scope).coverage is None


def test_what_a_sentence_reads_is_documented_on_its_class():
    assert isinstance(Sentence.names, lazy)
    assert Sentence.names.__doc__.startswith("Proper nouns")


# Words whose names and values touch, hide or introduce one another.
WORDS = """
    March May 5 2024 3/5/24 Q3 In On the IBM NASA Foo Bar (MAR) of van 1990s 5, 2023 first quarter
    Acme's Mr. B. 5-7 X-Ray A @March /May Monday pm Sept 5th, & Foo-March _Foo oldMay iPhone 12 $5
    free EUR euros 5p CHF7 £3 dollars cost
""".split()


@given(st.lists(st.sampled_from(WORDS), max_size=8), st.sampled_from([" ", "", ", "]))
@example(["in", "March", "all", "repairs", "(MAR)"], " ")
def test_names_and_amounts_are_those_of_a_full_reading_though_it_is_put_off(words, joint):
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
    assert sentence.amounts == tuple(anchor for anchor in anchors if anchor.kind == "amount")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The lift pass is NOK 680 in May.", []),
        ("Foo Works paid CHF 12 million for it.", ["Foo Works"]),
        ("Refunds over USD 40 go to Ada Lovelace.", ["Ada Lovelace"]),
        ("Foo Works sends 1,500 MB or 40 GB at once.", ["Foo Works"]),
        ("Mini has 4 GB EU roaming data from Foo Works.", ["Foo Works"]),
    ],
)
def test_a_currency_or_unit_beside_its_value_is_no_name(text, names):
    assert [name.text for name in Sentence(0, 0, len(text), text).names] == names


def test_code_holds_no_names():
    text = "curl -X POST https://example.com/v1/orders -H 'Trace-Id: a1'"
    assert Sentence(0, 0, len(text), text, "code").names == ()


def test_values_are_not_read_for_amounts_and_names_where_there_are_none():
    sentence = Sentence(0, 0, 42, "Support answers within 24 hours on Basic.")
    assert sentence.amounts == sentence.names == ()
    assert "anchors" not in vars(sentence)


def test_only_amounts_are_looked_up_for_the_price_check_where_the_chunks_hold_them():
    context = Context(chunks=[RetrievedChunk("Basic costs $10.")])
    context.prepare()
    scope = Scope(context, context.evidence, Policy(), Question(""))
    text = "Basic costs $10 for 40 users."
    sentence = Sentence(0, 0, len(text), text, scope=scope)
    [(anchor, match)] = sentence.amount_matches
    assert (anchor.text, match.relation) == ("$10", "same")
    assert "matches" not in vars(sentence)
    assert [match.relation for _, match in sentence.matches] == ["same", "none"]


def test_a_question_excuses_a_person_under_another_title():
    question = Question("When does Dr Sommer see patients?")
    named = Sentence(0, 0, 0, "So Professor Sommer and Professor Winter do.").names
    assert [question.holds_name(name) for name in named] == [True, False]


def test_letters_with_and_without_their_marks_are_one_word():
    chunks = ["The sanatorium in Łódź treats señoritas and protégés of the mayor, José."]
    context = Context(query="Who is treated?", chunks=chunks)
    answer = "The sanatorium in Lodz treats senoritas and proteges of Jose."
    result = check_text(answer, context=context)
    assert result.sentences[0].coverage == 1.0
    assert not result.findings


def test_values_that_are_read_already_are_not_read_in_steps_again():
    sentence = Sentence(0, 0, 12, "It costs $5.")
    assert list(sentence.reading())
    known = sentence.anchors
    assert [anchor.text for anchor in known] == ["$5"]
    assert list(sentence.reading()) == []
    assert sentence.anchors is known
