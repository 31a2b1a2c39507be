"""Failure modes 41 to 45: load."""

from tests.cases.failure_modes.fault import (
    EXAMINER,
    EXCHANGE,
    LOAD,
    PROXY,
    RELAYED,
    STREAM,
    STREAMING,
    WRAPPER,
    Fault,
)

SITUATIONS = {
    41: "a slow reader",
    42: "a thousand streams, one after another",
    43: "hostile text in bulk",
    44: "patterns that go back and forth",
    45: "caps: text, choices, events, requests, open streams, stored results",
}

FAULTS = (
    Fault(41, f"{PROXY}::test_a_slow_reader_stops_the_upstream",
        "what came is written without waiting for the client", STREAMING,
        "await self._response.write(out)",
        'self._request.transport.write(b"%x\\r\\n%b\\r\\n" % (len(out), out))'),
    Fault(41, f"{PROXY}::test_a_slow_reader_gets_pieces_of_bounded_size",
        "all that has come is read at once", "streamguard/server/http/bodies.py",
        "content.read(READ_BYTES)", "content.readany()"),
    Fault(41, f"{WRAPPER}::test_source_is_never_asked_ahead", "the wrapper reads one item ahead",
        STREAM, "                yield item\n                if len(held)",
        "                held.append(await anext(iterator))\n                yield item\n"
        "                if len(held)"),
    Fault(42, f"{LOAD}::test_mode_42_streams_leave_nothing_behind",
        "requests are remembered when they are over", EXCHANGE,
        "            self.tasks.discard(request.task)\n", "            pass\n"),
    Fault(43, f"{RELAYED}::test_a_long_text_is_checked_in_turns", "a text is checked in one turn",
        EXAMINER, "            due = perf_counter_ns() - began < TURN_NS\n",
        "            due = True\n"),
    Fault(43, "tests/test_segmenter.py::test_waiting_does_not_read_again_what_was_read",
        "what was searched is searched again with every piece", "streamguard/text/segmenter.py",
        "                self._wake_from = size\n                return []\n",
        "                return []\n"),
    Fault(44,
        f"{LOAD}::test_mode_44_the_published_patterns_read_runs_of_their_own_signs_in_linear_time",
        "a pattern goes back from every start of a run", "streamguard/core/names/reading.py",
        '[a-z]+(?:\\s+[A-Z][a-z]+)+\\b")', '[a-z]+(?:\\s+[A-Z][a-z]+)+9")'),
    Fault(45, f"{PROXY}::test_over_a_cap_answers_are_relayed_unchecked_and_say_so",
        "any number of answers is checked at the same time", EXCHANGE,
        "self.checked >= self.settings.max_open_streams", "False"),
    Fault(45, "tests/test_guard.py::test_text_and_sentences_over_their_caps_are_relayed_unchecked",
        "any number of sentences is checked", "streamguard/core/machine/guard.py",
        "if self._judging.is_full(start):", "if False:"),
    Fault(45, "tests/test_store.py::test_over_the_number_the_oldest_result_goes_first",
        "any number of results is stored", "streamguard/server/results/result_store.py",
        "if len(self._results) > self._max_results:", "if False:"),
)  # fmt: skip
