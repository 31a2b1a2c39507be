"""The settings of a proxy, and the flags that set them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Literal

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.server.proxy import limits
from streamguard.server.relay.room import MAX_CONTEXT_BYTES
from streamguard.server.request_context import Policies
from streamguard.server.request_options import Forms
from streamguard.server.results.context_store import MAX_CONTEXTS
from streamguard.server.results.result_store import MAX_RESULTS, MAX_RESULTS_BYTES, TTL_S
from streamguard.server.results.shared import SharedSettings, add_shared_arguments
from streamguard.server.workers.serve import LOOPS
from streamguard.server.workers.workers import MAX_WORKERS
from streamguard.verify.judge import Judge
from streamguard.verify.verifier import Verifier
from streamguard.wire.dialect import FORMS
from streamguard.wire.requests.shown import CONTEXT_FROM, ContextFrom
from streamguard.wire.serialising import MAX_ANNOTATION_BYTES

Judging = Literal["off", "allow", "upstream", "named"]

LISTEN = "127.0.0.1:8080"  # loopback: more must be asked for
MAX_BODY_BYTES = 33_554_432  # SPEC 10
MAX_OPEN_STREAMS = 4_096  # SPEC 10
_MOST_DIGITS = 18  # of a whole number
IDLE_TIMEOUT_S = 600.0  # the official clients wait as long for an answer to begin


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a proxy; times in seconds, sizes in bytes.

    `upstream` is the address of all requests, never taken from a request. `check_paths` are further
    paths whose answers are checked; a `*` at the end matches anything. `verifiers` score claims in
    parallel. `judge`: whether a language model judges the answer: the upstream itself, with the
    request's address and key, if the header `x-streamguard-judge` asks for it ("allow") or does not
    forbid it ("upstream"), for `judge_share` of the questions; or `named_judge`, unless the header
    forbids it ("named"). `text` is the path of the text in frames of no protocol, as `data.text`.
    `require_check` rejects the header `x-streamguard: off` and unreadable requests, and checks the
    answers of all paths. `results_token` protects the stored results, the metrics and the feedback,
    which is kept in the file `feedback`; `metrics_listen` is an address that serves the metrics
    without it. `hosts` are the accepted host names, None for any (`http.hosts`).
    """

    upstream: str
    hosts: frozenset[str] | None = None
    policies: Policies = field(default_factory=Policies)
    checks: Checks = DEFAULT_CHECKS
    forms: Forms = field(default_factory=Forms)
    context_from: ContextFrom = "application"
    context_template: str | None = None
    check_paths: tuple[str, ...] = ()
    text: str | None = None
    require_check: bool = False
    store_text: bool = False
    verifiers: tuple[Verifier, ...] = ()
    judge: Judging = "off"
    judge_share: float = 1.0
    named_judge: Judge | None = None
    results_token: str | None = None
    max_results: int = MAX_RESULTS
    max_results_bytes: int = MAX_RESULTS_BYTES
    results_ttl_s: float = TTL_S
    feedback: Path | None = None
    record: Path | None = None
    shared: SharedSettings | None = None
    max_contexts: int = MAX_CONTEXTS
    metrics_listen: tuple[str, int] | None = None
    traces: bool = False
    max_body_bytes: int = MAX_BODY_BYTES
    max_open_streams: int = MAX_OPEN_STREAMS
    max_context_bytes: int = MAX_CONTEXT_BYTES
    idle_timeout_s: float = IDLE_TIMEOUT_S

    @property
    def strict(self) -> bool:
        """Whether nothing may pass unchecked: by `require_check`, or a hold that fails closed."""
        policy = self.policies.default
        return self.require_check or (policy.hold != "off" and policy.hold_fails == "closed")

    def limits(self) -> dict[str, float]:
        """Return every limit in force by name, which ends with the unit if it is no count."""
        return limits.in_force(
            {
                "open_streams": self.max_open_streams,
                "open_context_bytes": self.max_context_bytes,
                "body_bytes": self.max_body_bytes,
                "results": self.max_results,
                "results_bytes": self.max_results_bytes,
                "annotation_bytes": self.forms.max_annotation_bytes,
                "result_seconds": self.results_ttl_s,
                "contexts": self.max_contexts,
                "idle_seconds": self.idle_timeout_s,
            }
        )


EPILOG = f"""\
The response header x-streamguard-id names the result at GET /streamguard/results/ID: 404, 202 while
it is pending, 200. GET /streamguard/health says whether the server runs, GET /streamguard/metrics
how it does, for Prometheus.

Fixed limits, and what happens beyond: everything is relayed all the same, and the annotation says
where that was unchecked.
{limits.table()}"""


def add_arguments(parser: argparse.ArgumentParser, record: Path | None = None) -> None:
    """Add the flags of `streamguard proxy`, and its limits to the help's epilogue.

    `record`: the default of `--record`.
    """
    parser.epilog = "\n\n".join(filter(None, (EPILOG, parser.epilog)))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add(
        "--upstream",
        required=True,
        metavar="URL",
        help="where requests go, e.g. https://api.openai.com/v1; a request's path is put behind it",
    )
    add(
        "--listen",
        default=LISTEN,
        metavar="HOST:PORT",
        help="where to listen; port 0 takes any free one (default: %(default)s)",
    )
    add(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a further name of this server, or of a page's server that may ask it, where it"
        " listens on loopback; may be given several times (default: localhost alone)",
    )
    add(
        "--policy",
        metavar="NAME|FILE",
        help="the policy answers are checked by: a preset's name or a TOML file"
        " (default: STREAMGUARD_POLICY, else moderate)",
    )
    add(
        "--hold",
        choices=("off", "sentence", "answer"),
        help="hold text back until its sentence, or all of the answer, has been checked"
        " (default: as the policy says, which is off)",
    )
    add(
        "--block",
        metavar="CHECK,CHECK",
        help="checks and flags on which held text does not leave as it was written, as"
        " unsupported_price,secret,pii:iban; those of a pack switch the pack on",
    )
    add(
        "--on-violation",
        choices=("annotate", "stop", "replace", "mask"),
        help="what becomes of it (default: stop, where --block is given)",
    )
    add(
        "--allow-policy",
        action="append",
        default=[],
        metavar="NAME",
        help="a preset that a request may choose instead; may be given several times",
    )
    add(
        "--collection-policy",
        action="append",
        type=_of_collection,
        default=[],
        metavar="COLLECTION=NAME|FILE",
        help="the policy of answers from a collection that the request names in its streamguard"
        " key, as `streamguard calibrate --per-collection` writes it; may be given several times",
    )
    add(
        "--form",
        choices=("default", *FORMS),
        default="default",
        help="how the annotation comes where a request does not say: off, by header alone, as a"
        " chunk of its own, as a key in the last one, as a named event, or in the form that no"
        " client of the answer's protocol breaks on (default: %(default)s)",
    )
    add(
        "--allow-form",
        action="append",
        choices=FORMS,
        metavar="FORM",
        help="a form that a request may choose by x-streamguard; may be given several times"
        " (default: all)",
    )
    add(
        "--context-from",
        choices=CONTEXT_FROM,
        default="application",
        help="whose passages count as evidence: those of system and developer messages or, where"
        " these hold none, of a last user message that holds its question too (application); the"
        " first alone (system); user messages as well (user); those given last, whoever wrote them"
        " (any); what tools returned always does (default: %(default)s)",
    )
    add(
        "--context-template",
        type=Path,
        metavar="FILE",
        help="a file with the application's prompt, {context} and {question} where these are filled"
        " in: passages of a user message count where it fits, and there alone; needed where the"
        " question stands in front of them",
    )
    add(
        "--check-path",
        action="append",
        default=[],
        metavar="PATH",
        help="a further path whose answers are checked, in whatever protocol they are, as /ask or"
        " /apps/*; may be given several times",
    )
    add(
        "--scorer",
        "--verifier",
        dest="verifier",
        action="append",
        default=[],
        metavar="SPEC",
        help="a reader of claims beside the stream, as streamguard eval takes it; may be given"
        " several times",
    )
    add(
        "--judge",
        default="off",
        metavar="off|allow|upstream|MODEL@URL",
        help="the language model that judges answers, to which passages and answers are sent: that"
        " of MODEL@URL, or the upstream's own, with the request's address and key, always"
        " (upstream) or where a request says x-streamguard-judge: 1 (allow); a model's name alone"
        " is asked of OPENAI_BASE_URL with OPENAI_API_KEY (default: %(default)s)",
    )
    add(
        "--judge-share",
        type=_share,
        default=1.0,
        metavar="SHARE",
        help="of the questions that it judges, e.g. 0.1 (default: %(default)g)",
    )
    add(
        "--text",
        metavar="PATH",
        help="where the text stands in JSON of no protocol, as data.text or choices.*.words"
        " (default: found on the first frames)",
    )
    add(
        "--require-check",
        action="store_true",
        help="answer x-streamguard: off, and what cannot be read, with an error, and check the"
        " answers of every path",
    )
    add(
        "--max-annotation-bytes",
        type=_positive,
        default=MAX_ANNOTATION_BYTES,
        metavar="N",
        help="longest annotation in an answer: of a longer one the reports of sentences without"
        " findings are left out, then the words of evidence, then findings; the stored result is"
        " whole (default: %(default)s)",
    )
    _add_results(parser)
    add_shared_arguments(parser)
    _add_recording(parser, record)
    _add_caps(parser)
    add(
        "--metrics-listen",
        metavar="HOST:PORT",
        help="where GET /metrics answers without a token; they are on GET /streamguard/metrics too",
    )
    add(
        "--traces",
        action="store_true",
        help="send a span per answer, with its evaluations, to OpenTelemetry (extra otel); its SDK"
        " is set up from outside, as by opentelemetry-instrument streamguard proxy ...",
    )
    _add_processes(parser)
    add("--log-level", default="info", choices=("debug", "info", "warning", "error"))


def _add_processes(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("processes").add_argument
    add(
        "--workers",
        type=_workers,
        default=1,
        metavar="N",
        help="processes that share the address; each answers for the results, sentences and"
        " contexts of all, and has its share of the limits (default: %(default)s)",
    )
    add(
        "--loop",
        choices=LOOPS,
        default="auto",
        help="the event loop; auto takes uvloop where it is installed (default: %(default)s)",
    )


def _add_results(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("stored results, GET /streamguard/results/{id}").add_argument
    add(
        "--store-text",
        action="store_true",
        help="keep the answer's and the passages' words in stored results",
    )
    add(
        "--results-token",
        metavar="TOKEN",
        help="answer these and the metrics only to the header Authorization: Bearer TOKEN"
        " (default: STREAMGUARD_RESULTS_TOKEN; without one, anybody who knows an id)",
    )
    add(
        "--max-results",
        type=_positive,
        default=MAX_RESULTS,
        metavar="N",
        help="results kept at most; the oldest go first (default: %(default)s)",
    )
    add(
        "--max-results-bytes",
        type=_positive,
        default=MAX_RESULTS_BYTES,
        metavar="N",
        help="what they take at most, compressed as they are; the oldest go first"
        " (default: %(default)s)",
    )
    add(
        "--results-ttl",
        type=_seconds,
        default=TTL_S,
        metavar="SECONDS",
        help="how long a result is kept (default: %(default)g)",
    )
    add(
        "--feedback",
        type=Path,
        metavar="FILE",
        help="take POST /streamguard/feedback on stored results, under the same token, and append"
        " it here as JSON lines (default: none is taken)",
    )


def _add_recording(parser: argparse.ArgumentParser, default: Path | None) -> None:
    parser.add_argument(
        "--record",
        type=Path,
        default=default,
        metavar="DIR",
        help="append every checked answer to files in this folder: question, passages and the words"
        " of the answer as they came, for streamguard replay and audit; no header and no key"
        f" (default: {default or 'none is recorded'})",
    )


def _add_caps(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group(
        "limits; what exceeds one of the first three is relayed unchecked, and says so"
    ).add_argument
    add(
        "--max-open-streams",
        type=_positive,
        metavar="N",
        help=f"answers checked at the same time (default: {MAX_OPEN_STREAMS}, or as many as there"
        " may be files open for)",
    )
    add(
        "--max-body-bytes",
        type=_positive,
        default=MAX_BODY_BYTES,
        metavar="N",
        help="longest request that is read for its context (default: %(default)s)",
    )
    add(
        "--max-context-bytes",
        type=_positive,
        default=MAX_CONTEXT_BYTES,
        metavar="N",
        help="memory that the passages of all answers being checked and their indexes may hold"
        " together, in each worker (default: %(default)s)",
    )
    add(
        "--idle-timeout",
        type=_seconds,
        default=IDLE_TIMEOUT_S,
        metavar="SECONDS",
        help="longest silence of the upstream (default: %(default)g)",
    )


def _of_collection(text: str) -> tuple[str, str]:
    collection, _, policy = text.partition("=")
    if not collection or not policy:
        raise argparse.ArgumentTypeError(f"is {text!r}, expected COLLECTION=NAME or =FILE")
    return collection, policy


def _positive(text: str) -> int:
    count = int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"is {text[:80]!r}, expected a whole number of at least 1")
    return count


def _workers(text: str) -> int:
    count = _positive(text)
    if count > MAX_WORKERS:
        raise argparse.ArgumentTypeError(f"is {count}, expected at most {MAX_WORKERS}")
    return count


def _share(text: str) -> float:
    if not 0 < (value := _number(text)) <= 1:
        raise argparse.ArgumentTypeError(f"is {text!r}, expected more than 0 and at most 1")
    return value


def _seconds(text: str) -> float:
    if not 0 < (value := _number(text)) < inf:
        raise argparse.ArgumentTypeError(f"is {text!r}, expected a number of seconds above 0")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0  # invalid for every flag that is a number
