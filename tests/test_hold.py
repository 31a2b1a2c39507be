"""Held streams: what leaves, when, and what becomes of text that the policy blocks."""

import asyncio
import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionChunk

from streamguard.core.context import Context
from streamguard.core.machine.holding import MASK, Holding, is_blocked
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Finding, Quotation, Verdict
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError, DecodeError
from streamguard.stream import guard
from streamguard.stream_sync import guard_sync
from streamguard.testing import feed_every_way
from streamguard.verify.verifier import Verifier
from streamguard.wire.codecs.sse import SSEEvent
from streamguard.wire.dialects import DIALECTS
from streamguard.wire.endings import (
    AnthropicEnding,
    ChatEnding,
    CohereEnding,
    Ending,
    GeminiEnding,
    OllamaEnding,
    PlainEnding,
    ResponsesEnding,
    UIMessageEnding,
    event_like,
)
from streamguard.wire.frame_editor import FrameEditor
from streamguard.wire.protocols import openai_chat
from streamguard.wire.rewriting import MAX_STRINGS, scrubbed, with_texts

CONTEXT = Context(
    query="What does Pro cost?", chunks=["The Pro plan costs $29 per month. It has 5 seats."]
)
GOOD = "The Pro plan costs $29 per month. "
ANSWER = GOOD + "The Basic plan costs $19. It has 5 seats. Write to joe@corp.example."
SECRET = "AKIA4ZQ7" + "RT5YPLM3WXCV"  # written so that no scanner takes it for one
REFUSAL = "I cannot answer this based on the provided documents."


def policy(hold="sentence", on_violation="stop", **settings):
    given_ = {"block": ("unsupported_price", "pii"), "packs": ("pii",), **settings}
    return Policy.preset("moderate", hold=hold, on_violation=on_violation, **given_)


def held(pieces, policy, **options):
    """Return the text that left, and the annotation."""
    with guard_sync(iter(pieces), context=CONTEXT, policy=policy, **options) as stream:
        *left, annotation = stream
    return "".join(left), annotation


@pytest.mark.parametrize(
    ("hold", "on_violation", "left", "action", "ended"),
    [
        ("sentence", "annotate", ANSWER, "none", "complete"),
        ("sentence", "stop", GOOD, "stopped", "blocked"),
        ("sentence", "replace", GOOD + REFUSAL, "replaced", "blocked"),
        (
            "sentence",
            "mask",
            f"{GOOD}The Basic plan costs {MASK}. It has 5 seats. Write to [EMAIL].",
            "masked",
            "complete",
        ),
        ("answer", "annotate", ANSWER, "none", "complete"),
        ("answer", "stop", "", "stopped", "complete"),
        ("answer", "replace", REFUSAL, "replaced", "complete"),
        (
            "answer",
            "mask",
            f"{GOOD}The Basic plan costs {MASK}. It has 5 seats. Write to [EMAIL].",
            "masked",
            "complete",
        ),
    ],
)
def test_what_leaves_is_the_same_under_every_split(hold, on_violation, left, action, ended):
    def told(pieces):
        text, annotation = held(pieces, policy(hold, on_violation))
        # How much of a stopped answer had come, and is judged, is a matter of the pieces.
        result = annotation.result if ended == "complete" else None
        return text, result, annotation.hold, annotation.result.ended

    text, result, report, told_end = feed_every_way(ANSWER, told)
    assert (text, report.action, told_end) == (left, action, ended)
    assert not report.early
    if ended == "complete":
        assert result == check_text(ANSWER, context=CONTEXT, policy=policy(hold, on_violation))
    assert report.left[0].code_points == len(left)
    assert {one.check for one in report.blocked} <= {"unsupported_price", "pii:email"}


def test_without_a_violation_items_are_the_sources_own():
    pieces = [object() for _ in range(5)]
    texts = dict(
        zip(map(id, pieces), ["The Pro ", "plan costs", " $29 per", " month", "."], strict=True)
    )
    with guard_sync(
        iter(pieces), context=CONTEXT, policy=policy(), text=lambda item: texts[id(item)]
    ) as stream:
        assert [id(item) for item in stream.items()] == list(map(id, pieces))
    assert stream.annotation.hold.action == "none"


def test_a_sentence_leaves_once_it_has_settled_and_not_before():
    came, left = [], []

    def source():
        for piece in ("The Pro plan", " costs $29 per month.", " It has", " 5 seats."):
            came.append(piece)
            yield piece

    stream = guard_sync(source(), context=CONTEXT, policy=policy(on_violation="annotate"))
    with stream:
        for item in stream.items():
            left += [(item, len(came))]
    assert left == [
        ("The Pro plan", 3),
        (" costs $29 per month.", 3),
        (" It has", 4),
        (" 5 seats.", 4),
    ]


def test_text_that_waits_too_long_leaves_unchecked_and_says_so():
    pieces = [ANSWER[at : at + 4] for at in range(0, len(ANSWER), 4)]
    text, annotation = held(pieces, policy(max_hold_chars=10))
    assert text == GOOD + "The Basic plan cos"  # the rest was held when its price settled
    assert annotation.hold.early
    assert [one.check for one in annotation.hold.blocked] == ["unsupported_price"]


@pytest.mark.asyncio
async def test_text_leaves_in_time_while_the_source_is_silent():
    waits = asyncio.Event()

    async def source():
        yield "The Pro plan costs"
        await waits.wait()
        yield " $29 per month."

    async with guard(source(), context=CONTEXT, policy=policy(max_hold_s=0.01)) as stream:
        items = stream.items()
        assert await anext(items) == "The Pro plan costs"
        waits.set()
        assert [item async for item in items] == [" $29 per month."]
    assert stream.annotation.hold.early


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_the_async_shell_does_what_the_plain_one_does(anyio_backend):
    async def source():
        for at in range(0, len(ANSWER), 3):
            yield ANSWER[at : at + 3]

    for on_violation in ("annotate", "stop", "replace", "mask"):
        chosen = policy(on_violation=on_violation)
        async with guard(source(), context=CONTEXT, policy=chosen) as stream:
            left = [item async for item in stream.items()]
        text, annotation = held([ANSWER], chosen)
        assert "".join(left) == text
        assert stream.annotation.hold == annotation.hold
        if stream.result.complete:
            assert stream.result == annotation.result


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_a_stopped_stream_closes_its_source(anyio_backend):
    closed, asked = [], []

    async def source():
        try:
            for at in range(0, len(ANSWER), 5):
                asked.append(at)
                yield ANSWER[at : at + 5]
        finally:
            closed.append(True)

    async with guard(source(), context=CONTEXT, policy=policy()) as stream:
        assert "".join([item async for item in stream.items()]) == GOOD
        assert closed == [True]
    assert len(asked) < len(ANSWER) / 5


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_what_was_held_leaves_before_the_sources_error(anyio_backend):
    async def source():
        yield "The Pro plan costs $29 "
        raise ValueError("no more")

    async with guard(source(), context=CONTEXT, policy=policy()) as stream:
        items = stream.items()
        assert await anext(items) == "The Pro plan costs $29 "
        with pytest.raises(ValueError, match="no more"):
            await anext(items)
    assert stream.result.ended == "upstream_error"


def test_what_was_held_leaves_before_the_plain_sources_error():
    def source():
        yield "The Pro plan costs $29 "
        raise ValueError("no more")

    with guard_sync(source(), context=CONTEXT, policy=policy()) as stream:
        items = stream.items()
        assert next(items) == "The Pro plan costs $29 "
        with pytest.raises(ValueError, match="no more"):
            next(items)
    assert stream.annotation.hold.left[0].code_points == 23


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_a_reader_that_leaves_has_a_result_of_what_came(anyio_backend):
    async def source():
        for piece in (GOOD, "It has 5 seats. ", "More"):
            yield piece

    async with guard(source(), context=CONTEXT, policy=policy()) as stream:
        async for _ in stream.items():
            break
    assert stream.result.ended == "consumer_stopped"
    assert stream.annotation.hold.left[0].code_points == len(GOOD)


def test_a_callable_gives_the_text_in_place_and_what_it_raises_is_listed():
    seen = []

    def replace(finding):
        seen.append(finding.value)
        return f"(A price was taken out: {finding.check}.)"

    text, _ = held([ANSWER], policy(on_violation="replace"), replace_with=replace)
    assert text == GOOD + "(A price was taken out: unsupported_price.)"
    assert seen == ["$19"]
    for wrong in (lambda _: 3, lambda _: 1 / 0):
        text, annotation = held([ANSWER], policy(on_violation="replace"), replace_with=wrong)
        assert text == GOOD + REFUSAL
        assert any(error.startswith("replace_with") for error in annotation.result.errors)
    chosen = policy(on_violation="replace", replacement_text="Ask us.")
    assert held([ANSWER], chosen)[0] == GOOD + "Ask us."


@pytest.mark.parametrize(("fails", "left"), [("open", ANSWER), ("closed", "")])
def test_a_check_that_fails_lets_text_go_or_stops_it(fails, left):
    from streamguard.core.checks import DEFAULT_CHECKS

    def broken(sentence, scope):
        raise RuntimeError

    chosen = policy(block=("nothing_else",), packs=(), hold_fails=fails)
    text, annotation = held([ANSWER], chosen, checks=DEFAULT_CHECKS.plus(broken))
    assert text == left
    assert annotation.result.errors == ("broken: RuntimeError",)


def chunks(answer=ANSWER, choice=0):
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas = [{"role": "assistant"}] + [{"content": each} for each in answer.split(" ")]
    deltas = [{"content": " " + one["content"]} if n > 1 else one for n, one in enumerate(deltas)]
    for delta in deltas:
        scores = {"content": [{"token": "x", "logprob": -1.0, "top_logprobs": []}]}
        part = {"index": choice, "delta": delta, "logprobs": scores, "finish_reason": None}
        yield ChatCompletionChunk.model_validate({**head, "choices": [part]})
    part = {"index": choice, "delta": {}, "logprobs": None, "finish_reason": "stop"}
    yield ChatCompletionChunk.model_validate({**head, "choices": [part]})


@pytest.mark.parametrize(
    ("on_violation", "reason"),
    [
        ("annotate", "stop"),
        ("stop", "content_filter"),
        ("replace", "stop"),
        ("mask", "stop"),
    ],
)
def test_objects_of_an_sdk_that_change_are_copies_and_the_others_the_sources_own(
    on_violation, reason
):
    source = list(chunks())
    before = [item.model_dump() for item in source]
    with guard_sync(iter(source), context=CONTEXT, policy=policy(on_violation=on_violation)) as s:
        *left, _ = s
    assert [item.model_dump() for item in source] == before
    text = "".join(item.choices[0].delta.content or "" for item in left)
    assert text == held([ANSWER], policy(on_violation=on_violation))[0]
    assert left[-1].choices[0].finish_reason == reason
    assert all(type(item) is ChatCompletionChunk for item in left)
    own = [any(item is one for one in source) for item in left]
    assert own[0]
    assert all(own) == (on_violation == "annotate")
    for item, is_own in zip(left, own, strict=True):
        if not is_own:
            assert item.choices[0].logprobs is None


def test_one_choice_that_is_stopped_stops_the_others():
    source = [json.loads(item.model_dump_json()) for item in chunks()]
    other = [json.loads(item.model_dump_json()) for item in chunks(GOOD.strip(), choice=1)]
    mixed = [item for pair in zip(source, other, strict=False) for item in pair]
    with guard_sync(iter([*mixed, *source[len(other) :]]), context=CONTEXT, policy=policy()) as s:
        *left, annotation = s
    ends = {c["index"]: c["finish_reason"] for item in left for c in item["choices"]}
    assert set(ends.values()) <= {"content_filter", "stop"}
    assert annotation.choices[0].ended == "blocked"


def test_options_stand_in_for_the_policy_and_what_does_not_fit_is_refused():
    block = Policy.preset("moderate", block=("unsupported_price",))
    text, annotation = held([ANSWER], block, hold="sentence", on_violation="stop")
    assert (text, annotation.hold.mode) == (GOOD, "sentence")
    with pytest.raises(ConfigError, match="on_violation is 'stop', which needs hold"):
        Policy.preset("moderate", on_violation="stop", block=("secret",))
    with pytest.raises(ConfigError, match="on_violation is 'mask', but block names nothing"):
        Policy.preset("moderate", hold="sentence", on_violation="mask")
    with pytest.raises(ConfigError, match="hold"):
        guard_sync(iter(()), hold="paragraph")
    without, plain = held([ANSWER], block)
    assert (without, plain.hold) == (ANSWER, None)


def finding(check, flag="flag"):
    return Finding(flag, check, "warning", 0, 1, None, None, None)


def test_block_names_checks_flags_and_what_a_check_begins_with():
    assert is_blocked(finding("pii:iban"), ["pii"])
    assert is_blocked(finding("pii:iban"), ["pii:iban"])
    assert not is_blocked(finding("pii:iban"), ["pii:email"])
    assert is_blocked(finding("any", "secret"), ["secret"])
    assert not is_blocked(finding("piilike"), ["pii"])


@given(st.lists(st.text(max_size=6), max_size=12), st.data())
def test_masks_take_out_their_spans_however_the_text_was_cut(pieces, data):
    holding = Holding("answer", 100, 1.0)
    text = "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for piece in pieces:
        holding.add(piece, {0: piece}, 0.0)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    masked = holding.mask(0, start, end, "#")
    holding.finish()
    left = "".join(leaving.texts[0] for leaving in holding.leave(0.0))
    left = left.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    expected = text[:start] + "#" + text[end:] if masked else text
    assert left == expected
    assert masked == (end > start)


def test_a_mask_that_overlaps_another_or_has_left_takes_what_is_left():
    holding = Holding("sentence", 100, 1.0)
    holding.add("abcd", {0: "abcd"}, 0.0)
    holding.judged(0, 4)
    assert [one.texts[0] for one in holding.leave(0.0)] == ["abcd"]
    holding.add("efgh", {0: "efgh"}, 0.0)
    assert not holding.mask(0, 1, 3, "#")
    assert holding.mask(0, 2, 6, "#")
    assert holding.mask(0, 5, 7, "+")
    holding.judged(0, 8)
    assert [one.texts[0] for one in holding.leave(0.0)] == ["#+h"]


def test_masks_come_in_any_order():
    holding = Holding("answer", 100, 10.0)
    holding.add("a", {0: "0123456789"}, 0.0)
    assert holding.mask(0, 6, 8, "#")
    assert holding.mask(0, 1, 3, "+")
    assert holding.mask(0, 2, 9, "-")
    assert not holding.mask(0, 1, 9, "*")
    holding.finish()
    assert holding.leave(0.0) == [("a", {0: "0+-#-9"}, True)]


def test_a_secret_in_front_of_what_another_check_found_is_masked_too():
    answer = f"Write to joe@corp.example, who pays $59 with {SECRET} a month."
    masking = policy(on_violation="mask", block=("unsupported_price", "pii", "secret"), packs=())

    def left(pieces):
        with guard_sync(pieces, context=CONTEXT, policy=masking) as stream:
            return "".join(stream.items())

    sent = f"Write to [EMAIL], who pays {MASK} with [SECRET] a month."
    assert feed_every_way(answer, left) == sent


def test_halves_of_a_character_in_two_items_count_as_one():
    holding = Holding("sentence", 100, 1.0)
    high, low = "\ud83d", "\ude00"
    holding.add(high, {0: high}, 0.0)
    holding.add(low + "a", {0: low + "a"}, 0.0)
    holding.judged(0, 1)
    assert [one.item for one in holding.leave(0.0)] == [high]
    holding.judged(0, 2)
    assert [one.item for one in holding.leave(0.0)] == [low + "a"]


def test_a_frame_whose_text_is_not_among_its_strings_cannot_be_changed():
    with pytest.raises(DecodeError, match="was not found among its strings"):
        with_texts({"n": 3}, {0: "x"}, lambda item: {0: str(item["n"])})
    frame = {f"k{n}": "x" for n in range(MAX_STRINGS + 1)}
    with pytest.raises(DecodeError, match="more than 2000 strings"):
        with_texts(frame, {0: "y"}, lambda item: {0: item["k0"]})


def test_the_text_of_several_parts_moves_into_the_first():
    parts = [{"type": "text", "text": "ab"}, {"type": "text", "text": "cd"}]
    frame = {"choices": [{"index": 0, "delta": {"content": parts}}], "same": "ab"}
    changed = with_texts(frame, {0: "x"}, openai_chat.text_of)
    assert openai_chat.text_of(changed) == {0: "x"}
    assert changed["same"] == "ab"


def test_copies_of_a_text_lose_it_too_and_what_has_none_stays_the_same():
    frame = {"a": ["say $19 now"], "logprobs": [1], "b": {"logprobs": {"x": 1}}}
    clean = scrubbed(frame, [("$19", MASK)])
    assert clean == {"a": [f"say {MASK} now"], "logprobs": [], "b": {"logprobs": None}}
    assert scrubbed(frame, [("$20", MASK)]) is frame
    assert scrubbed("say $19", [("$19", MASK)]) == f"say {MASK}"
    loop: dict = {"a": "x"}
    loop["self"] = loop
    assert scrubbed(loop, [("y", "z")]) is loop


def test_ends_are_those_of_the_protocol():
    plain = Ending()
    plain.note("x")
    assert plain.frames("", 0) == []
    assert plain.frames("No.", 0) == ["No."]
    ending = ChatEnding()
    choice = {"index": 0, "text": "a", "finish_reason": None}
    ending.see({"id": "c", "object": "text_completion", "choices": [choice]})
    ending.see({"usage": {}})
    text, end = ending.frames("No.", 0)
    assert text["choices"] == [{"index": 0, "text": "No.", "finish_reason": None}]
    assert end["choices"] == [{"index": 0, "text": "", "finish_reason": "stop"}]
    (end,) = ending.frames("", 0)
    assert end["choices"] == [{"index": 0, "text": "", "finish_reason": "content_filter"}]
    assert end["object"] == "text_completion"
    ending.note({"choices": [{"index": 0, "text": "", "finish_reason": "stop"}]})
    assert ending.frames("", 0) == []


def test_an_end_ends_every_choice_that_came_though_nothing_of_it_has_left():
    ending = ChatEnding()
    for index in (0, 1):
        ending.see({"choices": [{"index": index, "delta": {"content": "a"}}]})
    ends = [frame["choices"][0] for frame in ending.frames("", 0)]
    assert [(end["index"], end["finish_reason"]) for end in ends] == [
        (0, "content_filter"),
        (1, "content_filter"),
    ]
    gemini = GeminiEnding()
    gemini.see({"candidates": [{"index": 1, "content": {"parts": [{"text": "a"}]}}]})
    (frame,) = gemini.frames("No.", 1)
    assert [one["content"]["parts"][0]["text"] for one in frame["candidates"]] == ["", "No."]


def reader(words, calls):
    """Return a judge that says of each sentence what `words` says, once `calls` allows it."""

    async def ask(sentences, scope):
        calls.append([sentence.text for sentence in sentences])
        said = []
        for sentence in sentences:
            word = next((word for part, word in words.items() if part in sentence.text), None)
            quoted = scope.evidence.texts[0][:33]
            place = Quotation(quoted, scope.evidence.labels[0], 0, len(quoted))
            quotations = (place,) if word in ("supported", "contradicted") else ()
            said.append(Verdict(word=word, confidence=0.99, quotations=quotations))
        return said

    return Verifier(ask, name="judge scripted v2")


@pytest.mark.asyncio
async def test_a_held_claim_waits_for_the_word_of_a_judge():
    async def source():
        for piece in (GOOD, "It has 5 seats. ", "You may share it with anybody.", " Ask us."):
            yield piece

    calls: list = []
    chosen = policy(block=("contradicted_claim",), packs=(), hold_judge_s=20.0)
    readers = [reader({"share": "contradicted", "Pro": "supported", "seats": "supported"}, calls)]
    async with guard(source(), context=CONTEXT, policy=chosen, verifiers=readers) as stream:
        left = "".join([item async for item in stream.items()])
    assert left == GOOD + "It has 5 seats. "
    assert [one.check for one in stream.annotation.hold.blocked] == ["verifier judge scripted v2"]
    assert calls


@pytest.mark.asyncio
async def test_a_word_that_does_not_come_in_time_lets_the_claim_go():
    async def never(sentences, scope):
        await asyncio.Event().wait()

    async def source():
        yield GOOD
        yield "It has 5 seats."
        await asyncio.sleep(0)

    chosen = policy(block=("contradicted_claim",), packs=(), hold_judge_s=0.02, max_tail_wait_s=0.0)
    readers = [Verifier(never, name="judge silent v2")]
    async with guard(source(), context=CONTEXT, policy=chosen, verifiers=readers) as stream:
        left = [item async for item in stream.items()]
    assert left == [GOOD, "It has 5 seats."]
    assert stream.annotation.hold.action == "none"


@pytest.mark.asyncio
async def test_a_finding_that_a_judges_quotations_answer_is_not_blocked():
    async def source():
        yield "The Pro plan costs $348 per year. "
        yield "It has 5 seats."

    calls: list = []
    chosen = policy(packs=(), hold_judge_s=20.0)
    words = {"348": "supported", "seats": "supported"}
    async with guard(
        source(), context=CONTEXT, policy=chosen, verifiers=[reader(words, calls)]
    ) as stream:
        left = [item async for item in stream.items()]
    assert "".join(left) == "The Pro plan costs $348 per year. It has 5 seats."


@pytest.mark.asyncio
async def test_a_hundred_held_streams_with_a_slow_check_one_that_raises_and_readers_that_leave():
    def slow(sentence, scope):
        sum(range(20_000))
        return ()

    def broken(sentence, scope):
        raise RuntimeError

    async def source():
        for at in range(0, len(ANSWER), 7):
            await asyncio.sleep(0)
            yield ANSWER[at : at + 7]

    from streamguard.core.checks import DEFAULT_CHECKS

    async def read(number):
        more = (slow, broken) if number % 2 else (slow,)
        checks = DEFAULT_CHECKS.plus(*more)
        async with guard(source(), context=CONTEXT, policy=policy(), checks=checks) as stream:
            left = []
            async for item in stream.items():
                left.append(item)
                if number % 5 == 0:
                    break
        return number, "".join(left), stream

    for number, left, stream in await asyncio.gather(*map(read, range(100))):
        assert GOOD.startswith(left)
        assert stream.result.ended == ("consumer_stopped" if number % 5 == 0 else "blocked")
        assert bool(stream.result.errors) == bool(number % 2)


def test_events_of_sdks_are_made_as_objects_of_their_types():
    import openai.types.responses

    example = openai.types.responses.ResponseTextDeltaEvent.model_construct()
    ending = ResponsesEnding()
    *_, last = (event_like(example, frame) for frame in ending.frames("", 0))
    assert isinstance(last, openai.types.responses.ResponseIncompleteEvent)
    assert event_like({}, {"type": "x"}) == {"type": "x"}


def test_endings_open_what_is_not_open():
    anthropic_, cohere = AnthropicEnding(), CohereEnding()
    kinds = [frame["type"] for frame in anthropic_.frames("No.", 0)]
    assert kinds[:2] == ["content_block_start", "content_block_delta"]
    tool = {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use"}}
    anthropic_ = AnthropicEnding()
    anthropic_.note(tool)
    kinds = [frame["type"] for frame in anthropic_.frames("No.", 0)]
    assert kinds[:2] == ["content_block_stop", "content_block_start"]
    anthropic_.note({"type": "content_block_stop", "index": 0})
    assert [frame["type"] for frame in anthropic_.frames("", 0)] == [
        "message_delta",
        "message_stop",
    ]
    kinds = [frame["type"] for frame in cohere.frames("No.", 0)]
    assert kinds == ["content-start", "content-end", "message-end"]
    cohere.note({"type": "content-delta", "index": None})
    cohere.note({"type": "content-end", "index": 0})
    assert [frame["type"] for frame in cohere.frames("", 0)] == ["message-end"]
    message = UIMessageEnding()
    assert next(part["type"] for part in message.frames("No.", 0)) == "text-start"
    message.note({"type": "text-end", "id": "t"})
    assert [part["type"] for part in message.frames("", 0)] == ["finish-step", "finish"]
    generated = OllamaEnding()
    generated.see({"model": "m", "response": "a"})
    assert generated.frames("No.", 0)[0]["response"] == "No."
    gemini = GeminiEnding()
    gemini.note({"candidates": [{"index": 0, "finishReason": "STOP"}]})
    assert gemini.frames("", 0) == []
    assert PlainEnding().frames("", 0) == []
    assert PlainEnding().frames("No.", 0) == ["No."]


def test_whole_answers_are_marked_only_where_they_have_their_form():
    for ending in (ChatEnding(), GeminiEnding()):
        odd = {"choices": ["x"], "candidates": ["x"]}
        ending.mark_stopped(odd)
        assert odd == {"choices": ["x"], "candidates": ["x"]}
    Ending().mark_stopped({})


def frame_ways(name):
    return FrameEditor(next(each for each in DIALECTS if each.name == name))


def test_frames_whose_data_is_text_are_changed_in_their_own_framing():
    text = SSEEvent(b"a$19\n", data="a$19")
    assert frame_ways("plain_text").rewrite(text, {0: "b"}).raw == b"b"
    assert frame_ways("plain_lines").rewrite(text, {0: "b"}).raw == b"b\n"
    assert frame_ways("plain_events").rewrite(text, {0: "b\nc"}).raw == b"data: b\ndata: c\n\n"
    assert frame_ways("plain_events").scrub(text, [("$19", MASK)]).data == f"a{MASK}"
    assert frame_ways("plain_events").scrub(text, [("$20", MASK)]) is text
    assert frame_ways("plain_text").end("No.", 0)[0].raw == b"No."
    assert frame_ways("plain_lines").end("No.", 0)[0].raw == b'"No."\n'
    assert frame_ways("plain_events").end("No.\nAsk.", 0)[0].raw == b"data: No.\ndata: Ask.\n\n"
    ways = frame_ways("openai_chat")
    ways.note(SSEEvent(b"data: {oops\r\n\r\n", data="{oops"))
    assert ways.end("", 0)[-1].raw == b"data: [DONE]\r\n\r\n"


def test_a_frame_in_several_lines_cannot_be_changed():
    data = '{"choices": [{"index": 0,\n"delta": {"content": "a$19"}}]}'
    raw = b"".join(b"data: " + line.encode() + b"\n" for line in data.split("\n")) + b"\n"
    event = SSEEvent(raw, data=data)
    with pytest.raises(DecodeError, match="several lines"):
        frame_ways("openai_chat").rewrite(event, {0: "b"})


def test_a_frame_that_was_read_in_part_is_scrubbed_in_whole():
    read = '{"choices":[{"index":0,"delta":{"content":"it costs $19"}}],"image":""}'
    whole = read.replace('"image":""', '"image":"AAAA","note":"$19"')
    ways = frame_ways("openai_chat")
    event = SSEEvent(f"data: {whole}\n\n".encode(), data=read, cut=True)
    scrubbed = ways.scrub(event, [("$19", "…")])
    assert not scrubbed.cut
    assert json.loads(scrubbed.data)["note"] == "…"
    assert b"$19" not in scrubbed.raw
    assert b"AAAA" in scrubbed.raw
    with pytest.raises(DecodeError, match="cannot be changed"):
        ways.scrub(SSEEvent(b"data: {no JSON}\n\n", data=read, cut=True), [("$19", "…")])


def test_text_at_a_path_of_ones_own_is_found_and_changed():
    ways = FrameEditor(next(each for each in DIALECTS if each.name == "plain_events"), "data.words")
    event = SSEEvent(b'data: {"data":{"words":"a"}}\n\n', data='{"data":{"words":"a"}}')
    assert ways.texts_of(event) == {0: "a"}
    assert ways.rewrite(event, {0: "b"}).data == '{"data":{"words":"b"}}'
    assert FrameEditor(None).texts_of(event) is None
    with pytest.raises(DecodeError):
        FrameEditor(None).rewrite(SSEEvent(b'data: {"a":"b"}\n\n', data='{"a":"b"}'), {0: "c"})


def test_dataclasses_and_plain_objects_are_rewritten_too():
    @dataclass
    class Piece:
        text: str
        logprobs: object = None

    class Own:
        def __init__(self):
            self.inner = Piece("a", [1])

    piece = Piece("a")
    assert with_texts(piece, {0: "b"}, lambda item: {0: item.text}) == Piece("b")
    changed = with_texts(Own(), {0: "b"}, lambda item: {0: item.inner.text})
    assert (changed.inner.text, changed.inner.logprobs) == ("b", [])


def test_what_is_let_go_leaves_unjudged_and_a_cut_behind_all_leaves_all():
    holding = Holding("answer", 100, 1.0)
    holding.add("ab", {0: "ab"}, 0.0)
    holding.let_go()
    assert holding.early
    assert [one.item for one in holding.leave(0.0)] == ["ab"]
    holding = Holding("sentence", 100, 1.0)
    holding.add("cd", {0: "cd"}, 0.0)
    holding.judged(0, 2)
    holding.cut(0, 2)
    assert [one.item for one in holding.rest()] == ["cd"]


def test_endings_bear_frames_that_say_nothing():
    responses, plain = ResponsesEnding(), PlainEnding()
    responses.note({"type": "ping"})
    assert responses.frames("", 0)[0]["sequence_number"] == 0
    plain.see({"n": 1})
    assert plain.frames("No.", 0) == ["No."]


def test_a_copy_that_holds_itself_is_cleared_once():
    loop: dict = {"a": "say $19", "logprobs": [1]}
    loop["self"] = loop
    clean = scrubbed(loop, [("$19", MASK)])
    assert (clean["a"], clean["logprobs"]) == (f"say {MASK}", [])


def test_a_mask_takes_nothing_out_of_what_only_holds_the_same_signs():
    answer = "The hall has 50 seats. It has 500 seats and 50x zoom."
    pattern = {"patterns": {"fifty": r"\b50\b"}, "packs": ("regex",), "block": ("regex:fifty",)}
    with guard_sync(
        chunks(answer), context=CONTEXT, policy=policy(on_violation="mask", **pattern)
    ) as stream:
        *left, _ = stream
    text = "".join(item.choices[0].delta.content or "" for item in left)
    assert text == f"The hall has {MASK} seats. It has 500 seats and 50x zoom."
