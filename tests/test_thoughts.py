"""Thoughts in tags: no text of the answer under every split, taken back where told late."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.machine.answer_text import MAX_THOUGHTS
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Score
from streamguard.core.validate import check_text
from streamguard.stream_sync import guard_sync
from streamguard.testing import feed_every_way
from streamguard.text.segmenter import Segmenter
from streamguard.text.thoughts import ENDS_MORE, MARKS, Thought, Thoughts, without_thoughts

CONTEXT = Context(
    query="How long is the warranty, and what does a service visit cost?",
    chunks=["The warranty runs for 24 months.", "A service visit costs $80."],
)
CONTEXT.prepare()
RIGHT = "The warranty runs for 24 months."
WRONG = "A service visit costs $95."
NEVER = "think_never_used_51bce0c785ca2f68081bfa7d91973934"
FINAL = "<|end|><|start|>assistant<|channel|>final<|message|>"

# What the model wrote, and what of it is the answer.
CASES = [
    (f"<think>Is it $95?</think>{RIGHT}", RIGHT),
    (f"<thinking>\n{WRONG}\n\n{WRONG}\n</thinking>\n\n{RIGHT}", f"\n\n{RIGHT}"),
    (f"<Reasoning>{WRONG}</REASONING> {RIGHT}", f" {RIGHT}"),
    (f"◁think▷{WRONG}◁/think▷{RIGHT}", RIGHT),
    (f"[THINK]{WRONG}[/THINK]{RIGHT}", RIGHT),
    (f"<|begin_of_thought|>{WRONG}<|end_of_thought|>\n{RIGHT}", f"\n{RIGHT}"),
    (f"  \n<think>\n\n</think>\n\n{RIGHT}", f"  \n\n\n{RIGHT}"),
    (f"{WRONG}\n</think>\n\n{RIGHT}", f"\n\n{RIGHT}"),  # the template wrote the opening tag
    (f"It is $95</think>{RIGHT}", RIGHT),
    (f"```\n{WRONG}\n```\n{WRONG}</think>{RIGHT}", RIGHT),
    (f"<think>``` {WRONG}</think>{RIGHT}", RIGHT),  # its fence ends with it
    (f"{RIGHT} <think>{WRONG}</think> {RIGHT}", f"{RIGHT}  {RIGHT}"),
    (f"{RIGHT}\n<think>{WRONG}</think>\n<think>{WRONG}</think>{RIGHT}", f"{RIGHT}\n\n{RIGHT}"),
    (f"<think>Do I need </thinking> or <think>?</think>{RIGHT}", RIGHT),
    (f"<think>a</think>{WRONG}</think>{RIGHT}", RIGHT),
    (f"{RIGHT}\n<think>{WRONG}", f"{RIGHT}\n"),  # broke off
    (f"<think>{WRONG}</thin", ""),
    (f"</think>{RIGHT}", RIGHT),
    (f"<reason>{WRONG}</reason>\n{RIGHT}", f"\n{RIGHT}"),
    (f"<reflection>\n{WRONG}\n</reflection>{RIGHT}", RIGHT),
    (f"<scratchpad>{WRONG} It is <b>so</b>.</scratchpad>{RIGHT}", RIGHT),
    (f"{RIGHT}\n<inner_thoughts>{WRONG}</inner_thoughts>", f"{RIGHT}\n"),
    (f"<antThinking>{WRONG}</antThinking> {RIGHT}", f" {RIGHT}"),
    (f"{WRONG}</m_think>{RIGHT}", RIGHT),
    (f"<{NEVER}>{WRONG}</{NEVER}>{RIGHT}", RIGHT),
    (f"<unused94>thought\n{WRONG}<unused95>{RIGHT}", RIGHT),
    (f"<|channel|>analysis<|message|>{WRONG}{FINAL}{RIGHT}", RIGHT),
    (f"{WRONG}{FINAL}{RIGHT}", RIGHT),
    (f'<details type="reasoning" done="true">\n> {WRONG}\n</details>\n{RIGHT}', f"\n{RIGHT}"),
    (f"<details><summary>{RIGHT}</summary>{RIGHT}</details> {RIGHT}", None),
    # Talk about tags, and what looks like one.
    (f"{RIGHT} Put it into <think> tags. {WRONG}", None),
    (f"{RIGHT} It ends with </think> as told.", None),
    (f"{RIGHT}\n`<think>` opens it, `x </think>` ends it.", None),
    (f"{RIGHT}\n```\n<think>\nx\n</think>\n```\n", None),
    (f"{RIGHT} <thin", None), (f"{RIGHT} [TH] <b>x</b> [1] a<b", None),
    (f"{RIGHT}\n<th\u0130nk>\u017f</thin\u212a>", None),
]  # fmt: skip


def parted(pieces):
    thoughts, parts = Thoughts(), []
    for piece in pieces:
        parts += [piece] if thoughts.passes(piece) else thoughts.feed(piece)
    return [*parts, *thoughts.close()]


def answer_of(parts):
    """Return the text of the answer, and its thoughts; one without an opening tag takes it back."""
    text, thoughts = [], []
    for part in parts:
        if isinstance(part, str):
            text.append(part)
        elif isinstance(part, Thought):
            thoughts.append(part)
            text = text if part.opened else []
    return "".join(text), thoughts


@pytest.mark.parametrize(("written", "answer"), CASES)
def test_thoughts_are_told_from_the_answer_under_every_split(written, answer):
    told, thoughts = feed_every_way(written, lambda pieces: answer_of(parted(pieces)))
    assert told == (written if answer is None else answer)
    assert bool(thoughts) is (answer is not None)


@pytest.mark.parametrize(
    ("opening", "closing"), [each for each in MARKS if each[1] not in ENDS_MORE]
)
def test_every_mark_is_read_opened_and_not(opening, closing):
    for written in (f"{opening}{WRONG}{closing}\n{RIGHT}", f"{WRONG}{closing.upper()}\n{RIGHT}"):
        told, thoughts = feed_every_way(written, lambda pieces: answer_of(parted(pieces)))
        assert told == f"\n{RIGHT}"
        span = (0, len(written) - len(told), written.startswith(opening))
        assert thoughts == [span]


TAGS = ["<think>", "</think>", "[THINK]", "[/THINK]", "◁think▷", "</thinking>", "<thi", "◁/",
        "<|channel|>", "<|channel|>final<|message|>", "analysis<|message|>"]  # fmt: skip
PIECES = st.lists(st.sampled_from([*TAGS, "a ", "`", "```", "\n", ". ", RIGHT, "<", "["]))


@given(PIECES, st.data())
def test_no_split_changes_what_is_a_thought(parts, data):
    written = "".join(parts)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(written)), max_size=9)))
    pieces = [written[a:b] for a, b in zip([0, *cuts], [*cuts, len(written)], strict=True)]
    whole = answer_of(parted([written]))
    assert answer_of(parted(pieces)) == whole == answer_of(parted(parts))


def test_most_pieces_go_by():
    thoughts = Thoughts()
    assert all(thoughts.passes(f"word {n} (x)\n") for n in range(500))
    assert not thoughts.passes("<")
    assert thoughts.feed("<") == []
    assert thoughts.feed("b>") == ["<b>"]
    assert thoughts.passes("more")
    assert thoughts.close() == []


def result_of(written, context=CONTEXT):
    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    return feed_every_way(written, read)


@pytest.mark.parametrize(("written", "answer"), [case for case in CASES if case[1] is not None])
def test_the_result_is_that_of_the_answer_alone(written, answer):
    result, alone = result_of(written), check_text(answer, context=CONTEXT)
    assert result.thoughts
    assert result.text.code_points == len(written)
    assert result.status == alone.status
    assert [one.code for one in result.reasons] == [one.code for one in alone.reasons]
    assert (result.total_claims, result.scores) == (alone.total_claims, alone.scores)
    told = [(one.flag, one.value) for one in result.findings]
    assert told == [(one.flag, one.value) for one in alone.findings]
    for one in result.findings:
        assert one.start is None or written[one.start : one.end] == one.value
    claims = [written[one.start : one.end] for one in result.sentences if one.is_claim]
    assert claims == [RIGHT] * len(claims)


def test_a_thought_inside_an_object_is_no_text_of_its_fields():
    for key in ('{"answer": <think>It costs $95.</think> "', '{"a<think>It costs $95.</think>": "'):
        answer = f'{key}{RIGHT}"}}'
        result = result_of(answer)
        assert (result.status, len(result.thoughts), result.findings) == ("PASS", 1, ())


def test_what_is_wrong_behind_a_thought_is_found():
    for written in (f"<think>Is it $80?</think>{WRONG}", f"It is $80.\n</think>\n{WRONG}"):
        result = result_of(written)
        assert result.status == "REFUSE"
        assert [written[f.start : f.end] for f in result.findings] == ["$95"]


def settled(guard, text):
    """Feed the text and do all that it brings; return what settled."""
    guard.feed(text)
    while guard.step() is not None:
        pass
    return guard.settled()


def test_findings_of_a_thought_told_late_are_retracted_by_their_ids():
    guard = StreamGuard(CONTEXT)
    before = settled(guard, f"{WRONG} {WRONG}\n\n")
    ids = [id_ for each in before for id_ in each.finding_ids]
    assert len(ids) >= 2
    after = settled(guard, f"So it is.</think>\n{RIGHT} {RIGHT}\n\n")
    thought, first, second = after
    assert (thought.retracted, second.retracted) == ((), ())
    assert first.retracted == (*ids, *thought.finding_ids)
    assert first.index == 3
    result = guard.close()
    assert result.findings == ()
    assert not any(each.findings or each.is_claim for each in result.sentences[:3])


def test_held_findings_are_retracted_with_the_others():
    asked = Context(chunks=CONTEXT.chunks, citations_requested=True)
    asked.prepare()
    guard = StreamGuard(asked)
    told = settled(guard, f"{RIGHT} {WRONG} x</think>{RIGHT} [C1]\n\n")
    ids = [id_ for each in told[:-1] for id_ in each.finding_ids]
    assert sorted(told[-1].retracted) == sorted(ids)
    assert any(each.provisional for each in told)
    assert guard.close().findings == ()


def test_a_thought_is_taken_back_without_passages_too():
    result = result_of(f"{WRONG}\n\n{WRONG}\n</think>\n{RIGHT}", Context())
    assert (result.status, result.total_claims) == (None, 1)


def test_no_word_of_a_verifier_counts_for_a_thought():
    guard = StreamGuard(CONTEXT)
    settled(guard, f"{WRONG}\n\n")
    told = guard.claims()
    guard.feed(f"x\n</think>\n{RIGHT} ")
    guard.close()
    told += guard.claims()
    assert [claim.text for claim in told] == [WRONG, RIGHT]
    guard.score(told[0].id, Score(contradiction=0.99, scorer="nli", calibrated=True))
    assert guard.findings_by_scores(told[0].sentence.index) == ()
    result = guard.close()
    assert result.status == "PASS"
    assert not any(each.opinions for each in result.sentences)


def test_thoughts_are_blanked_for_the_published_patterns():
    literal = check_text(
        f"<think>I cannot say: $95</think>{RIGHT}", context=CONTEXT, policy="literal"
    )
    assert not literal.refusal.detected
    assert without_thoughts("ab<x>cd", [Thought(2, 5, opened=True)]) == "ab   cd"
    assert without_thoughts("ab", [Thought(2, 9, opened=True)]) == "ab"


def test_spans_of_thoughts_are_given_in_utf16():
    result = result_of("<think>\U0001f600</think>" + RIGHT)
    assert (result.thoughts[0].end, result.in_utf16().thoughts[0].end) == (16, 17)
    assert result.in_utf16().sentences[0].start == 17


@pytest.mark.parametrize("hold", ["sentence", "answer"])
def test_a_hold_says_that_a_thought_has_left(hold):
    policy = Policy.preset("moderate", hold=hold, on_violation="annotate")
    for written, told in (
        (f"{RIGHT}\nx</think>{RIGHT}", True),
        (f"<think>x</think>{RIGHT}", False),
    ):
        with guard_sync(iter(written), context=CONTEXT, policy=policy) as stream:
            assert "".join(each for each in stream if isinstance(each, str)) == written
        assert stream.annotation.hold.thought_left is (told and hold == "sentence")


LED_IN = [
    ("Here is the code:\n```python\nprice = 95\n```", None),
    ("Sure! Here is the script:\n\n```bash\ncurl x\n```\n\nLet me know if you need more.", None),
    ("Use this:\n```\nx\n```\n", None), ("```\nx\n```\nHope this helps!", None),
    (f"{RIGHT}\n```\nx\n```", "PASS"), (f"```\nx\n```\n{WRONG}", "REFUSE"), ("Thanks!", "PASS"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "status"), LED_IN)
def test_code_behind_words_that_claim_nothing_has_no_status(answer, status):
    def read(pieces):
        guard = StreamGuard(CONTEXT)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    result = feed_every_way(answer, read)
    assert result.status == status
    assert (result.reasons[0].code == "nothing_to_check") == (status is None)


def test_code_alone_and_thoughts_alone_are_nothing_to_check():
    for written in ("```python\nprint(95)\n```", f"<think>{WRONG}</think>", f"{WRONG}\n</think>\n"):
        result = result_of(written)
        assert (result.status, result.reasons[0].code) == (None, "nothing_to_check")


def test_a_segmenter_may_begin_behind_a_thought():
    segmenter = Segmenter(10)
    assert [*segmenter.feed("One. Two."), *segmenter.close()] == [(10, 14), (15, 19)]


def test_very_many_thoughts_are_told_as_one_at_last():
    written = "<think>a</think>" * (MAX_THOUGHTS + 9) + RIGHT
    result = check_text(written, context=CONTEXT)
    assert (result.status, len(result.thoughts)) == ("PASS", MAX_THOUGHTS)
    assert result.thoughts[-1].end == len(written) - len(RIGHT)
    late = check_text("a</think>\n" * 2_000 + RIGHT, context=CONTEXT)
    assert (late.total_claims, late.sentences[-1].is_claim) == (1, True)


def test_a_fence_within_a_thought_is_the_thoughts():
    thoughts = Thoughts()
    parts = [*thoughts.feed("<think>\n```json\n{}\n```\n</think>Yes."), *thoughts.close()]
    assert "".join(part for part in parts if isinstance(part, str)).strip() == "Yes."
