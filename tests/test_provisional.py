"""Findings that a paragraph's end may take back: in the result, and while the stream runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.machine.ledger import MAX_HELD
from streamguard.core.validate import check_text
from streamguard.testing import feed_every_way

CONTEXT = Context(
    query="What do the plans cost?",
    chunks=["Basic costs $10 per month.", "Pro costs $49 per month.", "Support takes 24 hours."],
    citations_requested=True,
)
CONTEXT.prepare()
BASIC, PRO, SUPPORT = "Basic costs $10.", "Pro costs $49.", "Support takes 24 hours."

# Answer, and the sentences that stay without a source.
ANSWERS = [
    (f"{BASIC} {PRO} [C1, C2]", []), (f"{BASIC} {PRO}", [BASIC, PRO]),
    (f"{BASIC} [C1] {PRO}", [PRO]),
    (f"{BASIC}\n{PRO} [C2]", []),  # a wrapped paragraph
    (f"{BASIC}\n\n{PRO} [C2]", [BASIC]), (f"{BASIC}\n \t\n{PRO} [C2]", [BASIC]),
    (f"{BASIC} {PRO} [C2]\n\n{SUPPORT}", [SUPPORT]), (f"- {BASIC}\n- {PRO} [C2]", [f"- {BASIC}"]),
    (f"- {BASIC} {PRO} [C2]", []),  # two sentences of one item
    (f"- {BASIC}\n{PRO} [C2]", [f"- {BASIC}"]), (f"{BASIC}\n# Support\n{SUPPORT} [C3]", [BASIC]),
    (f"{BASIC}\n| a | b |\n|---|---|\n| {PRO} | [C2] |", [BASIC]),
    (f"{BASIC} {PRO} {SUPPORT} [C3] {BASIC}", [BASIC]),
    (f"{BASIC} [C9]", []),  # a source that is none is another finding
]  # fmt: skip


def uncited(text):
    def read(pieces):
        guard = StreamGuard(CONTEXT)
        for piece in pieces:
            guard.feed(piece)
        result = guard.close()
        for number, report in enumerate(result.sentences):
            for finding in (result.findings[n] for n in report.findings):
                assert finding.start is None or report.start <= finding.start, number
        found = [f for f in result.findings if f.flag == "uncited_claim"]
        return [text[f.start : f.end] for f in found], result

    return feed_every_way(text, read)[0]


@pytest.mark.parametrize(("answer", "expected"), ANSWERS)
def test_a_citation_at_a_paragraphs_end_covers_what_stands_before_it(answer, expected):
    assert uncited(answer) == expected


def test_one_citation_takes_back_only_so_much():
    text = " ".join([BASIC] * (MAX_HELD + 5))
    found = check_text(f"{text} {PRO} [C2]", context=CONTEXT)
    assert [f.flag for f in found.findings].count("uncited_claim") == MAX_HELD


def live(pieces):
    """Return what live annotations say, sentence by sentence, asked for after every piece."""
    guard, told = StreamGuard(CONTEXT), []
    for piece in pieces:
        guard.feed(piece)
        told += guard.settled()
    guard.close()
    return told + guard.settled()


def test_a_live_finding_is_provisional_until_a_later_sentence_takes_it_back_or_confirms_it():
    text = f"{BASIC} {PRO} [C2] It is cheap.\n\n{SUPPORT} Ask us."
    first, second, third, *rest = feed_every_way(text, live)
    assert [finding.flag for finding in first.findings] == ["uncited_claim"]
    assert (first.finding_ids, first.provisional) == (("0.0.0",), ("0.0.0",))
    assert (second.retracted, second.confirmed) == (("0.0.0",), ())
    assert third.provisional == third.finding_ids[-1:] != ()
    assert rest[0].confirmed == third.provisional


def test_a_finding_that_is_not_provisional_comes_first_and_keeps_its_id():
    guard = StreamGuard(CONTEXT, choice=3)
    guard.feed(f"Basic costs $77. {PRO}\n\nBye.")
    guard.close()
    first, second, third = guard.settled()
    flags = [finding.flag for finding in first.findings]
    assert flags[-1] == "uncited_claim"
    assert first.finding_ids == tuple(f"3.0.{n}" for n in range(len(flags)))
    assert first.provisional == first.finding_ids[-1:]
    assert third.confirmed == first.provisional + second.provisional


@given(
    st.lists(st.sampled_from([BASIC, PRO, f"{PRO} [C2]", "\n\n", "\n- ", " ", "Hi!"]), max_size=9)
)
def test_what_is_provisional_and_not_taken_back_is_in_the_result(parts):
    text = " ".join(parts)
    told = live([text])
    retracted = {name for each in told for name in each.retracted}
    provisional = {name for each in told for name in each.provisional}
    confirmed = {name for each in told for name in each.confirmed}
    assert retracted | confirmed <= provisional
    assert not retracted & confirmed
    kept = [
        finding
        for each in told
        for name, finding in zip(each.finding_ids, each.findings, strict=True)
        if name in provisional - retracted
    ]
    found = check_text(text, context=CONTEXT).findings
    assert set(kept) <= set(found)


def test_feed_and_finish_return_what_is_decided():
    guard = StreamGuard(CONTEXT)
    assert guard.feed(f"{BASIC} {PRO} ") == []
    assert [finding.value for finding in guard.feed("\n\nHi! Bye.\n")] == [BASIC, PRO]
    assert guard.feed(f"{SUPPORT} ") == []
    found = [finding for step in iter(guard.close_step, None) for finding in step]
    assert [finding.value for finding in found] == [SUPPORT]
