"""When a judge is asked: few calls an answer, the first soon, the last at the end."""

import asyncio

import pytest

from streamguard import Context, Policy, Verdict, Verifier, check_text, guard
from streamguard.verify.verifier import Batches, Budget

CONTEXT = Context(query="What is in the rooms?", chunks=["Room 1 has a desk and a red lamp."])
THREE = Batches(3, first=4, further=12)

# Claims that wait, calls made, claims read, and what is due while the answer streams, while it
# pauses, and at its end.
DUE = [
    (0, 0, 0, [], [], []), (3, 0, 0, [], [3], [3]), (4, 0, 0, [4], [4], [4]),
    (9, 0, 0, [9], [9], [4, 5]),
    (3, 1, 1, [], [], [3]), (4, 1, 1, [4], [4], [4]),  # behind one that a pause made
    (11, 1, 4, [], [], [5, 6]), (12, 1, 4, [12], [12], [6, 6]),
    (26, 0, 0, [26], [26], [8, 9, 9]), (26, 2, 16, [], [], [26]), (3, 3, 30, [], [], []),
]  # fmt: skip


@pytest.mark.parametrize(("waiting", "made", "read", "streaming", "pausing", "ending"), DUE)
def test_calls_are_made_by_their_plan(waiting, made, read, streaming, pausing, ending):
    assert THREE.due(waiting, made, read, ended=False, paused=False) == streaming
    assert THREE.due(waiting, made, read, ended=False, paused=True) == pausing
    assert THREE.due(waiting, made, read, ended=True, paused=False) == ending


@pytest.mark.parametrize(("ended", "calls"), [(False, []), (True, [9])])
def test_a_single_call_waits_for_the_end(ended, calls):
    assert Batches(1).due(9, 0, 0, ended=ended, paused=True) == calls


class Reading:
    """A judge that keeps which sentences each call had."""

    def __init__(self):
        self.calls = []

    async def __call__(self, sentences, scope):
        self.calls.append([one.text for one in sentences])
        return [Verdict(0.9) for _ in sentences]


class Counting:
    """A verifier that keeps how many claims each call had, and says when it is asked."""

    def __init__(self):
        self.calls = []
        self.asked = asyncio.Event()

    async def __call__(self, sentences, scope):
        self.calls.append(len(sentences))
        self.asked.set()
        return [Verdict(0.9) for _ in sentences]


def rooms(count):
    return [f"Room {number} has a desk and a red lamp. " for number in range(count)]


async def read(verifier, *parts):
    """Stream parts: texts that come at once, and events that are waited for."""

    async def source():
        for part in parts:
            if isinstance(part, asyncio.Event):
                await part.wait()
            else:
                yield part

    async with asyncio.timeout(60):
        async with guard(source(), context=CONTEXT, verifiers=[verifier], live=True) as stream:
            async for _ in stream:
                pass
        return await stream.final()


def verifier_of(ask, batches=THREE, batch=60):
    return Verifier(ask, name="v", parallel=3, batch=batch, batches=batches, is_judge=True)


@pytest.mark.asyncio
async def test_the_first_call_goes_when_four_claims_are_there():
    ask = Counting()
    # The sentence behind the fourth settles it, and the stream goes on once the call is made.
    await read(verifier_of(ask), *rooms(5), ask.asked, *rooms(3))
    assert len(ask.calls) == 2
    assert ask.calls[0] == 4
    assert sum(ask.calls) == 8


@pytest.mark.asyncio
async def test_a_stream_that_pauses_has_its_claims_read_meanwhile():
    ask = Counting()
    plan = Batches(3, pause_s=0.01)
    await read(verifier_of(ask, plan), *rooms(3), ask.asked, *rooms(1))
    assert (ask.calls[0], sum(ask.calls)) == (2, 4)


@pytest.mark.asyncio
async def test_one_call_takes_all_at_the_end():
    ask = Counting()
    annotation = await read(verifier_of(ask, Batches(1)), *rooms(20))
    assert ask.calls == [20]
    assert annotation.verifiers[0].answered == 20


def test_more_than_the_calls_take_is_an_error():
    ask = verifier_of(Counting(), Batches(1), batch=5)
    result = check_text("".join(rooms(17)), context=CONTEXT, verifiers=[ask])
    assert result.errors == (
        "verifier v: OverloadedError (12 claims are more than 1 requests have room for)",
    )
    assert sum(bool(one.opinions) for one in result.sentences) == 5


RENTED = "In all it comes to €777."  # near no value of the passage, and no plain statement


def test_claims_whose_value_only_a_reader_can_judge_come_first():
    ask = Reading()
    answer = " ".join(["Room 1 has a desk.", "It has a red lamp.", RENTED, "The lamp is red."])
    result = check_text(answer, context=CONTEXT, verifiers=[verifier_of(ask, Batches(1), batch=2)])
    # The first of the others has the room that is left, in the order of the answer.
    assert ask.calls == [["Room 1 has a desk.", RENTED]]
    assert result.findings[0].check == "unsupported_price"
    assert result.findings[0].severity == "info"


def test_a_budget_goes_to_claims_whose_value_only_a_reader_can_judge():
    ask = Reading()
    rented = "In all Room 1, a desk and a red lamp come to €777."  # most of its words are held
    answer = " ".join(["Zebras sing at dawn.", "Otters dance on Mars.", rented, "Owls play chess."])
    judge = Verifier(ask, name="v", batches=Batches(1), budget=Budget(1, 1), is_judge=True)
    check_text(answer, context=CONTEXT, verifiers=[judge], policy=Policy(min_support=0.0))
    assert ask.calls == [[rented]]


@pytest.mark.asyncio
async def test_a_stream_that_is_left_asks_no_more():
    ask = Counting()

    async def source():
        for room in rooms(9):
            yield room
        await ask.asked.wait()
        for room in rooms(3):
            yield room

    stream = guard(source(), context=CONTEXT, verifiers=[verifier_of(ask)], live=True)
    async with stream, asyncio.timeout(60):
        async for _ in stream:
            if ask.calls:
                break
    assert ask.calls == [4]
    assert stream.result.ended == "consumer_stopped"
