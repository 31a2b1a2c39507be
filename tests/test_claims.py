"""Claims out, scores in: the guard is without I/O in both directions."""

from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard import Checks, Context, Policy, RetrievedChunk, Score, StreamGuard, check_text
from streamguard.core.model.brought import Brought
from streamguard.errors import ConfigError, StreamStateError
from streamguard.testing import feed_every_way

PLANS = """# Plans

| Plan | Price | Storage |
|---|---|---|
| Basic | $10 | 5 GB |
| Business | $49 | 80 GB |

The support of Business includes:

- phone calls on weekdays
- a reply within two hours"""
CHUNKS = (RetrievedChunk(PLANS, id="plans"), RetrievedChunk("Seats can be shared.", id="seats"))
CONTEXT = Context(query="What does Business include?", chunks=CHUNKS)
ANSWER = (
    "The Business plan costs $49. Business customers can ring on weekdays. Seats are never shared."
)


def guarded(text=ANSWER, **options):
    guard = StreamGuard(CONTEXT, **options)
    guard.feed(text)
    while guard.close_step() is not None:
        pass
    return guard


def mine(*scores, policy=None, text=ANSWER, context=CONTEXT):
    """Return the result of an answer with these scores of its claims, in their order."""
    guard = StreamGuard(context, policy)
    guard.feed(text)
    guard.close()
    for claim, score in zip(guard.claims(), scores, strict=False):
        guard.score(claim.id, replace(score, scorer="mine"))
    return guard.close()


# --- claims


def test_claims_are_handed_out_as_they_settle_and_each_once():
    CONTEXT.prepare()
    guard = StreamGuard(CONTEXT)
    guard.feed("Hello! The Business plan costs $49. Business customers can")
    first = guard.claims()
    assert [claim.text for claim in first] == ["The Business plan costs $49."]
    assert guard.claims() == []
    with pytest.raises(FrozenInstanceError):
        first[0].id = "other"
    assert first[0].context is CONTEXT


def test_a_claim_shows_its_nearest_units_and_what_stands_above_them():
    row, item, _ = (claim.nearest()[0] for claim in guarded().claims())
    assert (row.place.chunk_id, row.label, row.heading) == ("plans", "Business", "Plans")
    assert row.cells == (("Price", "$49"), ("Storage", "80 GB"))
    assert item.place.value == "- phone calls on weekdays"
    assert item.lead_in == "The support of Business includes:"
    assert PLANS[item.place.start : item.place.end] == item.place.value


def test_as_many_units_are_shown_as_are_asked_for():
    claim, *_ = guarded().claims()
    assert len(claim.nearest(2)) == 2
    guard = StreamGuard()
    guard.feed("The Business plan costs $49.")
    guard.close()
    assert [claim.nearest() for claim in guard.claims()] == [()]


def test_claims_that_only_the_close_made_come_after_it():
    guard = StreamGuard(CONTEXT)
    guard.feed("$49 for Business")
    guard.close()
    assert [claim.text for claim in guard.claims()] == ["$49 for Business"]


# --- scores


@pytest.mark.parametrize(
    ("claim_id", "score", "error", "message"),
    [
        ("9.9.9", Score(0.9, scorer="mine"), ConfigError, "claim_id is '9.9.9', expected the id"),
        (None, Score(0.9), ConfigError, "scorer is '', expected the name"),
    ],
)
def test_a_score_names_its_claim_and_its_scorer(claim_id, score, error, message):
    guard = guarded()
    claim, *_ = guard.claims()
    with pytest.raises(error, match=message):
        guard.score(claim_id or claim.id, score)


def test_a_scorer_scores_a_claim_once():
    guard = guarded()
    claim, *_ = guard.claims()
    score = Score(0.9, scorer="mine")
    guard.score(claim.id, score)
    guard.score(claim.id, score)  # the same again
    with pytest.raises(StreamStateError, match="'mine' has scored sentence 0 already"):
        guard.score(claim.id, Score(0.1, scorer="mine"))


def test_the_rules_run_with_the_scores_that_are_there():
    guard = guarded()
    *_, wrong = guard.claims()
    before = guard.close()
    assert guard.close() is before
    guard.score(wrong.id, Score(0.02, 0.98, scorer="mine", calibrated=True))
    assert guard.findings_by_scores(0) is None
    found = guard.findings_by_scores(wrong.sentence.index)
    result = guard.close()
    assert result == mine(Score(), Score(), Score(0.02, 0.98, calibrated=True)).model_copy(
        update={"sentences": result.sentences}  # the first two have an empty word there
    )
    assert found == tuple(result.findings[at] for at in result.sentences[2].findings)
    assert "contradicted_claim" in result.flags
    assert "contradicted_claim" not in before.flags


def test_a_calibrated_score_decides_and_another_is_only_listed():
    score = Score(0.02, 0.98)
    listed, decided = mine(score), mine(replace(score, calibrated=True))
    assert (listed.status, listed.findings) == (check_text(ANSWER, context=CONTEXT).status, ())
    first = decided.sentences[0]
    assert (first.scored_by, round(first.support, 2)) == (("fast", "mine"), 0.02)
    assert decided.flags == ("unsupported_claim", "contradicted_claim")
    assert decided.status in ("WARN", "REFUSE")
    assert decided.supported_claims == listed.supported_claims - 1
    assert decided.sentences[0].opinions == listed.sentences[0].opinions


def test_a_calibrated_support_takes_the_learned_doubt_away_and_a_contradiction_alone_does_not():
    def doubts(sentence, scope):
        yield sentence.finding(
            "unsupported_claim", check="unsupported_claim", severity="info", message=""
        )

    def scored(score):
        guard = StreamGuard(CONTEXT, checks=Checks((doubts,)))
        guard.feed("The Business plan costs $49.")
        guard.close()
        (claim,) = guard.claims()
        guard.score(claim.id, replace(score, scorer="mine", calibrated=True))
        return guard.close()

    supported, contradicted = scored(Score(0.97)), scored(Score(None, 0.98))
    assert (supported.findings, supported.supported_claims) == ((), 1)
    assert contradicted.flags == ("unsupported_claim", "contradicted_claim")
    assert contradicted.sentences[0].scored_by == ("fast",)


def test_the_policy_has_the_last_word_on_who_decides():
    policy = Policy(deciding_verifiers=())
    result = mine(Score(0.02, 0.98, calibrated=True), policy=policy)
    assert (result.findings, result.sentences[0].scored_by) == ((), ("fast",))
    literal = mine(Score(0.02, 0.98, calibrated=True), policy="literal")
    assert literal.findings == mine(policy="literal").findings


def test_a_score_of_other_passages_is_dropped_once_claims_come_anew():
    guard = StreamGuard(CONTEXT)
    guard.feed("Seats are never shared. ")
    guard.feed("The Business plan costs $49. ")
    (early, *_) = guard.claims()
    guard.score(early.id, Score(0.02, 0.98, scorer="mine", calibrated=True))
    guard.bring(Brought((RetrievedChunk("Seats are never shared.", id="new"),), "tool"))
    guard.feed("Bye.")
    guard.close()
    guard.score(early.id, Score(0.01, scorer="late", calibrated=True))
    again, *_ = guard.claims()
    assert (again.text, again.id != early.id) == (early.text, True)
    assert guard.close().sentences[0].opinions == ()
    guard.score(again.id, Score(0.96, scorer="mine", calibrated=True))
    assert guard.close().sentences[0].scored_by == ("fast", "mine")


# --- laws


def scores_of_fast(text):
    return [
        (one.support, one.doubt, one.reasons) for one in check_text(text, context=CONTEXT).sentences
    ]


@given(st.lists(st.sampled_from(ANSWER.split(". ")), min_size=1, max_size=5))
def test_a_score_of_fast_depends_on_its_claim_and_on_nothing_behind_it(sentences):
    said = [one.rstrip(".") + "." for one in sentences]
    whole = scores_of_fast(" ".join(said))
    for number in range(1, len(said)):
        assert scores_of_fast(" ".join(said[:number])) == whole[:number]


def test_with_equal_scores_results_are_equal_under_every_split():
    def judged(guard):
        result = guard.close()
        for claim in reversed(guard.claims()):
            support = 0.03 if "never" in claim.text else 0.95
            guard.score(claim.id, Score(support, scorer="mine", calibrated=True))
        assert guard.close() != result
        return guard.close().to_dict()

    def of(pieces):
        guard = StreamGuard(CONTEXT)
        for piece in pieces:
            guard.feed(piece)
        return judged(guard)

    feed_every_way(ANSWER, of)
