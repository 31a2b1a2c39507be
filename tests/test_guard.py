"""One answer piece by piece: what is found, what the result says, and what may go wrong."""

import hashlib
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.machine import answer_close as answer_close_module
from streamguard.core.machine import answer_text as answer_text_module
from streamguard.core.machine import judging as judging_module
from streamguard.core.machine import ledger as ledger_module
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import AnswerSpan, Finding, Nearest, Retrieval, RetrievedChunk
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError, StreamStateError
from streamguard.stream_sync import guard_sync
from streamguard.testing import cut, feed_every_way
from tests.kit.answers import CLEAN, PLANS, QUESTION, flagged, plans, result_of
from tests.kit.tables import differing


def of(*chunks, query=None):
    return Context(query=query, chunks=chunks)


# --- names and values that no passage holds

LEADER = of("Maria Lopez leads customer success in Denver.", query="Does she work in Austin?")
NAMES = [
    ("Refunds are approved by John Smith.", plans(), ["John Smith"]),
    ("Refunds: John Smith does not decide.", plans("Does John Smith approve refunds?"), []),
    ("So John Miller approves refunds.", plans(), ["John Miller"]),
    ("Jane Miller approves refunds.", plans(), []),
    ("Contact Jane Miller.", plans(), []),
    ("It belongs to Jane Miller Ltd today.", plans(), []),
    ("**Premium Tariff** costs $49", plans(), ["Premium Tariff"]),
    # capitalised by their style, or to be filled in
    ("## Key Takeaways\n\nJane Miller approves refunds.", plans(), []),
    ("- **Approval Limit:** $49 by Jane Miller", plans(), []),
    ("| Who Approves | Price Limit |\n|---|---|\n| Jane Miller | $49 |", plans(), []),
    ("Dear [Customer Name], Jane Miller approves refunds.", plans(), []),
    ("JANE MILLER APPROVES ALL KINDS OF REFUNDS.", plans(), []),
    # of one word, inside a claim
    ("Maria Lopez leads customer success in Dallas.", LEADER, ["Dallas"]),
    ("Maria Lopez leads customer success in Denver.", LEADER, []),
    ("Maria Lopez leads customer success in Austin.", LEADER, []),
    ("Where is Dallas?", LEADER, []),
    ("Enjoy Wellington.", of("Visit Wellington."), []),
    ("Alan Turing spoke.", of("Nobody spoke."), ["Alan Turing"]),
    # with a hyphen
    ("You can send the Retry-After header.", of("Send the Retry-After header."), []),
    ("You go to the Paris-Lyon desk.", of("Go to Lyon."), ["Paris-Lyon"]),
    ("You take the ferry to Sandoy.", of("The Oslovik–Sandoy ferry."), []),
]


def test_a_name_is_found_that_neither_passages_nor_question_hold():
    def read(answer, context):
        result = result_of(answer, context)
        assert result.errors == ()
        return [f.value for f in result.findings if f.check == "unsupported_name"]

    assert differing(NAMES, read) == []
    ours = Policy(allowed_names=("Clearpath Assistant",))
    result = result_of("Ask Clearpath Assistant about refunds.", policy=ours)
    assert not flagged(result, "potential_hallucination")
    told = result_of("Refunds are approved by John Smith.").findings[0]
    assert told.message == "“John Smith” is in no passage."


# --- what the answer comes to


EMPTY = Context(query=QUESTION, chunks=())
LEAVE = of("Annual leave: 20 days.", query="How long is parental leave?")
INSUFFICIENT = plans(retrieval=Retrieval(is_answerable=False, confidence_level="insufficient"))
REFERRAL = "I don't have information about that. Please reach out to your HR department for help."
# Answer and context; status, claims, extent and kind of the refusal.
REFUSALS = [
    ("I cannot answer this based on the provided documents.",
     Context(query="Who won the cup?", chunks=PLANS), ("PASS", 0, "whole", "expected")),
    ("I'm sorry, but I don't have that information. Please contact support.", plans(),
     ("WARN", 0, "whole", "over_refusal")),
    (REFERRAL, LEAVE, ("PASS", 0, "whole", "expected")),
    ("I cannot say who pays. The Basic plan costs $59 per month.", plans(),
     ("REFUSE", 1, "partial", "none")),
    ("I cannot answer this.", EMPTY, ("PASS", 0, "whole", "expected")),
    ("I'm not sure.", Context(), (None, 0, "whole", "none")),
    (CLEAN, INSUFFICIENT, ("PASS", 1, "none", "missing_refusal")),
    (CLEAN, EMPTY, ("REFUSE", 1, "none", "missing_refusal")),
    ("Hello! Welcome to Acme Support. How can I help you today?", plans(),
     ("PASS", 0, "none", "none")),
    ("As an AI language model, I don't have personal opinions.", plans(),
     ("PASS", 0, "none", "none")),
    ("  \n\n ", plans(), (None, 0, "none", "none")),
    ("Basic plan", plans(), ("PASS", 1, "none", "none")),
    ("The Mars rover launched in 1997.", of(*PLANS, query="Which Mars rover launched in 1997?"),
     ("REFUSE", 1, "none", "missing_refusal")),
    ("The supported colours are:\n- Blue\n- Red\n- Purple",
     of("The phone comes in black and white.", query="Which colours?"),
     ("REFUSE", 3, "none", "missing_refusal")),
    ('The FAQ says: "I can\'t log in" means that the password has expired.',
     of("The message “I can't log in” means that the password has expired."),
     ("PASS", 1, "partial", "none")),
]  # fmt: skip


def test_refusals_are_told_from_answers_and_both_from_what_claims_nothing():
    def read(answer, context):
        result = result_of(answer, context)
        assert (result.scores.published is None) == (result.total_claims == 0)
        return result.status, result.total_claims, result.refusal.extent, result.refusal.kind

    assert differing(REFUSALS, read) == []
    result = result_of("I cannot answer this.", EMPTY)
    assert result.refusal.phrases == ("i cannot",)
    assert result.findings[0].message == "The answer declines here."
    assert result_of(CLEAN, INSUFFICIENT).retrieval.confidence_level == "insufficient"


def test_a_bare_yes_or_no_is_about_what_was_asked():
    context = Context(query="Are dogs allowed upstairs?", chunks=["No dogs are allowed upstairs."])
    for answer in ("No.", "No, they aren't."):  # as much as it says
        result = check_text(answer, context=context)
        assert (result.status, result.findings, result.sentences[0].coverage) == ("PASS", (), 1.0)
    assert check_text("12 [C1].", context=context).errors == ()
    asked = Context(query="What does Basic cost?", chunks=["The Basic plan costs $49 a month."])
    for answer in ("\U0001f44d", "!!!", "…"):  # without a word nothing is claimed
        assert check_text(answer, context=asked).reasons[0].code == "no_claims"
    told = {answer: check_text(answer, context=asked).status for answer in ("49", "$49", "42")}
    assert told == {"49": "PASS", "$49": "PASS", "42": "REFUSE"}
    beside = Context(query="Is there a pool?", chunks=["The rooms have balconies."])
    assert check_text("No.", context=beside).status == "REFUSE"


def test_empty_retrieval_warns_and_refuses_what_claims_something():
    result = result_of(CLEAN, EMPTY)
    assert (result.status, result.reasons[0].code) == ("REFUSE", "no_mapping")
    assert "no_context_warning" in result.flags
    assert result.banners[0].colour == "yellow"
    assert result.banners[0].text == "This response was generated without supporting documentation."
    assert [f.value for f in result.findings if f.check == "unsupported_price"] == ["$49 per month"]
    assert (result.scores.hallucination, result.scores.high_risk) == (1.0, True)


# --- citations


def test_an_unknown_citation_is_named():
    (finding,) = result_of("The Basic plan costs $49 per month [C9].").findings
    assert (finding.flag, finding.value) == ("citation_unknown", "[C9]")
    assert finding.message == "[C9] names no retrieved passage; there are 3."
    (alone,) = check_text("Basic is $9 [2].", context=Context(chunks=["Basic is $9."])).findings
    assert alone.message == "[C2] names no retrieved passage; there is 1."
    _, _, none, _ = check_text("Basic is $9 [C1].", context=Context(chunks=[])).findings
    assert none.message == "[C1] names no retrieved passage; there are none."


MISMATCHES = [
    ("The Basic plan costs $49 per month and includes one seat [C2].", "plans.md#basic"),
    ("The Basic plan costs $49 per month and includes one seat [C1].", None),
    ("The Basic plan costs $49 per month [C2][C1].", None),
    ("Jane Miller leads the billing team [C1].", "C3"),  # its words alone
    ("The second Basic plan costs little per month [C2].", None),
    ("Penguins inhabit oceans [C2].", None),
    ("The plan costs $777 per month [C2].", None),
    ("It is five [C1].", None),  # nothing but a value
    ("Jane Miller, billing team, approves every refund, and $49 is for you [C1].", None),
]


def test_a_mismatch_needs_a_chunk_that_maps_and_is_not_cited():
    def read(answer, context=None):
        found = [f for f in result_of(answer, context).findings if f.flag == "citation_mismatch"]
        return found[0].nearest.chunk_id if found else None

    assert differing(MISMATCHES, read) == []
    lone = of("Refunds take ten business days.", "Shipping takes 10 days in winter.")
    assert read("Refunds take 10 days [C1].", lone) is None
    (told,) = result_of(MISMATCHES[3][0]).findings
    assert told.message == (
        "[C1] does not say this; it is in C3: “Jane Miller leads the billing team and approves"
        " every refund above $500”."
    )


def test_citations_count_and_map_and_the_callers_list_wins_over_the_tags():
    context = plans(citations_requested=True)
    result = result_of(
        "The Basic plan costs $49 per month [C1]. Refunds take 14 days [C3].", context
    )
    assert (result.status, result.citation_density) == ("PASS", 1.0)
    assert result.sentences[0].cited_chunks == ("plans.md#basic",)
    assert result.sentences[1].cited_chunks == ("C3",)
    chunk = RetrievedChunk("The Basic plan costs $49.", id="FAQ – Preise")
    result = result_of("The Basic plan costs $49 [FAQ – Preise].", of(chunk))
    assert result.sentences[0].cited_chunks == ("FAQ – Preise",)
    context = plans(citations=["plans.md#pro", "nowhere"], citations_requested=True)
    result = result_of("The Pro plan costs $99 per month [C9].", context)
    assert flagged(result, "citation_unknown") == ["nowhere"]
    assert result.citation_density == 2.0
    assert result.sentences[0].cited_chunks == ("plans.md#pro",)
    assert (result.status, result.reasons[0].code) == ("WARN", "unknown_source")


SHARED = [
    {"text": "😀 The Basic plan costs $49.", "id": "plans.md"},
    {"text": "Refunds take 14 days.", "id": "plans.md"},
    {"text": "Support answers in an hour.", "id": "s-1", "source": "docs/support.md"},
]


def test_all_chunks_that_share_an_id_or_a_source_answer_to_it():
    for answer, name, cited in (
        ("Refunds take 14 days", "plans.md", ("plans.md", "plans.md.2")),
        ("Support answers in an hour", "support.md", ("s-1",)),
    ):
        for tag, listed in ((f" [{name}]", None), ("", [name])):
            context = Context(query=QUESTION, chunks=SHARED, citations=listed)
            result = result_of(f"{answer}{tag}.", context)
            assert (result.status, result.findings) == ("PASS", ())
            assert result.sentences[0].cited_chunks == cited
    (told,) = result_of("Refunds take 15 days.", of(*SHARED)).in_utf16().findings
    assert (told.nearest.chunk_id, told.nearest.start) == ("plans.md.2", 13)


# --- checks of one's own, errors and caps


def failing(sentence, scope):
    """A check that finds something and then breaks."""
    yield sentence.finding("mine", None, check="failing", message="seen", severity="info")
    raise ValueError("secret answer text")


def test_checks_see_earlier_sentences_and_the_whole_answer_at_its_close():
    def repeated(sentence, scope):
        if any(sentence.text == other.text for other in scope.earlier):
            yield sentence.finding("repeated", None, check="repeated", message="again")

    def ends(answer, scope):
        for sentence in answer.sentences:
            yield Finding("end", "ends", "info", sentence.end - 1, sentence.end, ".", None, None)
        yield Finding("whole", "ends", "info", None, None, None, None, None)
        yield Finding("gap", "ends", "info", len(CLEAN), len(CLEAN) + 1, None, None, None)

    result = result_of(f"{CLEAN} {CLEAN}", checks=Checks((repeated,)).plus(at_close=[ends]))
    assert [finding.start for finding in result.findings[:1]] == [len(CLEAN) + 1]
    assert [sentence.findings for sentence in result.sentences] == [(1,), (0, 2)]


GOOD = Finding("mine", "mine", "info", 0, 3, None, None, None)


@pytest.mark.parametrize(
    ("yielded", "words"),
    [
        ("finding", "TypeError .yielded a str, expected a Finding"),
        (replace(GOOD, flag=None), "flag and check must be str"),
        (replace(GOOD, value=5), "value and message must be str or None"),
        (replace(GOOD, severity="fatal"), "severity is 'fatal', expected info or warning"),
        (replace(GOOD, start="a"), "span is 'a' to 3, expected 0 to"),
        (replace(GOOD, start=-50), "span is -50 to 3, expected 0 to"),
        (replace(GOOD, end=10**9), "span is 0 to 1000000000, expected 0 to"),
        (replace(GOOD, start=None), "span is None to 3, expected 0 to"),
        (replace(GOOD, nearest=Nearest("x", "C1", -1, 2)), "nearest is Nearest"),
        (replace(GOOD, nearest=Nearest("x", 7, 0, 2)), "nearest is Nearest"),
        (replace(GOOD, nearest=Nearest(7, "C1", 0, 2)), "nearest is Nearest"),
        (replace(GOOD, nearest="C1"), "nearest is 'C1'"),
        (replace(GOOD, against="here"), "against is 'here', expected an AnswerSpan, 0 to"),
        (replace(GOOD, against=AnswerSpan("x", 2, 1)), "against is AnswerSpan"),
    ],
)
def test_a_finding_that_is_none_is_an_error_of_its_check(yielded, words):
    def odd(subject, scope):
        yield yielded

    for checks in (Checks((odd,)), Checks(at_close=(odd,))):
        result = result_of(CLEAN, checks=checks)
        assert re.search(words, result.errors[0])
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


def test_a_broken_reader_of_ours_does_not_harm_the_stream(monkeypatch):
    def broken(*_):
        raise RuntimeError

    monkeypatch.setattr(judging_module, "block_kind", broken)
    result = check_text(CLEAN, context=plans())
    assert (result.status, result.errors) == ("WARN", ("roles: RuntimeError",))
    monkeypatch.undo()
    monkeypatch.setattr(answer_close_module, "judged", broken)
    result = check_text("Elephants", context=plans())
    assert (result.total_claims, result.errors) == (0, ("claims: RuntimeError",))


def test_more_findings_than_the_cap_reach_a_limit(monkeypatch):
    monkeypatch.setattr(ledger_module, "MAX_FINDINGS", 3)
    result = result_of("It costs $1111. " * 5)
    assert result.flags[-1] == "limit_reached"
    assert "more than 3 findings" in result.findings[-1].message


def test_text_and_sentences_over_their_caps_are_relayed_unchecked(monkeypatch):
    monkeypatch.setattr(answer_text_module, "MAX_TEXT_CHARS", len(CLEAN))
    result = result_of(f"{CLEAN} It costs $1111.")
    assert result.flags == ("limit_reached",)
    assert (result.status, result.reasons[0].code) == ("WARN", "limit_reached")
    assert result.work.chars_in == len(f"{CLEAN} It costs $1111.")
    monkeypatch.undo()
    monkeypatch.setattr(judging_module, "MAX_SENTENCES", 1)
    result = result_of(f"{CLEAN} It costs $1111. Really.")
    assert result.flags == ("limit_reached",)
    assert result.work.sentences == 1
    assert "very many short ones (2 of them)" in result.findings[-1].message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"context": {}}, "context is a dict, expected Context"),
        ({"policy": 3}, "policy is a int, expected a Policy or one of strict, moderate"),
        ({"policy": "severe"}, "policy is 'severe', expected one of strict, moderate"),
        ({"checks": [failing]}, "checks is a list, expected Checks"),
        ({"checks": None}, "checks is a NoneType, expected Checks"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ConfigError, match=words):
        StreamGuard(**arguments)


async def waiting(sentence, scope):
    raise AssertionError


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Checks(per_sentence=failing), "per_sentence is one function, expected a sequence"),
        (
            lambda: DEFAULT_CHECKS.plus(waiting),
            "waiting is asynchronous, expected a plain function",
        ),
        (lambda: Checks(at_close=[3]), "at_close\\[0\\] is a int, expected a function"),
        (lambda: DEFAULT_CHECKS.plus("price"), "per_sentence\\[\\d+\\] is a str, expected a func"),
        (lambda: DEFAULT_CHECKS.plus(at_close=failing), "at_close is one function, expected a seq"),
        (lambda: guard_sync([CLEAN], sinks=failing), "sinks is one function, expected a seq"),
        (
            lambda: guard_sync([CLEAN], sinks=[failing, "log"]),
            "sinks\\[1\\] is a str, expected a fun",
        ),
        (lambda: guard_sync([CLEAN], text="a..b"), "text is 'a..b', expected a path as data.text"),
    ],
)
def test_what_is_no_function_or_path_is_named_before_it_is_called(call, words):
    with pytest.raises(ConfigError, match=words):
        call()


# --- pieces, steps and the close


@pytest.mark.parametrize("piece", [None, b"bytes"])
def test_a_piece_that_is_no_text_is_refused_before_it_is_counted(piece):
    guard = StreamGuard()
    with pytest.raises(TypeError, match="feed\\(\\) takes a str, not"):
        guard.feed(piece)
    assert guard.stats.pieces == 0


def fed(pieces, context=None):
    guard = StreamGuard(context or plans())
    for piece in pieces:
        guard.feed(piece)
    return guard


def test_surrogates_are_joined_over_pieces_and_lone_ones_replaced():
    text = "Fine \ud83d\ude00 and \ud83d alone\ud83d"
    result = feed_every_way(text, lambda pieces: fed(pieces).close())
    text = "Fine 😀 and \ufffd alone\ufffd"
    assert result.text.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert result.text.code_points == len(text)
    assert result.text.utf16_units == len(text) + 1


def test_settled_hands_out_each_sentence_once():
    context = plans()
    context.prepare()
    guard = fed([f"{CLEAN} It costs $59. ", "And"], context)
    first = guard.settled()
    assert [each.index for each in first] == [0, 1]
    assert first[1].findings[0].value.startswith("$59")
    assert (first[1].finding_ids[0], first[1].provisional) == ("0.1.0", ())
    assert guard.settled() == []
    guard.close()
    assert [each.index for each in guard.settled()] == [2]


PARTS = [
    *(CLEAN, " ", "\n", "\n\n", "- ", "1. ", "$49", "$1,299.00/mo", "I cannot", "i can’t ", ". "),
    *("? ", "John Smith", "[C1]", "[C9] ", "```\n", "| a | b |\n", "# Head\n", "e.g. ", "…"),
    *("。", "50 %", "5 March 2021", "it\u00a0is ", "\u200b", "😀", "“No,” ", "(Source: x) "),
    *("x" * 40, "\ud83d", "\r\n", "**b.** "),
]
NASTY = st.lists(st.sampled_from(PARTS), max_size=25).map("".join)


@given(NASTY, st.randoms(use_true_random=False))
def test_no_cut_changes_the_result(text, rng):
    context = plans(citations_requested=True)
    assert fed(cut(text, rng), context).close() == check_text(text, context=context)


ITEMS = "It costs $59 per month. " + "".join(f"- Item {number}\n" for number in range(100))


@pytest.mark.parametrize("done", [0, 1, 50, None])
def test_closing_in_steps_gives_the_same_result(done):
    guard, steps = fed([ITEMS]), 0
    while steps != done and guard.close_step() is not None:
        steps += 1
    if steps:
        with pytest.raises(StreamStateError, match="after close"):
            guard.feed(" a month.")
    assert done is not None or steps > 100
    assert guard.close("client_disconnect") == fed([ITEMS]).close("client_disconnect")


@pytest.mark.parametrize(
    ("effect", "severity", "context", "status"),
    [
        (None, "warning", True, "PASS"),
        ("none", "warning", True, "PASS"),
        ("warn", "info", True, "WARN"),
        ("refuse", "info", True, "REFUSE"),
        ("warn", "info", False, "WARN"),
    ],
)
def test_a_finding_of_ones_own_changes_the_status_by_its_effect_alone(
    effect, severity, context, status
):
    def own(sentence, scope):
        yield sentence.finding("own", message="x", severity=severity, effect=effect)

    result = result_of(CLEAN, plans() if context else Context(), checks=DEFAULT_CHECKS.plus(own))
    assert result.status == status
    assert ("own_check" in [reason.code for reason in result.reasons]) == (
        effect in ("warn", "refuse")
    )


def test_an_effect_never_makes_less_of_a_status_and_none_takes_a_finding_out():
    def milder(sentence, scope):
        yield sentence.finding("own", message="x", effect="warn")

    def doubted(sentence, scope):
        yield sentence.finding("own", check="unsupported_price", message="x", effect="none")

    wrong = "The Basic plan costs $77 per month."
    assert result_of(wrong, checks=DEFAULT_CHECKS.plus(milder)).status == "REFUSE"
    assert result_of(CLEAN, checks=DEFAULT_CHECKS.plus(doubted)).status == "PASS"


def test_an_unknown_effect_is_an_error_of_the_check():
    def own(sentence, scope):
        yield sentence.finding("own", message="x", effect="block")

    (error,) = result_of(CLEAN, checks=DEFAULT_CHECKS.plus(own)).errors
    assert error == "own: ValueError (effect is 'block', expected none, warn, refuse or None)"
