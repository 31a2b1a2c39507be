"""Verifiers beside the stream: what they say, when it is awaited, and what goes wrong with them."""

import asyncio
import gc
import os
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial

import anyio
import pytest
import trio
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st

from streamguard import (
    DEFAULT_CHECKS,
    Budget,
    Policy,
    Verdict,
    Verifier,
    check_text,
    guard,
    guard_sync,
)
from streamguard.core.context import Context
from streamguard.core.model.policy import Calibration
from streamguard.core.model.types import Quotation
from streamguard.core.verdict import scored as scored_module
from streamguard.core.verdict import weighing
from streamguard.errors import ConfigError, StreamStateError
from streamguard.examiner import Examiner
from streamguard.finished import annotated
from streamguard.verify import verifier_queue
from streamguard.verify.verifier import Cache, VerifierAnswer
from streamguard.verify.verifier_queue import LEFT
from tests.kit.judges import Gate, Latch, plain, raising, saying

CONTEXT = Context(
    query="What does the plan cost?",
    chunks=["The Basic plan costs $10 per month and includes 5 GB."],
)
ANSWER = "The Basic plan costs $12 per month. It includes 5 GB of data. Joan Miller set the price."
RIGHT = "The Basic plan costs $10 per month."
PIECES = [ANSWER[i : i + 7] for i in range(0, len(ANSWER), 7)]
SURE = Calibration(
    intercept=0.0, ours=0.2, doubt=0.0, warned=0.0, support=1.0, contradiction=-0.2,
    answer_intercept=-1.0, answer_slope=1.0,
)  # fmt: skip


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param


async def pieces(texts=PIECES):
    for text in texts:
        await checkpoint()
        yield text


async def annotation_of(texts=PIECES, *, policy=None, **options):
    async with guard(pieces(texts), context=CONTEXT, policy=policy, **options) as stream:
        async for _ in stream.items():
            pass
        return stream.annotation


def words_of(result):
    return [tuple(one.support for one in sentence.opinions) for sentence in result.sentences]


def waiting(seconds):
    return Policy(max_tail_wait_s=seconds)


# --- what they say


def decided(answer, *said, context=CONTEXT, **options):
    """Return the result of an answer of which a verifier that decides says so."""
    policy, verifier = Policy(verifiers={"says": SURE}), saying([Verdict(*said)])
    return check_text(answer, context=context, policy=policy, verifiers=[verifier], **options)


def test_its_contradiction_raises_a_flag_that_no_check_of_ours_raised(monkeypatch):
    result = decided(RIGHT, 0.5, 0.95)
    (finding,) = [f for f in result.findings if f.flag == "contradicted_claim"]
    assert finding.check == "verifier says"
    assert finding.message.startswith(
        "By says the passages contradict this; the nearest words are “"
    )
    assert (finding.start, finding.end, finding.value) == (0, len(RIGHT), RIGHT)
    assert result.status == "REFUSE"  # its only claim
    monkeypatch.setattr(scored_module, "MAX_FINDINGS", 0)
    assert not decided(RIGHT, 0.01, 0.99).findings


def test_its_findings_point_at_the_words_that_it_doubts():
    start = RIGHT.index("$10")
    doubted = (start, start + 3)
    for said, place in (
        ((0.5, 0.95), doubted),  # a contradiction
        ((0.01,), doubted),  # little support
        ((0.01,), (start, len(RIGHT) + 1)),  # words that the sentence does not have
    ):
        verdict = Verdict(*said, doubted=place)
        policy, answer = Policy(verifiers={"says": SURE}), f"Good morning! {RIGHT}"
        result = check_text(answer, context=CONTEXT, policy=policy, verifiers=[saying([verdict])])
        own = [one for one in result.findings if one.check == "verifier says"]
        expected = "$10" if place == doubted else RIGHT
        assert {one.value for one in own} == {expected}
        assert all(answer[one.start : one.end] == expected for one in own)


def test_the_least_support_says_which_words_are_doubted():
    says = {
        name: Verifier(saying([Verdict(support, doubted=place)]), name=name)
        for name, support, place in (("a", 0.02, (4, 9)), ("b", 0.01, (10, 14)), ("c", 0.0, None))
    }
    policy = Policy(verifiers=dict.fromkeys(says, SURE))
    result = check_text(RIGHT, context=CONTEXT, policy=policy, verifiers=list(says.values()))
    values = [one.value for one in result.findings if one.check == "verifier a, b, c"]
    assert values == [RIGHT[10:14]]


def test_what_a_check_found_contradicted_is_not_found_twice():
    def contradicts(sentence, scope):
        yield sentence.finding("contradicted_claim", None, check="mine", message="No.")

    result = decided(RIGHT, 0.01, 0.99, checks=DEFAULT_CHECKS.plus(contradicts))
    contradicted = [f.check for f in result.findings if f.flag == "contradicted_claim"]
    assert contradicted == ["mine"]


def test_a_word_of_nothing_known_or_of_certainty_weighs_within_bounds():
    most = weighing.MAX_LOG_ODDS
    odds = {None: 0.0, 0.5: 0.0, 0.0: -most, 1.0: most}
    assert {each: weighing.log_odds(each) for each in odds} == odds


def test_similarity_is_the_mean_over_claims_and_needs_all_of_them():
    for answer, first, others, similarity in (
        (ANSWER, 0.4, 0.8, pytest.approx((0.4 + 0.8 + 0.8) / 3, abs=1e-6)),
        (f"Hello! {ANSWER}", 0.4, 0.8, pytest.approx(0.8)),  # no claim needs one
        (ANSWER, None, 0.8, None),
    ):

        def near(sentences, scope, first=first, others=others):
            return [Verdict(similarity=others if s.index else first) for s in sentences]

        result = check_text(answer, context=CONTEXT, verifiers=[near])
        assert result.scores.similarity == similarity


def test_the_policy_names_who_may_decide():
    verifier = saying([Verdict(0.01, 0.99)])
    for policy, decides in (
        (Policy(), False),
        (Policy(deciding_verifiers=("says",)), True),
        (Policy(verifiers={"says": SURE}, deciding_verifiers=()), False),
        (Policy(verifiers={"says": SURE}, matching="literal"), False),
    ):
        result = check_text(RIGHT, context=CONTEXT, policy=policy, verifiers=[verifier])
        assert ("contradicted_claim" in result.flags) is decides


def test_every_choice_is_read():
    def texts(item):
        return item

    items = [{0: "It costs $12. ", 1: "It costs $10. "}, {0: "Yes, it is.", 1: "It has 5 GB."}]
    with guard_sync(items, context=CONTEXT, text=texts, verifiers=[plain]) as stream:
        list(stream)
    first, second = stream.annotation.choices
    assert words_of(first)[0] == (0.03,)
    assert words_of(second) == [(0.96,), (0.96,)]
    assert stream.annotation.verifiers[0].answered == 4


# --- the same whatever the cut


@given(st.lists(st.integers(1, 9), max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_completion_changes_nothing(sizes, order):
    texts, at = [], 0
    for size in sizes:
        texts.append(ANSWER[at : at + size])
        at += size
    texts.append(ANSWER[at:])
    shuffled = [_late(name, order) for name in ("x", "y", "z")]
    whole = check_text(ANSWER, context=CONTEXT, verifiers=shuffled)
    streamed = asyncio.run(annotation_of(texts, policy=waiting(60), verifiers=shuffled))
    assert streamed.result == whole


def _late(name, order):
    async def answers(sentences, scope):
        for _ in range(order.randrange(4)):
            await asyncio.sleep(0)
        return plain(sentences, scope)

    return Verifier(answers, name=name, batch=order.randrange(1, 4), parallel=2, cache=0)


# --- beside the stream, on asyncio and trio


@pytest.mark.anyio
async def test_sinks_get_the_final_annotation_alone():
    gate, given, done = Gate(), [], threading.Event()

    async def keeps(annotation):
        await checkpoint()  # in the caller's loop, trio's too
        given.append(annotation)
        done.set()

    async def fails(annotation):
        await checkpoint()
        raise RuntimeError("full")

    options = {"context": CONTEXT, "verifiers": [gate], "sinks": [given.append, fails, keeps]}
    async with guard(pieces(), policy=waiting(0), **options) as stream:
        async for _ in stream.items():
            pass
    assert not given
    gate.open()
    final = await stream.final()
    await anyio.to_thread.run_sync(done.wait)
    assert given == [final, final]


def test_sinks_of_a_trio_that_has_ended_run_all_the_same():
    gate, given, done = Gate(), [], threading.Event()

    async def keeps(annotation):
        given.append(annotation.state)
        done.set()

    options = {"policy": waiting(0), "verifiers": [gate], "sinks": [keeps]}
    assert trio.run(partial(annotation_of, **options)).state == "pending"
    gate.open()
    assert done.wait(10)
    assert given == ["complete"]


@pytest.mark.anyio
async def test_who_leaves_waits_for_nobody():
    gate = Gate()
    async with guard(pieces(), context=CONTEXT, policy=waiting(60), verifiers=[gate]) as stream:
        async for item in stream:
            if item is PIECES[-2]:
                break
    assert stream.annotation.state == "partial"
    assert f"verifier Gate: {LEFT}" in stream.result.errors
    assert await stream.final() is stream.annotation
    gate.open()


@pytest.mark.asyncio
async def test_cancelling_the_wait_for_a_word_leaves_a_complete_answer():
    latch = Latch()
    stream = guard(pieces(), context=CONTEXT, policy=waiting(60), verifiers=[latch])

    async def read():
        async with stream:
            return [item async for item in stream]

    task, turns = asyncio.create_task(read()), 200
    while not latch.asked or (turns := turns - 1):  # until it waits for the word alone
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stream.result.ended == "complete"
    assert f"verifier Latch: {LEFT}" in stream.result.errors
    while not latch.cancelled:
        await asyncio.sleep(0)


def test_a_plain_stream_may_be_pending():
    gate, given = Gate(), []
    options = {"verifiers": [gate], "sinks": [given.append], "policy": waiting(0)}
    with guard_sync(PIECES, context=CONTEXT, **options) as stream:
        with pytest.raises(StreamStateError, match="has not ended"):
            stream.final()
        list(stream)
    assert stream.annotation.state == "pending"
    with pytest.raises(TimeoutError):
        stream.final(0)
    gate.open()
    assert stream.final().state == "complete"
    assert [each.state for each in given] == ["complete"]


def test_an_interrupt_of_the_wait_for_a_word_leaves_a_complete_answer(monkeypatch):
    gate = Gate()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Examiner, "block_for_scores", interrupted)
    stream = guard_sync(iter(PIECES), context=CONTEXT, policy=waiting(60), verifiers=[gate])
    with pytest.raises(KeyboardInterrupt), stream:
        list(stream)
    assert (stream.result.complete, stream.result.ended) == (True, "complete")
    gate.open()


# --- without verifiers


@pytest.mark.asyncio
async def test_without_verifiers_there_is_no_task_and_no_thread():
    tasks, threads = len(asyncio.all_tasks()), set(threading.enumerate())
    async with guard(pieces(), context=CONTEXT) as stream:
        async for _ in stream:
            assert len(asyncio.all_tasks()) == tasks
            assert threads >= set(threading.enumerate())
    assert stream.annotation.verifiers == ()


def test_a_policy_without_validation_asks_nobody():
    options = {"policy": Policy(validation_enabled=False), "verifiers": [saying(None)]}
    with guard_sync(PIECES, context=CONTEXT, **options) as stream:
        list(stream)
    assert stream.annotation.state == stream.final().state == "skipped"
    assert words_of(check_text(ANSWER, context=CONTEXT, **options)) == [(), (), ()]


# --- which sentences, and what they may cost


def test_a_choice_that_raises_leaves_the_sentence_out_and_says_so():
    def select(sentence, scope):
        raise KeyError(sentence.text)

    result = check_text(ANSWER, context=CONTEXT, verifiers=[Verifier(plain, select=select)])
    assert result.errors == ("verifier plain: KeyError",)
    assert words_of(result) == [(), (), ()]


# --- what goes wrong


NO_WORDS = [
    (None, "a NoneType, expected a sequence of Score"),
    ("yes", "a str, expected a sequence of Score"),
    ([], "0 verdicts for 1 sentences"),
    ([0.5], "a float among its verdicts, expected a Score"),
    ([Verdict(1.5)], "support 1.5, expected 0 to 1 or None"),
    ([Verdict(float("nan"))], "support nan, expected 0 to 1 or None"),
    ([Verdict(None, "sk-secret")], "contradiction of str, expected 0 to 1 or None"),
    ([Verdict(None, None, b"x")], "a message of bytes, expected str or None"),
    (
        [Verdict(word="yes")],
        "a str as its word, expected one of supported, contradicted, not_mentioned",
    ),
    ([Verdict(quotations=[])], "quotations of another type, expected a tuple of Quotation"),
    ([Verdict(quotations=("x",))], "quotations of another type, expected a tuple of Quotation"),
    ([Verdict(calibrated="yes")], "calibrated that is neither True nor False"),
    (
        [Verdict(quotations=(Quotation(None, [], 0, 1),))],
        "quotations of another type, expected a tuple of Quotation",
    ),
    (
        [Verdict(quotations=(Quotation(None, "C1", 0, "1"),))],
        "quotations of another type, expected a tuple of Quotation",
    ),
    *(
        ([Verdict(doubted=place)], "doubted words without a place, expected start and end")
        for place in ((3,), (5, 5), (-1, 2), (0, "1"), (0, True), [0, 3])
    ),
    (VerifierAnswer([Verdict()], {"tokens": -1}), "the cost -1, expected numbers from 0 by name"),
]


def test_what_is_no_word_is_an_error_and_nothing_else():
    without = check_text(RIGHT, context=CONTEXT)
    told = [(saying(said), f"DecodeError (gave {error})") for said, error in NO_WORDS]
    for verifier, error in [(raising, "RuntimeError"), *told]:
        result = check_text(RIGHT, context=CONTEXT, verifiers=[verifier])
        assert result.errors == (f"verifier {verifier.__name__}: {error}",)
        assert result.flags == ("check_error",)
        assert (without.status, result.status) == ("PASS", "WARN")
        assert result.sentences == without.sentences
        assert "sk-secret" not in result.model_dump_json()


def test_a_figure_a_rounding_error_off_and_a_long_message_are_put_right():
    verdict = Verdict(1.0000001, -0.0000001, "\ud800" + "x" * 600)
    result = check_text("It costs $10.", context=CONTEXT, verifiers=[saying([verdict])])
    (opinion,) = result.sentences[0].opinions
    assert (opinion.support, opinion.contradiction) == (1.0, 0.0)
    assert opinion.message == "?" + "x" * 499


@pytest.mark.anyio
@pytest.mark.parametrize("stopping", [SystemExit, KeyboardInterrupt, asyncio.CancelledError])
@pytest.mark.parametrize("is_async", [False, True])
async def test_one_that_would_end_its_loop_fails_alone(stopping, is_async):
    calls = 0

    def stop(sentences, scope):
        nonlocal calls
        calls += 1
        if calls == 1:
            raise stopping
        return plain(sentences, scope)

    async def stop_async(sentences, scope):
        return stop(sentences, scope)

    verifier = Verifier(stop_async if is_async else stop, name="s", batch=1)
    for read in (annotation_of, whole_annotation):
        calls = 0
        annotation = await read(policy=waiting(60), verifiers=[verifier])
        said = [len(each.opinions) for each in annotation.result.sentences]
        assert (sum(said), len(said)) == (2, 3)
        (error,) = annotation.result.errors
        assert error.startswith("verifier s: UpstreamError (it")
        verifier.cached = Cache(100)


async def whole_annotation(**options):
    """In a loop of the verifiers' own, which is to go on."""
    return await anyio.to_thread.run_sync(lambda: annotated(ANSWER, context=CONTEXT, **options))


FORKS = """
import os, sys
from streamguard import Context, Verdict, Verifier, check_text, guard_sync
async def late(sentences, scope): return [Verdict(0.9) for _ in sentences]
def plain(sentences, scope): return [Verdict(0.9) for _ in sentences]
verifiers = [Verifier(late), Verifier(plain, threads=1)]
def work(text):
    return check_text(text, context=Context(chunks=[text]), verifiers=verifiers).sentences
work("Basic costs $10.")
child = os.fork()
if not child:
    sentences = work("Plus costs $20.")
    os._exit(0 if [each.support for each in sentences[0].opinions] == [0.9, 0.9] else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_process_that_was_forked_hears_verifiers_as_well():
    command = [sys.executable, "-W", "ignore", "-c", FORKS]
    assert subprocess.run(command, timeout=60, check=False).returncode == 0


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [Gate, Latch])
async def test_one_that_hangs_is_given_up_after_its_time(kind):
    hanging = Verifier(kind(), name="h", timeout_s=0.01, threads=3)  # one for each call
    annotation = await annotation_of(policy=waiting(60), verifiers=[hanging, plain])
    assert annotation.state == "complete"
    assert annotation.result.errors == ("verifier h: UpstreamError (no answer within 0.01 s)",)
    assert words_of(annotation.result)[0] == (0.03,)
    assert annotation.verifiers[0].unanswered == 3
    hanging.ask.open()


@pytest.mark.asyncio
async def test_one_that_does_not_heed_its_cancellation_is_left_to_itself():
    free = asyncio.Event()

    async def stubborn(sentences, scope):
        while not free.is_set():
            with suppress(asyncio.CancelledError):
                await free.wait()
        raise OSError

    verifier = Verifier(stubborn, timeout_s=0.01)
    annotation = await annotation_of(policy=waiting(60), verifiers=[verifier])
    assert annotation.result.errors
    free.set()
    while verifier.tasks:
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_too_many_open_calls_are_refused_and_said(monkeypatch):
    monkeypatch.setattr(verifier_queue, "MAX_TASKS", 1)
    latch = Latch()
    verifier = Verifier(latch, name="l", batch=1, parallel=3)
    async with guard(pieces(), context=CONTEXT, policy=waiting(0), verifiers=[verifier]) as stream:
        async for _ in stream:
            pass
        latch.open()
        final = await stream.final()
    assert "verifier l: OverloadedError (1 calls have not come back)" in final.result.errors
    assert latch.asked == 1


def test_more_claims_than_may_wait_are_dropped_and_said(monkeypatch):
    monkeypatch.setattr(verifier_queue, "MAX_CLAIMS", 1)
    gate = Gate()
    with guard_sync([ANSWER], context=CONTEXT, verifiers=[gate], policy=waiting(0)) as stream:
        list(stream)
    gate.open()
    final = stream.final()
    assert final.result.errors == ("verifier Gate: OverloadedError (1 claims of one answer wait)",)
    assert final.verifiers[0].unanswered == 1


def test_what_is_no_verifier_is_refused():
    for options, message in (
        ({"batch": 0}, "batch is 0, expected a whole number of at least 1"),
        ({"timeout_s": 0}, "timeout_s is 0, expected a number of seconds above 0"),
        ({"threads": -1}, "threads is -1, expected a whole number of at least 1"),
    ):
        with pytest.raises(ConfigError, match=message):
            Verifier(plain, **options)
    with pytest.raises(ConfigError, match="a verifier is a str, expected a callable"):
        check_text("x", verifiers=["judge"])
    with pytest.raises(ConfigError, match="verifiers is one verifier, expected a sequence"):
        check_text("x", verifiers=plain)
    with pytest.raises(ConfigError, match="two verifiers are called 'plain'"):
        check_text("x", verifiers=[plain, plain])
    with pytest.raises(ConfigError, match="amount is 0, expected a number above 0"):
        Budget(0, 1)


# --- nothing is left behind


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["hangs", "raises", "stubborn", "left"])
def test_a_thousand_streams_leave_nothing_behind(kind, monkeypatch):
    # What is logged is kept by pytest, tracebacks and all.
    monkeypatch.setattr(verifier_queue.logger, "disabled", True)
    asyncio.run(_thousand(kind))


async def _thousand(kind):
    gate, free = Gate(), asyncio.Event()

    async def stubborn(sentences, scope):
        while not free.is_set():
            with suppress(asyncio.CancelledError):
                await free.wait()

    ask = {"raises": raising, "stubborn": stubborn}.get(kind, gate)
    verifier = Verifier(ask, name=kind, timeout_s=60 if kind == "left" else 0.001)
    threads, tasks = threading.active_count(), len(asyncio.all_tasks())
    options = {"context": CONTEXT, "policy": waiting(60), "verifiers": [verifier]}
    for _ in range(1_000):
        async with guard(pieces([ANSWER[:50], ANSWER[50:]]), **options) as stream:
            async for _ in stream:
                if kind == "left" and stream.examiner._runner._loop is not None:
                    break
        assert stream.annotation.state == ("partial" if kind == "left" else "complete")
        assert stream.result.errors
    gc.collect()
    assert threading.active_count() - threads <= 2
    assert len(asyncio.all_tasks()) - tasks <= verifier_queue.MAX_TASKS
    lanes = [each for each in gc.get_objects() if isinstance(each, verifier_queue.VerifierQueue)]
    assert len(lanes) <= (verifier_queue.MAX_TASKS if kind == "stubborn" else 3)
    free.set()
    gate.open()
    while len(asyncio.all_tasks()) > tasks:
        await asyncio.sleep(0)


@pytest.mark.parametrize(("chunks", "answer", "status"), [
    (["Ask in the staff portal for vacation."], "In the staff portal", "PASS"),  # a fragment
    (None, "The plan costs $9.", None),  # nothing was said of what was retrieved
])  # fmt: skip
def test_claims_that_only_the_close_makes_or_no_passage_backs_are_read_too(chunks, answer, status):
    read = []

    def reader(sentences, _scope):
        read.extend(sentence.text for sentence in sentences)
        return [Verdict(support=0.9) for _ in sentences]

    context = Context(query="How many vacation days are there?", chunks=chunks)
    result = check_text(answer, context=context, verifiers=[reader])
    assert read == [answer]
    assert result.status == status
