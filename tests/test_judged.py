"""What a judge's word makes of an answer: its findings, its status, and who read what."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard import Checks, Policy, StreamGuard, Verifier, check_text
from streamguard.core.context import Context
from streamguard.core.model.policy import Calibration
from streamguard.core.model.result import GuardrailsResult
from streamguard.core.model.types import Finding, Quotation, RetrievedChunk, Verdict
from streamguard.core.verdict import weighing
from streamguard.core.verdict.confirmed import EXACT, is_confirmed
from streamguard.core.verdict.judges import is_believed, standing
from streamguard.core.verdict.rules import in_words
from tests.kit.judges import score_claims

JUDGE = "judge small v2"
LEASE = (
    "A tenant may end the lease with three months' notice. Guests may stay for up to 14 consecutive"
    " nights without notice. The deposit is $1,900 and the pet deposit $350."
)
CHUNKS = (
    RetrievedChunk(LEASE, id="lease"),
    RetrievedChunk("The lift is out of service from Monday to Thursday.", id="notice"),
)
CONTEXT = Context(query="How long may guests stay, and what does a tenant pay?", chunks=CHUNKS)
WRONG = "Guests may never stay overnight without telling the landlord first."
RIGHT = "Friends of yours can sleep over up to two weeks in a row, and nobody has to be told."
KEY = "The tenant of the lease keeps a spare key in the office on the ground floor."
SUM = "In all you hand over $2,250 before moving in, both deposits taken together."
NIGHTS = "Guests may stay for up to 14 consecutive nights without notice."
DEPOSITS = ("deposit is $1,900", "pet deposit $350")


def quote(*words, chunk=0):
    """Return quotations that stand in a passage."""
    text = CHUNKS[chunk].text
    places = [(text.index(each), text.index(each) + len(each)) for each in words]
    return tuple(Quotation(text[at:end], CHUNKS[chunk].id, at, end) for at, end in places)


def says(word, confidence=0.95, quotations=()):
    return Verdict(word=word, confidence=confidence, quotations=quotations)


def guarded(text, *, context=CONTEXT, policy=None, pieces=None):
    guard = StreamGuard(context, policy)
    for piece in [text] if pieces is None else pieces:
        guard.feed(piece)
    guard.close()
    return guard


def hear(guard, said, errors=(), asked=(JUDGE,)):
    """Give a guard what judges say of its claims: a score, or scores by name."""
    by_name = [one if isinstance(one, dict) else {JUDGE: one} for one in said]
    return score_claims(guard, by_name, errors, asked)


def judged(text, *said, context=CONTEXT, policy=None, errors=(), asked=(JUDGE,)):
    return hear(guarded(text, context=context, policy=policy), said, errors, asked)


def fast(text, **options):
    return guarded(text, **options).close()


def codes(result):
    return [reason.code for reason in result.reasons]


def findings(result):
    return [(one.flag, one.check, one.severity) for one in result.findings]


# --- each of its words


def test_a_contradiction_with_its_quotation_is_a_warning_with_both_places():
    text = f"{WRONG} The notice period is three months."
    result = judged(
        text,
        says("contradicted", 0.9, quote(NIGHTS)),
        says("supported", 0.9, quote("three months' notice")),
    )
    assert fast(text).status == "PASS"
    assert result.status == "WARN"
    assert codes(result)[0] == "contradicted_claim"
    message = (
        "1 of 2 claims: The judge (small) reads a contradiction; the passage says"
        f" “{NIGHTS[:-1]}” (lease)."
    )
    assert result.reasons[0].message == message
    (found,) = [one for one in result.findings if one.check == f"verifier {JUDGE}"]
    assert (found.flag, found.severity) == ("contradicted_claim", "warning")
    assert (found.start, found.end, found.value) == (0, len(WRONG), WRONG)
    at = LEASE.index(NIGHTS)
    assert (found.nearest.chunk_id, found.nearest.start, found.nearest.value) == (
        "lease",
        at,
        NIGHTS,
    )
    assert found.message == (
        f"The judge (small) reads a contradiction; the passage says “{NIGHTS[:-1]}” (lease)."
    )
    assert result.supported_claims == 1


def test_an_only_claim_that_is_contradicted_is_refused_as_every_wrong_one():
    result = judged(WRONG, says("contradicted", 0.9, quote(NIGHTS)))
    assert (result.status, codes(result)[0]) == ("REFUSE", "all_wrong")


@pytest.mark.parametrize(
    ("confidence", "severity", "message"),
    [
        (0.8, "warning", "The judge (small) finds nothing in the passages that says this."),
        (0.79, "info", "The judge (small) is not sure of the only claim."),
    ],
)
def test_what_is_not_mentioned_warns_from_a_confidence_on(confidence, severity, message):
    text = KEY
    result = judged(text, says("not_mentioned", confidence))
    flag = ("unsupported_claim", f"verifier {JUDGE}", severity)
    assert flag in findings(result)
    assert (result.status, result.supported_claims) == ("WARN", 0)  # of its only claim
    assert result.reasons[0].message == message


def test_the_policy_moves_that_confidence():
    text = KEY
    policy = Policy(not_mentioned_from=0.5)
    assert judged(text, says("not_mentioned", 0.6), policy=policy).status == "WARN"


def test_a_claim_that_another_passage_holds_is_a_wrong_citation():
    result = judged(
        f"{RIGHT} The lift is out of service [lease].",
        says("supported", 0.9, quote(NIGHTS)),
        says("not_mentioned", 0.9, quote("The lift is out of service", chunk=1)),
    )
    (found,) = [one for one in result.findings if one.check == f"verifier {JUDGE}"]
    assert (found.flag, found.nearest.chunk_id) == ("citation_mismatch", "notice")
    assert "another passage: “The lift is out of service”" in found.message
    assert "unsupported_detail" in codes(result)


def test_a_supported_claim_passes_and_its_learned_doubts_are_dropped():
    def doubts(sentence, scope):
        for check in ("unsupported_claim", "doubtful", "opposite", "other_owner", "other_name"):
            flag = "unsupported_claim"
            yield sentence.finding(flag, check=check, message="", severity="warning")
        yield sentence.finding("tone", check="mine", message="", severity="info")

    text = f"Guests and friends of yours may sleep over. {RIGHT}"
    guard = StreamGuard(CONTEXT, checks=Checks((doubts,)))
    guard.feed(text)
    before = guard.close()
    assert (before.status, len(before.findings)) == ("WARN", 12)
    result = hear(guard, [says("supported", 0.95, quote(NIGHTS))] * 2)
    assert (result.status, codes(result)) == ("PASS", ["supported"])
    assert findings(result) == [("tone", "mine", "info")] * 2
    assert (result.supported_claims, result.total_claims) == (2, 2)
    words = "The judge (small) reads 2 of 2 claims as supported by the passages."
    assert result.reasons[0].message == words
    assert guard.close() is result


def test_who_read_a_sentence_and_what_it_said_is_in_the_result():
    text = f"Hello! {RIGHT} {WRONG}"
    result = judged(text, says("supported", 0.9, quote(NIGHTS)))
    greeting, read, unread = result.sentences
    assert read.scored_by == ("fast", JUDGE)
    assert (read.judged, unread.judged, greeting.judged) == ("supported", None, None)
    assert unread.scored_by == ("fast",)
    (opinion,) = read.opinions
    assert (opinion.word, opinion.confidence) == ("supported", 0.9)
    assert opinion.quotations == quote(NIGHTS)
    assert read.support > 0.85
    assert read.doubt == pytest.approx(1 - read.support)
    unheard = "The judge (small) gave no word that counts on 1 of 2 claims; the fast verdict does."
    assert unheard in [reason.message for reason in result.reasons]
    assert GuardrailsResult.model_validate_json(result.model_dump_json()) == result
    bare = result.without_text().sentences[1].opinions[0]
    assert bare.quotations[0].value is None
    assert bare.quotations[0].start == opinion.quotations[0].start


def test_spans_of_quotations_are_counted_in_utf16_units_too():
    chunks = (RetrievedChunk(f"\U0001f511\U0001f511 {LEASE}", id="lease"),)
    at = chunks[0].text.index(NIGHTS)
    quotations = (Quotation(NIGHTS, "lease", at, at + len(NIGHTS)),)
    context = Context(chunks=chunks)
    result = judged(RIGHT, says("supported", 0.9, quotations), context=context)
    moved = result.in_utf16().sentences[0].opinions[0].quotations[0]
    assert (moved.start, moved.end) == (at + 2, at + 2 + len(NIGHTS))


# --- exact findings


def flagged(check, value, severity="warning", flag="potential_hallucination"):
    """Return a context whose check flags a value, as one of ours would."""

    def finds(sentence, scope):
        at = sentence.text.find(value)
        if at >= 0:
            span = (at, at + len(value))
            yield sentence.finding(flag, span, check=check, severity=severity, message="Absent.")

    return finds


def with_finding(text, finds, *said):
    guard = StreamGuard(CONTEXT, checks=Checks((finds,)))
    guard.feed(text)
    guard.close()
    return hear(guard, said)


@pytest.mark.parametrize(
    ("text", "check", "value", "quotations"),
    [
        (RIGHT, "unsupported_value", "two weeks", quote(NIGHTS)),
        (SUM, "unsupported_price", "$2,250", quote(*DEPOSITS)),
        ("The deposit costs $1,900.", "contradicted_value", "$1,900", quote(DEPOSITS[0])),
        ("It was Monday, says Lease.", "unsupported_name", "Monday", quote("Monday", chunk=1)),
    ],
)
def test_an_exact_finding_that_the_quotations_answer_stays_as_information(
    text, check, value, quotations
):
    result = with_finding(text, flagged(check, value), says("supported", 0.9, quotations))
    assert [(one.check, one.severity) for one in result.findings] == [(check, "info")]
    assert result.findings[0].message.startswith("Absent. The judge (small) reads it as supported")
    assert (result.status, result.supported_claims) == ("PASS", 1)
    assert not result.banners
    irrelevant = quote("A tenant may end the lease")
    result = with_finding(text, flagged(check, value), says("supported", 0.9, irrelevant))
    assert [(one.check, one.severity) for one in result.findings] == [(check, "warning")]
    assert result.status in ("WARN", "REFUSE")
    assert "judge_disagrees" in codes(result)


def test_a_value_follows_from_values_of_the_question_and_a_quoted_one():
    text = "Two tenants pay $3,800 for the deposits."
    context = Context(query="What is the deposit for 2 tenants?", chunks=CHUNKS)
    said = says("supported", 0.9, quote(DEPOSITS[0]))
    finding = Finding(
        "potential_hallucination", "unsupported_price", "warning", 16, 22, "", None, ""
    )
    guard = guarded(text, context=context)
    (claim,) = guard.claims()
    assert is_confirmed(finding, claim.sentence, said.quotations)
    assert not is_confirmed(finding, claim.sentence, quote("three months' notice"))
    assert not is_confirmed(finding, claim.sentence, ())


@pytest.mark.parametrize("value", ["between $2,250 and $2,400", "€2,250"])
def test_neither_an_end_of_a_range_nor_another_currency_is_reckoned(value):
    finds = flagged("unsupported_price", value)
    said = says("supported", 0.9, quote(*DEPOSITS))
    result = with_finding(f"Both deposits together are {value}.", finds, said)
    assert "judge_disagrees" in codes(result)


@pytest.mark.parametrize("check", ["citation_unknown", "citation_mismatch", "mine"])
def test_no_quotation_answers_a_wrong_citation_or_another_check(check):
    text = "The deposit is $1,900 [C9]."
    said = says("supported", 0.9, quote(DEPOSITS[0]))
    result = with_finding(text, flagged(check, "[C9]"), said)
    assert (check, "warning") in [(one.check, one.severity) for one in result.findings]


def test_a_judge_that_supports_everything_clears_no_wrong_value():
    wrong = "The deposit is $1,950."
    assert fast(wrong).status == "REFUSE"
    result = judged(wrong, says("supported", 1.0, quote("Guests may stay for up to 14")))
    assert result.status == "REFUSE"
    assert "unsupported_price" in [one.check for one in result.findings]
    message = (
        "The judge (small) reads the only claim as supported, but its quotations do not answer what"
        " the checks found; their findings stand."
    )
    assert result.reasons[-1].message == message
    assert result.supported_claims == 0
    assert result.scores.doubt > judged(RIGHT, says("supported", 1.0, quote(NIGHTS))).scores.doubt


@pytest.mark.parametrize(
    "wrong",
    [
        "The pet deposit is $360.",
        "The deposit is $1,950.",
        "The pet deposit is €350.",
        "A tenant may end the lease with three weeks' notice.",
        "Guests may stay for up to 16 consecutive nights without notice.",
        "The lease was signed by Joan Miller.",
    ],
)
def test_quoting_all_of_a_passage_answers_no_wrong_value_or_name(wrong):
    before = fast(wrong)
    result = judged(wrong, says("supported", 1.0, quote(LEASE)))
    exact = [one for one in before.findings if one.check in EXACT]
    assert exact
    assert [one for one in result.findings if one.check in EXACT] == exact
    assert result.status == before.status != "PASS"


# --- who is not believed


STANDING = quote(NIGHTS)[0]


@pytest.mark.parametrize(
    "quotation",
    [
        Quotation(NIGHTS, "elsewhere", STANDING.start, STANDING.end),
        Quotation(NIGHTS, "lease", STANDING.start, 10_000),
        Quotation(NIGHTS, "lease", 9, 9),
        Quotation(NIGHTS, "lease", -5, 9),
    ],
)
@pytest.mark.parametrize("word", ["supported", "contradicted"])
def test_without_a_quotation_that_stands_the_fast_verdict_counts(word, quotation):
    result = judged(RIGHT, says(word, 0.99, (quotation,)))
    before = fast(RIGHT)
    assert (result.status, result.findings) == (before.status, before.findings)
    (sentence,) = result.sentences
    assert (sentence.scored_by, sentence.judged) == (("fast",), None)
    assert sentence.opinions[0].quotations == ()
    assert "judge_unheard" in codes(result)


def test_a_quotation_is_told_in_the_passages_own_words():
    lying = Quotation("Guests are forbidden.", "lease", STANDING.start, STANDING.end)
    result = judged(WRONG, says("contradicted", 0.9, (lying,)))
    assert result.sentences[0].opinions[0].quotations == (STANDING,)
    assert NIGHTS[:-1] in result.findings[-1].message


def test_without_passages_nothing_stands():
    assert standing(says("supported", 0.9, quote(NIGHTS)), {}).quotations == ()
    assert is_believed(says("not_mentioned"))
    assert not is_believed(Verdict(0.9))
    result = judged(RIGHT, says("contradicted", 0.9, quote(NIGHTS)), context=Context())
    assert (result.status, result.findings) == (None, ())


def test_a_judge_that_fails_leaves_the_fast_verdict_and_says_so():
    result = judged(WRONG, errors=[(JUDGE, "UpstreamError (no answer within 30 s)")])
    assert result.status == fast(WRONG).status == "PASS"
    assert result.errors == (f"verifier {JUDGE}: UpstreamError (no answer within 30 s)",)
    assert findings(result) == [("check_error", f"verifier {JUDGE}", "info")]
    assert codes(result) == ["supported", "judge_unheard"]
    other = judged(WRONG, errors=[("mine", "ValueError")], asked=["mine"])
    assert (other.status, codes(other)[0]) == ("WARN", "check_error")


def test_a_judge_that_has_not_answered_yet_is_said_to_be_missing():
    assert codes(judged(WRONG)) == ["supported", "judge_unheard"]
    assert codes(judged("Hello there!")) == codes(fast("Hello there!"))


def test_a_judge_is_missing_only_where_it_was_to_read():
    def silent(sentences, scope):
        return [Verdict() for _ in sentences]

    def reasons(select):
        judge = Verifier(silent, name=JUDGE, select=select)
        return codes(check_text(WRONG, context=CONTEXT, verifiers=[judge]))

    assert reasons(None) == ["supported", "judge_unheard"]
    assert reasons(lambda sentence, scope: False) == ["supported"]


# --- who decides


POOR = Calibration(  # of a judge that is wrong more often than not
    intercept=0.0, ours=0.0, doubt=0.0, warned=0.0, support=0.0, contradiction=0.0,
    answer_intercept=0.0, answer_slope=1.0, confidence=-1.0,
)  # fmt: skip


def test_a_calibration_of_ones_own_takes_the_place_of_the_shipped_one():
    policy = Policy(verifiers={JUDGE: POOR})
    said = says("contradicted", 0.9, quote(NIGHTS))
    result = judged(WRONG, said, policy=policy)
    assert (result.status, result.sentences[0].support) == ("PASS", 0.9)
    message = (
        "Nothing was found that counts; judge small v2 may not decide, but reads a contradiction."
    )
    assert result.reasons[0].message == message
    claim = judged(RIGHT, says("supported", 0.9, quote(NIGHTS)), policy=policy)
    assert (claim.supported_claims, claim.sentences[0].support) == (0, 0.1)
    assert judged(WRONG, says("not_mentioned", 0.9), policy=policy).status == "PASS"


def test_reasons_stay_while_they_fit_the_support_that_is_shown():
    loosely = "Friends may sleep over up to two weeks in a row without notice."
    own = fast(loosely).sentences[0]
    assert own.support > 0.5
    assert own.reasons
    agreed = judged(loosely, says("supported", 0.9, quote(NIGHTS))).sentences[0]
    assert agreed.support > 0.5
    assert agreed.reasons == own.reasons
    policy = Policy(verifiers={JUDGE: POOR})
    turned = judged(loosely, says("supported", 0.9, quote(NIGHTS)), policy=policy).sentences[0]
    assert turned.support < 0.5
    assert turned.reasons == ()


@pytest.mark.parametrize(
    "policy",
    [Policy(deciding_verifiers=()), Policy(deciding_verifiers=("mine",)), Policy.preset("literal")],
)
def test_a_policy_may_leave_it_no_say(policy):
    result = judged(WRONG, says("contradicted", 0.9, quote(NIGHTS)), policy=policy)
    before = fast(WRONG, policy=policy)
    assert (result.status, result.findings) == (before.status, before.findings)
    assert result.sentences[0].judged is None
    assert result.sentences[0].opinions[0].word == "contradicted"
    if result.status == "PASS" and policy.matching != "literal":
        assert "reads a contradiction" in result.reasons[0].message


def test_another_verifier_that_may_not_decide_is_named_where_it_reads_a_contradiction():
    result = judged(WRONG, {"mine": Verdict(0.01, 0.99)}, asked=["mine"])
    message = "Nothing was found that counts; mine may not decide, but reads a contradiction."
    assert (result.status, result.reasons[0].message) == ("PASS", message)


def test_the_surest_of_several_judges_counts_and_then_the_gravest():
    contradicted = says("contradicted", 0.9, quote(NIGHTS))
    supported = says("supported", 0.9, quote(NIGHTS))
    both = {JUDGE: supported, "judge large": contradicted}
    result = judged(WRONG, both, asked=[*both])
    assert result.sentences[0].judged == "contradicted"
    assert result.sentences[0].scored_by == ("fast", "judge large")
    surer = {JUDGE: says("supported", 0.95, quote(NIGHTS)), "judge large": contradicted}
    assert judged(WRONG, surer, asked=[*surer]).sentences[0].judged == "supported"
    assert in_words(both) == "The judges (large, small)"
    assert in_words(["mine"]) == "The judge (mine)"


def test_a_judge_counts_before_a_calibrated_verifier():
    policy = Policy(verifiers={"mine": POOR.model_copy(update={"support": 1.0})})
    said = {JUDGE: says("supported", 0.95, quote(NIGHTS)), "mine": Verdict(0.01, None)}
    result = judged(f"{RIGHT} {WRONG}", said, {"mine": Verdict(0.01, None)}, policy=policy)
    first, second = result.sentences
    assert first.scored_by == ("fast", JUDGE)
    assert second.scored_by == ("fast", "mine")
    assert first.support > 0.9 > 0.1 > second.support
    assert result.scores.groundedness < 0.1


# --- its confidence, and long answers


def test_scores_follow_its_confidence():
    supports = [
        judged(RIGHT, says(word, sure, quote(NIGHTS))).sentences[0].support
        for word, sure in [
            ("contradicted", 0.99), ("contradicted", 0.6), ("not_mentioned", 0.5),
            ("supported", 0.6), ("supported", 0.99),
        ]
    ]  # fmt: skip
    assert supports == sorted(supports)
    assert supports[1] < 0.5 < supports[3]
    low, high = (judged(RIGHT, says("supported", sure, quote(NIGHTS))) for sure in (0.6, 0.99))
    assert low.scores.doubt > high.scores.doubt
    assert low.scores.groundedness < high.scores.groundedness
    assert weighing.figures(low.sentences[0], low.findings, says("supported", 0.2))[-1] == 0.0


LONG = " ".join(
    f"The lease of the {kind} rearranges a quixotic marmalade and its zealous gardeners for ever."
    for kind in "red blue green white black brown grey pink".split()
)


def test_low_groundedness_goes_by_what_no_judge_read():
    before = fast(LONG)
    assert "low_groundedness" in codes(before)
    result = judged(LONG, *[says("supported", 0.95, quote(NIGHTS))] * 8)
    assert "low_groundedness" not in codes(result)
    assert result.scores.groundedness > 0.5
    half = judged(LONG, *[says("supported", 0.95, quote(NIGHTS))] * 2)
    assert "low_groundedness" in codes(half)


# --- the same however it comes


TEXT = f"{RIGHT} {WRONG} {SUM}"
SAID = [
    {JUDGE: says("supported", 0.9, quote(NIGHTS)), "judge b": says("contradicted", 0.7)},
    {"judge b": says("contradicted", 0.8, quote(NIGHTS)), "mine": Verdict(0.2, 0.95)},
    {"mine": Verdict(0.9, 0.05), JUDGE: says("supported", 0.97, quote(*DEPOSITS))},
]
POLICY = Policy(verifiers={"mine": POOR.model_copy(update={"support": 1.0})})


WRONGS = [("judge b", "late"), ("mine", "late")]


@given(st.lists(st.integers(1, 40), max_size=12), st.permutations(range(6)))
def test_neither_the_cut_nor_the_order_of_scores_changes_anything(sizes, order):
    pieces, at = [], 0
    for size in sizes:
        pieces.append(TEXT[at : at + size])
        at += size
    guard = guarded(TEXT, policy=POLICY, pieces=[*pieces, TEXT[at:]])
    claims = guard.claims()
    scores = [
        (claim.id, replace(one, scorer=name))
        for claim, by_name in zip(claims, SAID, strict=True)
        for name, one in by_name.items()
    ]
    for name, error in WRONGS[:: 1 if order[0] % 2 else -1]:
        guard.note_scorer(name, error)
    for number in order:
        if number < 3:
            guard.note_scorer([JUDGE, "judge b", "mine"][number])
        if number < len(scores):
            guard.score(*scores[number])
        if number == 1:
            guard.close()  # with the scores that are there
    assert guard.close().to_dict() == json.loads(EXPECTED)


def _expected():
    guard = guarded(TEXT, policy=POLICY)
    result = score_claims(guard, SAID, WRONGS, [JUDGE, "judge b", "mine"])
    return json.dumps(result.to_dict())


EXPECTED = _expected()
