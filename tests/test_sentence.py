from streamguard.core.context import Context
from streamguard.core.lazy import lazy
from streamguard.core.policy import Policy
from streamguard.core.sentence import Question, Scope, Sentence


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
