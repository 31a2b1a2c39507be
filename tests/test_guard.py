import hashlib
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.checks import DEFAULT_CHECKS, PATTERN_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.machine import guard as guard_module
from streamguard.core.machine import judging as judging_module
from streamguard.core.machine import ledger as ledger_module
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import AnswerSpan, Finding, Nearest, Retrieval, RetrievedChunk
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError, StreamStateError
from streamguard.testing import feed_every_way
from tests.answers import CLEAN, PLANS, QUESTION, flagged, plans, result_of


def test_a_supported_answer_passes_without_a_finding():
    result = result_of(CLEAN)
    assert (result.status, result.flags, result.findings) == ("PASS", (), ())
    assert (result.supported_claims, result.total_claims) == (1, 1)
    (sentence,) = result.sentences
    assert sentence.is_claim
    assert sentence.coverage == 1.0
    assert sentence.evidence.chunk_id == "plans.md#basic"
    assert PLANS[0].text[sentence.evidence.start : sentence.evidence.end] == CLEAN
    assert sentence.support > 0.95
    assert sentence.reasons
    assert result.scores.groundedness > 0.95
    assert result.complete
    assert result.replacement is None


def test_an_unsupported_price_is_found_with_its_nearest_evidence():
    result = result_of("The Basic plan costs $59 per month and includes one seat.")
    (finding,) = [f for f in result.findings if f.check == "unsupported_price"]
    assert finding.flag == "potential_hallucination"
    assert finding.value.startswith("$59")
    assert finding.nearest.value.startswith("$49")
    assert finding.nearest.chunk_id == "plans.md#basic"
    assert "$49" in finding.message
    assert result.status == "REFUSE"
    assert [reason.code for reason in result.reasons] == ["all_wrong", "unsupported_money"]
    assert [banner.colour for banner in result.banners] == ["orange"]


def test_a_differing_period_is_a_mismatch_and_a_contradiction():
    result = result_of("The Basic plan costs $49 per year and includes one seat.")
    assert result.flags == ("potential_hallucination",)
    assert "another period" in result.findings[0].message
    assert result.status == "REFUSE"
    assert [reason.code for reason in result.reasons] == ["all_wrong", "unsupported_money"]
    assert result.supported_claims == 0


@pytest.mark.parametrize(
    "answer",
    [
        "## Key Takeaways\n\nJane Miller approves refunds.",
        "- **Approval Limit:** $49 by Jane Miller",
        "| Who Approves | Price Limit |\n|---|---|\n| Jane Miller | $49 |",
        "Dear [Customer Name], Jane Miller approves refunds.",
        "IMPORTANT: Jane Miller MUST approve refunds.",
        "JANE MILLER APPROVES ALL KINDS OF REFUNDS.",
    ],
)
def test_what_is_capitalised_by_its_style_is_no_name(answer):
    assert [
        one.value for one in result_of(answer).findings if one.check == "unsupported_name"
    ] == []


@pytest.mark.parametrize(
    ("passage", "said"),
    [
        ("Ask at the Paris-Lyon desk in spring.", "Ask at the Paris-Lyon desk in spring."),
        ("Send the Retry-After header.", "You can send the Retry-After header."),
        ("Sow it in October–November.", "You can sow it in Oct–Nov, outdoors."),
        ("Sow it Oct-Nov.", "You can sow it in October–November, outdoors."),
    ],
)
def test_a_hyphenated_name_is_looked_up_as_it_stands(passage, said):
    found = check_text(said, context=Context(chunks=[passage])).findings
    assert [one.value for one in found if one.check == "unsupported_name"] == []


def test_a_hyphenated_name_in_no_chunk_is_found():
    result = check_text("You go to the Paris-Lyon desk.", context=Context(chunks=["Go to Lyon."]))
    assert "Paris-Lyon" in [one.value for one in result.findings]


def test_a_name_in_no_chunk_is_found_and_one_in_the_question_is_not():
    assert flagged(result_of("Refunds are approved by John Smith."), "potential_hallucination") == [
        "John Smith"
    ]
    asked = plans("Does John Smith approve refunds?")
    assert not flagged(
        result_of("Refunds: John Smith does not decide.", asked), "potential_hallucination"
    )
    assert not flagged(result_of("Jane Miller approves refunds."), "potential_hallucination")
    ours = Policy(allowed_names=("Clearpath Assistant",))
    assert not flagged(
        result_of("Ask Clearpath Assistant about refunds.", policy=ours), "potential_hallucination"
    )


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("So John Miller approves refunds.", ["John Miller"]),
        ("Jane Miller approves refunds.", []),
        ("Ask Jane Miller about refunds.", []),
        ("Contact Jane Miller.", []),
        ("**Premium Tariff** costs $49", ["Premium Tariff"]),
        ("It belongs to Jane Miller Ltd today.", []),
    ],
)
def test_the_first_word_of_a_sentence_is_part_of_a_name_unless_evidence_says_otherwise(
    answer, names
):
    found = [f.value for f in result_of(answer).findings if f.check == "unsupported_name"]
    assert found == names


def test_numbers_and_dates_in_no_chunk_are_found():
    result = result_of("Support answers within 36 hours. It was introduced on 6 April 2023.")
    assert flagged(result, "potential_hallucination") == ["36 hours", "6 April 2023"]


def test_values_in_code_are_left_alone():
    result = result_of("Run this:\n```\nretries = 77\nprice = $77.50\n```\n")
    assert result.flags == ()
    assert not any(sentence.is_claim for sentence in result.sentences)


def test_an_answer_of_many_claims_that_is_hardly_grounded_is_refused():
    answer = (
        "Penguins inhabit southern oceans. Volcanoes erupt under glaciers. Dancers admire golden"
        " lanterns. Musicians rehearse complicated symphonies. The Basic plan costs $49 per month."
    )
    result = result_of(answer, policy=Policy(min_support=0.85))
    assert result.status == "REFUSE"
    assert [reason.code for reason in result.reasons] == ["low_groundedness"]
    assert len(result.uncovered_claims) == 4
    assert result.replacement == "I cannot answer this based on the provided documents."
    assert flagged(result, "unsupported_claim") == list(result.uncovered_claims)


def test_the_doubt_is_that_of_the_likeliest_slot_to_be_wrong():
    context = Context(chunks=["The Basic plan costs $49 per month and includes one seat."])
    right = check_text("The Basic plan costs $49 per month.", context=context).scores.doubt
    wrong = "The Basic plan costs $49 per month. It includes 9 seats."
    assert right < check_text(wrong, context=context).scores.doubt <= 1.0
    assert check_text("Hello!", context=context).scores.doubt is None
    assert check_text(wrong, context=Context(chunks=[])).scores.doubt is None


def test_a_whole_refusal_over_insufficient_retrieval_passes_as_expected():
    context = Context(query="Who won the cup?", chunks=PLANS)
    result = result_of("I cannot answer this based on the provided documents.", context)
    assert result.status == "PASS"
    assert (result.refusal.extent, result.refusal.kind) == ("whole", "expected")
    assert result.refusal.phrases == ("i cannot answer this based on the provided documents",)
    assert result.scores.verdict is None
    assert result.flags == ("refusal_detected",)
    assert result.banners == ()


def test_a_whole_refusal_over_sufficient_evidence_is_an_over_refusal():
    result = result_of("I'm sorry, but I don't have that information. Please contact support.")
    assert (result.refusal.extent, result.refusal.kind) == ("whole", "over_refusal")
    assert result.status == "PASS"


@pytest.mark.parametrize(
    "answer",
    [
        "I don't have information about that. Please reach out to your HR department for help.",
        "I cannot answer this. Please contact HR for further questions.",
    ],
)
def test_a_referral_leaves_a_refusal_whole(answer):
    context = Context(query="How long is parental leave?", chunks=["Annual leave: 20 days."])
    result = result_of(answer, context)
    assert (result.status, result.refusal.extent, result.refusal.kind) == (
        "PASS",
        "whole",
        "expected",
    )


def test_a_quoted_refusal_is_reported_and_the_sentence_still_judged():
    context = Context(chunks=["The message “I can't log in” means that the password has expired."])
    result = result_of(
        'The FAQ says: "I can\'t log in" means that the password has expired.', context
    )
    assert "refusal_detected" in result.flags
    assert result.total_claims == 1


def test_a_partial_refusal_is_checked_like_any_answer():
    result = result_of("I cannot say who pays. The Basic plan costs $59 per month.")
    assert result.refusal.extent == "partial"
    assert flagged(result, "potential_hallucination")


def test_an_answer_despite_insufficient_evidence_is_a_missing_refusal():
    context = plans(retrieval=Retrieval(is_answerable=False, confidence_level="insufficient"))
    result = result_of(CLEAN, context)
    assert result.refusal.kind == "missing_refusal"
    assert result.retrieval.confidence_level == "insufficient"


def test_without_context_there_is_no_status_and_no_banner():
    result = result_of(
        "The answer is 42 dollars, says John Smith. I think so.", Context(query="Why?")
    )
    assert result.status is None
    assert result.reasons[0].code == "no_context_given"
    assert (result.banners, result.replacement, result.retrieval) == ((), None, None)
    assert result.scores.hallucination is None
    assert result.scores.relevance is not None


def test_without_context_a_refusal_is_still_seen():
    result = result_of("I'm not sure.", Context())
    assert result.refusal.detected
    assert result.status is None


def test_empty_retrieval_warns_and_refuses_what_claims_something():
    result = result_of(CLEAN, Context(query=QUESTION, chunks=()))
    assert result.status == "REFUSE"
    assert result.reasons[0].code == "no_mapping"
    assert "no_context_warning" in result.flags
    assert result.banners[0].colour == "yellow"
    assert result.banners[0].text == "This response was generated without supporting documentation."
    assert result.scores.hallucination == 1.0
    assert result.scores.high_risk


def test_empty_retrieval_and_a_refusal_pass():
    result = result_of("I cannot answer this.", Context(query=QUESTION, chunks=()))
    assert (result.status, result.refusal.kind) == ("PASS", "expected")


@pytest.mark.parametrize(
    "answer",
    [
        "Hello!",
        "Hello! Welcome to Acme Support. How can I help you today?",
        "As an AI language model, I don't have personal opinions.",
    ],
)
def test_greetings_and_self_descriptions_pass_without_claims(answer):
    result = result_of(answer)
    assert (result.status, result.total_claims, result.citation_density) == ("PASS", 0, 0)
    assert result.scores.verdict is None


@pytest.mark.parametrize("answer", ["", "  \n\n "])
def test_an_answer_without_text_has_nothing_to_check(answer):
    result = result_of(answer)
    assert (result.status, result.reasons[0].code) == ("PASS", "nothing_to_check")
    assert result.scores.verdict is None


def test_a_short_answer_is_judged_by_its_fragment():
    assert result_of("Basic plan").total_claims == 1
    result = result_of("Elephants")
    assert (result.status, result.total_claims) == ("REFUSE", 1)
    assert flagged(result, "unsupported_claim") == ["Elephants"]
    assert result.sentences[0].findings == (0,)


def test_restating_the_question_needs_evidence():
    context = Context(query="Which Mars rover launched in 1997?", chunks=PLANS)
    assert result_of("The Mars rover launched in 1997.", context).status == "REFUSE"


def test_citations_count_and_map():
    context = plans(citations_requested=True)
    result = result_of(
        "The Basic plan costs $49 per month [C1]. Refunds take 14 days [C3].", context
    )
    assert (result.status, result.citation_density) == ("PASS", 1.0)
    assert result.sentences[0].cited_chunks == ("plans.md#basic",)
    assert result.sentences[1].cited_chunks == ("C3",)


def test_an_unknown_citation_is_named():
    result = result_of("The Basic plan costs $49 per month [C9].")
    (finding,) = result.findings
    assert (finding.flag, finding.value) == ("citation_unknown", "[C9]")
    assert finding.message == "[C9] names no retrieved passage; there are 3."


def test_a_citation_of_the_wrong_chunk_names_the_right_one():
    result = result_of("The Basic plan costs $49 per month [C2].")
    (finding,) = [f for f in result.findings if f.flag == "citation_mismatch"]
    assert finding.value == "[C2]"
    assert finding.nearest.chunk_id == "plans.md#basic"
    both = result_of("The Basic plan costs $49 per month [C2][C1].")
    assert "citation_mismatch" not in both.flags


def test_a_claim_whose_words_are_in_another_chunk_is_a_mismatch_too():
    result = result_of("Jane Miller leads the billing team [C1].")
    (finding,) = [f for f in result.findings if f.flag == "citation_mismatch"]
    assert finding.nearest.chunk_id == "C3"


def test_a_wrong_citation_of_something_nowhere_is_no_mismatch():
    assert "citation_mismatch" not in result_of("Penguins inhabit southern oceans [C1].").flags


def test_uncited_claims_are_pointed_out_only_where_citations_were_requested():
    assert "uncited_claim" not in result_of(CLEAN).flags
    result = result_of(CLEAN, plans(citations_requested=True))
    assert flagged(result, "uncited_claim") == [CLEAN]
    assert (result.status, result.reasons[0].code) == ("WARN", "citation_density")


def test_the_callers_citation_list_wins_over_the_tags():
    context = plans(citations=["plans.md#pro", "nowhere"], citations_requested=True)
    result = result_of("The Pro plan costs $99 per month [C9].", context)
    assert flagged(result, "citation_unknown") == ["nowhere"]
    assert result.citation_density == 2.0
    assert result.sentences[0].cited_chunks == ("plans.md#pro",)


def test_an_incomplete_answer_is_at_least_a_warning():
    guard = StreamGuard(plans())
    guard.feed("The Basic plan costs $49 per mo")
    result = guard.close("upstream_error")
    assert (result.complete, result.ended, result.status) == (False, "upstream_error", "WARN")
    assert [reason.code for reason in result.reasons] == ["incomplete", "supported"]


def test_close_is_idempotent_and_the_first_closing_counts():
    guard = StreamGuard(plans())
    first = guard.close("cancelled")
    assert guard.close() is first
    with pytest.raises(StreamStateError, match="feed\\(\\) after close\\(\\)"):
        guard.feed("more")


def failing(sentence, scope):
    """A check that finds something and then breaks."""
    yield sentence.finding("mine", None, check="failing", message="seen", severity="info")
    raise ValueError("secret answer text")


def test_a_check_that_raises_is_listed_and_harms_nothing():
    result = result_of(CLEAN + " " + CLEAN, checks=DEFAULT_CHECKS.plus(failing))
    assert result.errors == ("failing: ValueError (secret answer text)",)
    assert (result.status, result.reasons[0].code) == ("WARN", "check_error")
    assert flagged(result, "mine") == [CLEAN, CLEAN]
    assert result.flags == ("check_error", "mine")


def test_a_check_that_yields_something_else_is_an_error():
    def wrong(sentence, scope):
        return ["finding"]

    result = result_of(CLEAN, checks=DEFAULT_CHECKS.plus(wrong))
    assert result.errors == ("wrong: TypeError (yielded a str, expected a Finding)",)


def test_a_check_over_the_whole_answer_runs_once_at_the_close():
    def too_short(answer, scope):
        if len(answer.claims) < 2:
            yield Finding("too_short", "too_short", "info", None, None, None, None, "short")

    result = result_of(CLEAN, checks=DEFAULT_CHECKS.plus(at_close=[too_short]))
    assert result.flags == ("too_short",)


def test_a_broken_reader_of_ours_does_not_harm_the_stream(monkeypatch):
    def broken(text, in_code):
        raise RuntimeError

    monkeypatch.setattr(judging_module, "block_kind", broken)
    result = check_text(CLEAN, context=plans())
    assert result.errors == ("roles: RuntimeError",)
    assert result.status == "WARN"


def test_checks_see_earlier_sentences_and_the_scope():
    def repeated(sentence, scope):
        if any(sentence.text == other.text for other in scope.earlier):
            yield sentence.finding("repeated", None, check="repeated", message="again")

    result = result_of(f"{CLEAN} {CLEAN}", checks=Checks(per_sentence=(repeated,)))
    assert [finding.start for finding in result.findings] == [len(CLEAN) + 1]


def test_pattern_checks_give_findings_without_a_verdict():
    result = result_of("I cannot say. It costs $59, says John Smith.", checks=PATTERN_CHECKS)
    assert (result.status, result.reasons[0].code) == (None, "verdicts_off")
    assert result.scores.verdict is None
    assert result.flags == ("refusal_detected", "potential_hallucination")
    assert len(flagged(result, "potential_hallucination")) == 2
    assert (result.total_claims, result.refusal.extent) == (0, "none")


def test_more_findings_than_the_cap_reach_a_limit(monkeypatch):
    monkeypatch.setattr(ledger_module, "MAX_FINDINGS", 3)
    result = result_of("It costs $1111. " * 5)
    assert result.flags[-1] == "limit_reached"
    assert result.reasons[-1].code in ("limit_reached", "no_mapping", "uncovered_claims")
    assert "more than 3 findings" in result.findings[-1].message


def test_text_and_sentences_over_their_caps_are_relayed_unchecked(monkeypatch):
    monkeypatch.setattr(guard_module, "MAX_TEXT_CHARS", len(CLEAN))
    result = result_of(f"{CLEAN} It costs $1111.")
    assert "potential_hallucination" not in result.flags
    assert result.flags == ("limit_reached",)
    assert (result.status, result.reasons[0].code) == ("WARN", "limit_reached")
    assert result.work.chars_in == len(f"{CLEAN} It costs $1111.")
    monkeypatch.undo()
    monkeypatch.setattr(judging_module, "MAX_SENTENCES", 1)
    result = result_of(f"{CLEAN} It costs $1111. Really.")
    assert result.flags == ("limit_reached",)
    assert result.work.sentences == 1


def test_surrogates_are_joined_over_pieces_and_lone_ones_replaced():
    def read(pieces):
        guard = StreamGuard()
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    result = feed_every_way("Fine \ud83d\ude00 and \ud83d alone\ud83d", read)
    text = "Fine 😀 and \ufffd alone\ufffd"
    assert result.text.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert result.text.code_points == len(text)
    assert result.text.utf16_units == len(text) + 1


def test_a_large_context_is_built_in_slices_and_changes_nothing():
    padding = "Unrelated filler words stand here in order. " * 300
    context = Context(query=QUESTION, chunks=[padding, PLANS[0], padding])
    guard = StreamGuard(context)
    pieces = [CLEAN[i : i + 4] for i in range(0, len(CLEAN), 4)]
    guard.feed(f"{CLEAN} ")
    guard.feed("The")
    assert not context.evidence.ready
    assert guard.settled() == []
    for piece in pieces:
        guard.feed(piece)
    prepared = Context(query=QUESTION, chunks=[padding, PLANS[0], padding])
    prepared.prepare()
    assert guard.close() == check_text(f"{CLEAN} The{CLEAN}", context=prepared)


def test_settled_hands_out_each_sentence_once():
    guard = StreamGuard(plans())
    guard.context.prepare()
    guard.feed(f"{CLEAN} It costs $59. ")
    guard.feed("And")
    first = guard.settled()
    assert [each.index for each in first] == [0, 1]
    assert first[1].findings[0].value.startswith("$59")
    assert (first[1].ids[0], first[1].provisional) == ("0.1.0", ())
    assert guard.settled() == []
    guard.close()
    assert [each.index for each in guard.settled()] == [2]


def test_stats_stay_within_the_work_law():
    text = f"{CLEAN} It costs $59, see [C1] and [C2]. " * 20
    guard = StreamGuard(plans())
    for at in range(0, len(text), 4):
        guard.feed(text[at : at + 4])
    result = guard.close()
    assert guard.stats.pieces == -(-len(text) // 4)
    assert guard.stats.chars_scanned <= 1.3 * len(text) + 200 * result.work.sentences


def test_errors_and_limits_of_the_caller_are_listed():
    guard = StreamGuard(plans())
    guard.feed(CLEAN)
    guard.report_error("on_finding", ValueError("x"))
    guard.report_error("on_finding", ValueError("x"))
    guard.report_limit("more than 2 choices")
    result = guard.close()
    assert result.errors == ("on_finding: ValueError",)
    assert result.flags == ("check_error", "limit_reached")


PARTS = [
    *(CLEAN, " ", "\n", "\n\n", "- ", "1. ", "$49", "$1,299.00/mo", "I cannot", "i can’t ", ". "),
    *(
        "? ",
        "John Smith",
        "[C1]",
        "[C9] ",
        "```\n",
        "| a | b |\n",
        "# Head\n",
        "e.g. ",
        "Dr. ",
        "…",
    ),
    *(
        "。",
        "50 %",
        "5 March 2021",
        "it\u00a0is ",
        "\u200b",
        "😀",
        "“No,” ",
        "(Source: x) ",
        "x" * 40,
    ),
    *("x" * 40, "\ud83d", "\r\n", "**b.** "),
]
NASTY = st.lists(st.sampled_from(PARTS), max_size=25).map("".join)


@given(NASTY, st.randoms(use_true_random=False))
def test_no_cut_changes_the_result(text, rng):
    from streamguard.testing import cut

    whole = check_text(text, context=plans(citations_requested=True))
    guard = StreamGuard(plans(citations_requested=True))
    for piece in cut(text, rng):
        guard.feed(piece)
    assert guard.close() == whole


def test_a_failing_judgement_leaves_the_sentence_without_a_claim(monkeypatch):
    def broken(sentence):
        raise RuntimeError

    monkeypatch.setattr(judging_module, "judged", broken)
    result = check_text("Elephants", context=plans())
    assert (result.total_claims, result.errors) == (0, ("claims: RuntimeError",))


def test_broken_strings_of_a_check_of_the_applications_are_mended():
    def odd(sentence, scope):
        nearest = Nearest("\ud83d", "a\udc00", 0, 1)
        yield Finding("odd\ud83d", "odd", "info", 0, 1, "x\ud83d", nearest, "grün \udc00")
        yield Finding("odd", "odd", "info", 0, 1, None, None, "grün")

    result = check_text(CLEAN, checks=Checks(per_sentence=(odd,), verdicts=False))
    assert result.flags == ("odd", "odd\ufffd")
    assert result.findings[0].nearest == Nearest("\ufffd", "a\ufffd", 0, 1)
    assert result.findings[0].message == "grün \ufffd"
    assert result.model_dump_json(ensure_ascii=True).isascii()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"flag": None}, "flag and check must be str"),
        ({"value": 5}, "value and message must be str or None"),
        ({"severity": "fatal"}, "severity is 'fatal', expected info or warning"),
        ({"start": "a"}, "span is 'a' to 3, expected 0 to"),
        ({"start": -50}, "span is -50 to 3, expected 0 to"),
        ({"end": 10**9}, "span is 0 to 1000000000, expected 0 to"),
        ({"start": None}, "span is None to 3, expected 0 to"),
        ({"start": [1]}, r"span is \[1\] to 3"),
        ({"nearest": Nearest("x", "C1", -1, 2)}, "nearest is Nearest"),
        ({"nearest": Nearest("x", 7, 0, 2)}, "nearest is Nearest"),
        ({"nearest": Nearest(7, "C1", 0, 2)}, "nearest is Nearest"),
        ({"nearest": "C1"}, "nearest is 'C1'"),
        ({"against": "here"}, "against is 'here', expected an AnswerSpan, 0 to"),
        ({"against": AnswerSpan(7, 0, 2)}, "against is AnswerSpan"),
        ({"against": AnswerSpan("x", 2, 1)}, "against is AnswerSpan"),
    ],
)
def test_a_finding_that_is_none_is_an_error_of_its_check(changes, words):
    good = Finding("mine", "mine", "info", 0, 3, None, None, None)

    def odd(subject, scope):
        yield replace(good, **changes)

    for checks in (Checks((odd,)), Checks(at_close=(odd,))):
        result = result_of(CLEAN, checks=checks)
        (error,) = result.errors
        assert re.search(words, error)
        assert result.flags == ("check_error",)


def test_exceptions_and_checks_without_words_are_listed_too():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    class Odd:
        def __getattr__(self, name):
            raise RuntimeError

        def __call__(self, sentence, scope):
            raise Mute

    assert result_of(CLEAN, checks=Checks((Odd(),))).errors == ("Odd: Mute",)


def test_a_check_that_fails_on_every_sentence_is_listed_once():
    def failing_always(sentence, scope):
        raise ValueError(sentence.text)

    result = result_of("One plan. Two plans. Three plans.", checks=Checks((failing_always,)))
    assert result.errors == ("failing_always: ValueError (One plan.)",)
    assert len(result.findings) == 1


def test_findings_made_at_the_close_are_listed_under_their_sentence():
    def ends(answer, scope):
        for sentence in answer.sentences:
            yield Finding("end", "ends", "info", sentence.end - 1, sentence.end, ".", None, None)
        yield Finding("whole", "ends", "info", None, None, None, None, None)
        yield Finding("gap", "ends", "info", len(CLEAN), len(CLEAN) + 1, None, None, None)

    result = result_of(f"{CLEAN} {CLEAN}", checks=Checks(at_close=(ends,)))
    assert [sentence.findings for sentence in result.sentences] == [(0,), (1,)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"context": {}}, "context is a dict, expected Context"),
        ({"policy": 3}, "policy is a int, expected a Policy or one of strict, moderate"),
        ({"policy": "severe"}, "policy is 'severe', expected one of strict, moderate"),
        ({"checks": [failing]}, "checks is a list, expected Checks"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ConfigError, match=words):
        StreamGuard(**arguments)


@pytest.mark.parametrize("piece", [None, b"bytes", 5])
def test_a_piece_that_is_no_text_is_refused_before_it_is_counted(piece):
    guard = StreamGuard()
    with pytest.raises(TypeError, match="feed\\(\\) takes a str, not"):
        guard.feed(piece)
    assert guard.stats.pieces == 0


def test_verbatim_instructions_are_covered_whatever_their_numbering():
    context = Context(query="How do I export?", chunks=["Click Save. Click Export. Click Done."])
    for answer in (
        "Step 1: Click Save.\nStep 2: Click Export.\nStep 3: Click Done.",
        "10. Click Save.\n11. Click Export.\n12. Click Done.",
        "**Step 1:** Click Save.\n**Step 2:** Click Export.\n**Step 3:** Click Done.",
        "First, click Save. Next, click Export. Finally, click Done.",
    ):
        result = result_of(answer, context)
        assert result.status == "PASS", answer
        assert {sentence.coverage for sentence in result.sentences} == {1.0}, answer
        assert result.scores.hallucination == 0.0, answer


def test_a_tables_head_is_a_heading_and_its_rows_are_claims():
    context = Context(
        chunks=["The Basic plan is $10 with 1 seat. The Pro plan is $20 with 5 seats."]
    )
    table = (
        "| Tariff | Monthly fee | People |\n|---|---|---|\n| Basic | $10 | 1 |\n| Pro | $20 | 5 |"
    )
    result = result_of(table, context)
    assert [sentence.is_claim for sentence in result.sentences] == [False, False, True, True]
    assert result.status == "PASS"


def test_a_list_of_bare_words_is_judged_by_its_items():
    context = Context(query="Which colours?", chunks=["The phone comes in black and white."])
    result = result_of("The supported colours are:\n- Blue\n- Red\n- Purple", context)
    assert (result.status, result.total_claims) == ("REFUSE", 3)


def test_a_code_block_cites_nothing():
    context = plans(citations_requested=True)
    answer = "The Pro plan costs $99 per month.\n```\na[1]; b[2]; c[1]\n```"
    result = result_of(answer, context, policy=Policy.preset("strict"))
    assert (result.status, result.citation_density) == ("REFUSE", 0.0)
    assert "citation_unknown" not in result.flags


def test_a_lone_figure_in_another_chunk_is_no_citation_mismatch():
    context = Context(
        chunks=["Refunds take ten business days.", "Shipping takes 10 days in winter."]
    )
    assert "citation_mismatch" not in result_of("Refunds take 10 days [C1].", context).flags


@pytest.mark.parametrize(
    ("answer", "mismatch"),
    [
        ("The Basic plan costs $49 per month and includes one seat [C2].", True),
        ("The Basic plan costs $49 per month and includes one seat [C1].", False),
        ("The second Basic plan costs little per month [C2].", False),
        ("Penguins inhabit oceans [C2].", False),
        ("The plan costs $777 per month [C2].", False),
    ],
)
def test_a_mismatch_needs_a_chunk_that_maps_and_is_not_cited(answer, mismatch):
    assert ("citation_mismatch" in result_of(answer).flags) is mismatch


def test_a_cited_id_with_typographic_signs_is_recognised():
    chunk = RetrievedChunk("The Basic plan costs $49.", id="FAQ – Preise")
    result = result_of("The Basic plan costs $49 [FAQ – Preise].", Context(chunks=[chunk]))
    assert result.sentences[0].cited_chunks == ("FAQ – Preise",)


LEADER = "Maria Lopez leads customer success in Denver."


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Maria Lopez leads customer success in Dallas.", ["Dallas"]),
        ("Maria Lopez leads customer success in Denver.", []),
        ("Maria Lopez leads customer success in Austin.", []),
        ("Where is Dallas?", []),
    ],
)
def test_a_name_of_one_word_inside_a_claim_that_no_passage_holds_is_flagged(answer, found):
    context = Context(query="Does she work in Austin?", chunks=[RetrievedChunk(LEADER)])

    def names(pieces):
        machine = StreamGuard(context)
        for piece in pieces:
            machine.feed(piece)
        return [f.value for f in machine.close().findings if f.check == "unsupported_name"]

    assert feed_every_way(answer, names) == found


ITEMS = "".join(f"- Item {number}\n" for number in range(300))


def fed(text, context=None):
    machine = StreamGuard(context or plans())
    machine.feed(text)
    return machine


def test_closing_in_steps_gives_the_same_result():
    machine = fed(ITEMS)
    steps = list(iter(machine.close_step, None))
    assert len(steps) > 300
    assert machine.close_step() is None
    assert machine.close() == fed(ITEMS).close()


@pytest.mark.parametrize("done", [0, 1, 50, 400])
def test_closing_that_was_begun_in_steps_is_ended_by_close(done):
    machine = fed(f"It costs $59 per month. {ITEMS}")
    for _ in range(done):
        machine.close_step()
    assert machine.close("client_disconnect") == fed(f"It costs $59 per month. {ITEMS}").close(
        "client_disconnect"
    )


def test_no_piece_follows_the_first_step_of_closing():
    machine = fed("It costs $59")
    machine.close_step()
    with pytest.raises(StreamStateError, match="after close"):
        machine.feed(" a month.")


def test_an_error_reported_between_the_last_step_and_the_close_is_listed():
    machine = fed(CLEAN)
    while machine.close_step() is not None:
        pass
    machine.report_error("on_finding", ValueError())
    assert machine.close().errors == ("on_finding: ValueError",)


@pytest.mark.parametrize("policy", ["moderate", "literal", "calibrated"])
@pytest.mark.parametrize(
    ("answer", "chunks"),
    [
        ("Anna Maria Lopez leads it.", ["It is led by Anna Maria", "Lopez runs the shop."]),
        ("99%, with 0 incidents in 0 regions", ["It had 98% with 0 incidents in 0 regions."]),
        ("It costs $9. It has much.", ["It costs $9.", "It has much of it."]),
        ("It is open on Monday.", ["|\n|\n| Mon | 9 |"]),
        ("|\n| Mon | 9 |", ["| Mon | 9 |"]),
    ],
)
def test_no_check_fails_on_ordinary_text(answer, chunks, policy):
    context = Context(query=answer, chunks=chunks)
    result = check_text(answer, context=context, policy=Policy.preset(policy))
    assert result.errors == ()


def test_a_name_may_be_another_persons_also_at_a_sentences_start():
    def names(answer, chunk):
        result = check_text(answer, context=Context(chunks=[chunk]))
        return [found.value for found in result.findings if found.check == "unsupported_name"]

    assert names("John Miller leads it.", "Sarah Miller leads it.") == ["John Miller"]
    assert names("Meet Miller at noon.", "Dr Miller is in at noon.") == []
    assert names("Enjoy Wellington.", "Visit Wellington.") == []
    assert names("Greet Miller.", "Miller greets.") == []
    assert names("Alan Turing spoke.", "Nobody spoke.") == ["Alan Turing"]
