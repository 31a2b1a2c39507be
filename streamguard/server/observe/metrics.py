"""A proxy's metrics: figures and names of its own, no one's text."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from streamguard.core.model.result import Annotation, GuardrailsResult
from streamguard.core.model.types import FLAGS
from streamguard.server.observe.exposition import Family
from streamguard.version import __version__

# Seconds. Checking and waiting take from some 10 us to the 2 s that a verdict may take (SPEC 10).
_SHORT = (1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0)
_LONG = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_KNOWN_FLAGS = frozenset(FLAGS)


@dataclass(slots=True)
class Delays:
    """How long one answer waited for its checks, in seconds.

    `longest`: the longest wait of a frame for the check of the previous one; `tail`: the wait of
    the answer's end for the verdict, None before there is one.
    """

    request: float = 0.0
    longest: float = 0.0
    tail: float | None = None

    def note(self, waited: float, *, over: bool) -> None:
        """Record a wait; `over`: the verdict was there after it."""
        self.longest = max(self.longest, waited)
        if over and self.tail is None:
            self.tail = waited


def _counter(name: str, help: str, *labels: str) -> Family:
    return Family(f"streamguard_{name}_total", help, "counter", labels)


def _gauge(name: str, help: str, *labels: str) -> Family:
    return Family(f"streamguard_{name}", help, "gauge", labels)


def _seconds(name: str, help: str, buckets: tuple[float, ...]) -> Family:
    return Family(f"streamguard_{name}_seconds", help, "histogram", (), buckets)


class Metrics:
    """The metric families of one process, in order."""

    def __init__(self) -> None:
        self.info = _gauge("info", "What runs.", "version", "python", "loop")
        self.limits = _gauge("limit", "Caps and time-outs in force.", "limit")
        self.requests = _counter(
            "requests", "Requests by what was done: checked, unchecked, refused.", "done"
        )
        self.skipped = _counter(
            "skipped",
            "Answers that passed unread: unguarded_path, off, limit, encoding, unknown_shape.",
            "reason",
        )
        self.refusals = _counter("refusals", "Errors of our own by their code.", "code")
        self.upstream_errors = _counter(
            "upstream_errors",
            "Upstreams that failed: unreachable, silent, unrelayable, broke_off, error_frame.",
            "error",
        )
        self.open = _gauge("open_streams", "Answers that are being checked.")
        self.answers = _counter(
            "answers", "Checked answers by protocol and how they ended.", "dialect", "ended"
        )
        self.pieces = _counter("pieces", "Frames with text of answers.", "dialect")
        self.characters = _counter("characters", "Code points of answers.", "dialect")
        self.statuses = _counter("statuses", "Results by coverage status.", "status")
        self.verdicts = _counter("verdicts", "Results by the published score verdict.", "verdict")
        self.flags = _counter("flags", "Results by flag; other: an application's own.", "flag")
        self.unread = _counter(
            "unread_text", "Places that look like values or citations and were not read.", "kind"
        )
        self.check_errors = _counter("check_errors", "Errors that results list.")
        self.reached = _counter(
            "limits_reached", "Answers that a limit kept from being checked in full.", "limit"
        )
        self.late_frames = _counter("late_frames", "Frames with text behind the annotation.")
        self.check_time = _seconds("check", "Time that an answer's checks took.", _SHORT)
        self.request_delay = _seconds(
            "request_delay", "Time until a request was read and went on.", _SHORT
        )
        self.added_delay = _seconds(
            "added_delay", "The longest that a frame of an answer may have waited.", _SHORT
        )
        self.tail_wait = _seconds(
            "tail_wait", "Time that the end of an answer waited for its verdict.", _SHORT
        )
        self.duration = _seconds("answer", "Time from request to end of answer.", _LONG)
        self.claims = _counter(
            "verifier_claims",
            "Claims by verifier: answered, over_budget, unanswered.",
            "verifier",
            "outcome",
        )
        self.costs = _counter(
            "verifier_cost", "What verifiers took, by their own account.", "verifier", "unit"
        )
        self.feedback = _counter("feedback", "What people said of answers, by label.", "label")
        self.stored = _gauge("stored", "What is kept: results, contexts.", "what")
        self.shared = _counter(
            "shared_results",
            "Results and feedback for the database: spooled, written (results), dropped, rejected.",
            "done",
        )
        self.spool = _gauge("spool_bytes", "What is in the spool, on its way to the database.")
        self.cpu = Family("process_cpu_seconds_total", "CPU time of the process.")
        self.memory = Family("process_resident_memory_bytes", "Memory of the process.", "gauge")
        self.descriptors = Family("process_open_fds", "Open file descriptors.", "gauge")

    def families(self) -> tuple[Family, ...]:
        """Return all families."""
        return tuple(vars(self).values())

    def refused(self, status: int, code: str) -> None:
        """Count an error response of our own."""
        self.refusals.add(code)
        if status < 500:
            self.requests.add("refused")

    def answered(
        self,
        annotation: Annotation,
        dialect: str,
        duration_s: float,
        delays: Delays | None = None,
        failure: str | None = None,
    ) -> None:
        """Count a finished answer; `delays` if they were measured.

        `failure`: how its upstream failed, if it did.
        """
        results = annotation.choices or tuple(filter(None, (annotation.result,)))
        read = results and annotation.state != "skipped"
        ended = results[0].ended if read else "skipped"
        if failure is not None:
            self.upstream_errors.add(failure)
        self.answers.add(dialect, ended)
        self.duration.observe(duration_s)
        if delays is not None:
            self.request_delay.observe(delays.request)
            self.added_delay.observe(delays.longest)
            if delays.tail is not None:
                self.tail_wait.observe(delays.tail)
        for result in results:
            self._result(result, dialect)
        for one in annotation.verifiers:
            self.claims.add(one.name, "answered", by=one.answered)
            self.claims.add(one.name, "over_budget", by=one.over_budget)
            self.claims.add(one.name, "unanswered", by=one.unanswered)
            for unit, value in one.cost.items():
                self.costs.add(one.name, unit, by=value)
        if annotation.stream is not None:
            self.pieces.add(dialect, by=annotation.stream.pieces)
            self.check_time.observe((annotation.stream.check_us or 0.0) / 1e6)

    def _result(self, result: GuardrailsResult, dialect: str) -> None:
        self.characters.add(dialect, by=result.text.code_points)
        if result.status is not None:
            self.statuses.add(result.status)
        if result.scores.published is not None:
            self.verdicts.add(result.scores.published)
        for flag in {flag if flag in _KNOWN_FLAGS else "other" for flag in result.flags}:
            self.flags.add(flag)
        for kind, count in result.unread_text.items():
            self.unread.add(kind, by=count)
        self.check_errors.add(by=len(result.errors))
        if "limit_reached" in result.flags:
            self.reached.add("answer")


def describe_process(metrics: Metrics) -> None:
    """Set the gauges of the process; those that the platform does not report stay unset."""
    loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
    metrics.info.set(1, __version__, platform.python_version(), loop)
    used = os.times()
    metrics.cpu.set(used.user + used.system)
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        metrics.memory.set(pages * os.sysconf("SC_PAGE_SIZE"))
        listed = len(list(Path("/proc/self/fd").iterdir()))
        metrics.descriptors.set(listed - 1)  # one is open for the listing itself
