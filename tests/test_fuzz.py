"""A few random cases of every part, and that the references see an error; `make fuzz` runs more."""

import anyio
import pytest

from tests.programs.fuzz import answers, decoder, lines, reference, relay, wrapper

CASES = {decoder: 300, lines: 60, relay: 20, answers: 60}


@pytest.mark.parametrize("part", CASES, ids=lambda part: part.__name__.rpartition(".")[2])
def test_random_cases_agree_with_the_reference(part):
    for seed in range(CASES[part]):
        part.case(seed)


@pytest.mark.parametrize("backend", wrapper.BACKENDS)
def test_a_wrapper_may_be_cancelled_at_every_turn(backend):
    name, options = wrapper.BACKENDS[backend]
    pytest.importorskip(name if name == "trio" else backend)

    async def sweep():
        return [await wrapper.sweep(backend, seed) for seed in range(10)]

    assert min(anyio.run(sweep, backend=name, backend_options=options)) > 1


def test_the_reference_reads_as_the_standard_says():
    raw = b"\xef\xbb\xbfid: 1\r\ndata:a\rdata: b\n\n: c\n\nevent: x\ndata\nretry: 5\n\ndata: d\n"
    found = [("message", "a\nb", "1", None), ("x", "", "1", 5), ("message", "d", "1", None)]
    assert reference.events(raw, 1_000) == (found, 1)
    assert reference.lines(b'{"a":1}\r\n\n {}\nrest', 1_000) == ['{"a":1}', None, " {}"]


@pytest.mark.parametrize("read", [b"data: a\n", b"data: b\n\n", b"data: a\n\n\n", b""])
def test_a_decoder_that_read_something_else_would_be_seen(read):
    with pytest.raises(AssertionError):
        decoder.check(b"data: a\n\n", [read], 100)


def test_a_wrapper_that_lost_a_piece_would_be_seen():
    told = wrapper.scenario(1)

    async def spoilt():
        seen = await wrapper.run(told, 10_000, "asyncio")
        wrapper.check(told, seen)
        seen.handed_on.append("more")
        wrapper.check(told, seen)

    with pytest.raises(AssertionError, match="the result is about"):
        anyio.run(spoilt)
