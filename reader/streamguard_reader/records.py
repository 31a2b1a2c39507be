"""Labelled rows to claims on disk: one file of claims, contexts and answers for each source.

Of exercises there are three: `exercises.claims.jsonl` has a `Record` a line,
`exercises.contexts.jsonl` a context's id and units, `exercises.answers.jsonl` a `Labelled`.
"""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from streamguard import Policy
from streamguard.core.model.result import GuardrailsResult
from streamguard.errors import ConfigError
from streamguard.text.words import word_tokens
from streamguard_reader.pairs import Claim, Unit, read_answer

SUPPORTED, NOT_MENTIONED, CONTRADICTED, WRONG = range(4)  # WRONG: one of the two before it
# Kinds of error of exercises_dev that say of themselves which label they are; the others are WRONG.
LABELS = {
    "invented": NOT_MENTIONED, "number": CONTRADICTED, "date": CONTRADICTED, "name": CONTRADICTED,
    "unit": CONTRADICTED, "negation": CONTRADICTED, "order": CONTRADICTED, "role": CONTRADICTED,
}  # fmt: skip
HELD_OUT = "jprs"  # sets of benchmarks/everyday
_SETS = Path(__file__).parents[2] / "benchmarks" / "everyday"
_MOST_CHANGED = 0.6  # of a version's words, above which no single words are wrong; guess
_ITEMS = ("- ", "* ", "|")
_POLICY = Policy()

Span = tuple[int, int]
Row = Mapping[str, Any]
Told = tuple[list["Record"], list["Labelled"], list[tuple[str, list[Unit]]]]


@dataclass(frozen=True, slots=True)
class Record:
    """A claim with its label, as it was read.

    `fast` is its risk by the checks alone. `spans` are the wrong words in `text`, None where nobody
    marked them. Records of one `twin` are versions of one sentence; those of one `answer` and
    `place` stand in for each other.
    """

    id: str
    source: str
    author: str
    language: str
    context: str
    answer: str
    place: int
    twin: str
    kind: str
    label: int
    text: str
    question: str
    before: str
    nearest: tuple[int, ...]
    fast: float
    spans: tuple[Span, ...] | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether the claim is not what the passages say."""
        return self.label != SUPPORTED


@dataclass(frozen=True, slots=True)
class Labelled:
    """A whole answer with its label and its risk by the checks alone."""

    id: str
    author: str
    context: str
    is_wrong: bool
    fast: float


def write_source(name: str, data: Path, folder: Path, *, most: int = 0) -> int:
    """Read a source of `SOURCES` from `data` into `folder`; return how many claims it has.

    What is there already is left. `most`: at most so many rows, evenly spread, 0 for all.
    """
    final = folder / f"{name}.claims.jsonl"
    if not final.exists():
        folder.mkdir(parents=True, exist_ok=True)
        parts = [folder / f"{name}.{part}.jsonl" for part in ("contexts", "answers")]
        draft = final.with_suffix(".part")
        with draft.open("w") as claims, parts[0].open("w") as contexts, parts[1].open("w") as rest:
            for records, answers, units in SOURCES[name](data, most):
                _write(claims, map(asdict, records))
                _write(rest, map(asdict, answers))
                _write(contexts, ([key, [_packed(one) for one in some]] for key, some in units))
        draft.rename(final)
    with final.open() as opened:
        return sum(1 for _ in opened)


def read_records(folder: Path, names: Iterable[str]) -> list[Record]:
    """Return the claims of some sources."""
    return [
        Record(**{**row, "nearest": tuple(row["nearest"]), "spans": _spans(row["spans"])})
        for name in names
        for row in _lines(folder / f"{name}.claims.jsonl")
    ]


def read_units(folder: Path, names: Iterable[str]) -> dict[str, list[Unit]]:
    """Return the units of every context of some sources."""
    return {
        key: [Unit(*one) for one in units]
        for name in names
        for key, units in _lines(folder / f"{name}.contexts.jsonl")
    }


def read_answers(folder: Path, name: str) -> list[Labelled]:
    """Return the labelled answers of a source."""
    return [Labelled(**row) for row in _lines(folder / f"{name}.answers.jsonl")]


def changed(right: str, wrong: str) -> tuple[Span, ...] | None:
    """Return the words of `wrong` that `right` does not have there.

    None where most differ, or where only words are left out: then no single word is wrong.
    """
    ours, theirs = _placed(wrong), _placed(right)
    matcher = SequenceMatcher(None, [one[0] for one in theirs], [one[0] for one in ours], False)
    found = [
        (ours[first][1], ours[last - 1][2])
        for kind, _, _, first, last in matcher.get_opcodes()
        if kind != "equal" and last > first
    ]
    words = sum(len(list(word_tokens(wrong[start:end]))) for start, end in found)
    return tuple(found) if found and words <= _MOST_CHANGED * len(ours) else None


def _placed(text: str) -> list[tuple[str, int, int]]:
    """Return the words with their places, in small letters."""
    found, at, low = [], 0, text.lower()
    for word in low.split():
        start = low.index(word, at)
        at = start + len(word)
        bare = word.strip(".,;:!?()\"'")
        found.append((bare or word, start, at))
    return found


def exercises(data: Path, most: int) -> Iterator[Told]:
    """Read exercises_dev: right sentences and wrong versions, each behind the right ones."""
    for row in _spread(_lines(data / "exercises_dev.jsonl"), most):
        chunks = [chunk["text"] for chunk in row["chunks"]]
        records: list[Record] = []
        units: list[Unit] = []
        for number, question in enumerate(row["questions"]):
            answer, before = f"{row['id']}/{number}", ""
            for place, sentence in enumerate(question["sentences"]):
                twin = f"{answer}/{place}"
                versions = [("", sentence["right"])]
                versions += [(wrong["kind"], wrong["text"]) for wrong in sentence["wrong"]]
                right = ""
                for at, (kind, text) in enumerate(versions):
                    start = len(_joined(before, ""))
                    claims, units, result = read_answer(
                        _joined(before, text), question["question"], chunks
                    )
                    own = [claim for claim in claims if claim.end > start]
                    if len(own) != 1:  # which of them is wrong nobody marked; or it is no claim
                        continue
                    right = right or own[0].text
                    spans = () if not kind else changed(right, own[0].text)
                    label = LABELS.get(kind, WRONG) if kind else SUPPORTED
                    records.append(
                        _record(f"{twin}/{at}", "exercises", row, own[0], answer, place, twin,
                                kind, label, spans, claim_risk(own[0], result))
                    )  # fmt: skip
                before = _joined(before, sentence["right"])
        yield records, [], [(row["id"], units)]


def everyday(data: Path, most: int) -> Iterator[Told]:
    """Read everyday_dev: whole answers, some of them with one error."""
    return _everyday("everyday", _spread(_lines(data / "everyday_dev.jsonl"), most))


def held_out(_: Path, most: int) -> Iterator[Told]:
    """Read the everyday sets that no weight of this repository is fitted to."""
    files = [_SETS / f"{name}.jsonl" for name in HELD_OUT]
    return _everyday("held_out", _spread((row for file in files for row in _lines(file)), most))


def _everyday(source: str, rows: Iterable[Any]) -> Iterator[Told]:
    for row in rows:
        wrong = [] if row["label"] != "error" else [(*row["error_span"], WRONG)]
        named = {**row, "author": row["context"].split("-")[0], "language": "en"}
        yield _answer(source, named, [one["text"] for one in row["chunks"]], wrong)


def ragtruth(data: Path, most: int) -> Iterator[Told]:
    """Read ragtruth_dev; its author is its fold."""
    for row in _spread(_lines(data / "ragtruth_dev.jsonl.gz"), most):
        wrong = [
            (one["start"], one["end"],
             CONTRADICTED if "Conflict" in one["label_type"] else NOT_MENTIONED)
            for one in row["labels"]
        ]  # fmt: skip
        named = {**row, "author": str(row["fold"]), "language": "en", "context": row["source_id"]}
        yield _answer("ragtruth", named, row["chunks"], wrong)


def public(data: Path, most: int) -> Iterator[Told]:
    """Read the public contrast sets; a row's author is its set."""
    contexts = dict(_lines(data / "reading_public_contexts.jsonl.xz"))
    rows = _spread(_lines(data / "reading_public.jsonl.xz"), most)
    for number, (name, key, question, text, label, pair) in enumerate(rows):
        claims, units, result = read_answer(text, question, contexts[key])
        if len(claims) == 1:
            row = {"id": key, "context": key, "author": name, "language": "en"}
            at = f"{name}/{number}"
            risk = claim_risk(claims[0], result)
            record = _record(
                at, "public", row, claims[0], at, 0, str(pair or at), "", label, None, risk
            )
            yield [record], [], [(key, units)]


SOURCES: dict[str, Callable[[Path, int], Iterator[Told]]] = {
    "exercises": exercises,
    "everyday": everyday,
    "held_out": held_out,
    "ragtruth": ragtruth,
    "public": public,
}


def _answer(
    source: str, row: Row, chunks: Sequence[str], wrong: Sequence[tuple[int, int, int]]
) -> Told:
    """Return the claims of a whole answer; `wrong` are its wrong places with their labels."""
    answer = str(row["id"])
    claims, units, result = read_answer(row["answer"], row["question"], chunks)
    records = []
    for place, claim in enumerate(claims):
        inside = [one for one in wrong if one[0] < claim.end and one[1] > claim.start]
        label = max((one[2] for one in inside), default=SUPPORTED)
        same = len(claim.text) == claim.end - claim.start  # else offsets differ
        spans = tuple(
            (max(0, start - claim.start), min(len(claim.text), end - claim.start))
            for start, end, _ in inside
        )
        records.append(
            _record(f"{answer}/{place}", source, row, claim, answer, place, f"{answer}/{place}",
                    str(row.get("error_kind") or "") if inside else "", label,
                    spans if same else None, claim_risk(claim, result))
        )  # fmt: skip
    author, context = str(row["author"]), str(row["context"])
    labelled = Labelled(answer, author, context, bool(wrong), answer_risk(result))
    return records, [labelled], [(context, units)]


def answer_risk(result: GuardrailsResult) -> float:
    """Return an answer's risk by the checks alone: its doubt, of a long one its words'."""
    groundedness, doubt = result.scores.groundedness, result.scores.doubt
    if _is_short(result):
        return doubt or 0.0
    return 0.0 if groundedness is None else 1.0 - groundedness


def claim_risk(claim: Claim, result: GuardrailsResult) -> float:
    """Return a claim's risk by the checks alone, which likewise go by the answer's length."""
    own = [one for one in result.sentences if one.start == claim.start]
    support = own[0].support if own else None
    return claim.fast if _is_short(result) or support is None else 1.0 - support


def _is_short(result: GuardrailsResult) -> bool:
    chars = sum(one.end - one.start for one in result.sentences if one.is_claim)
    return _POLICY.is_short(result.total_claims, chars)


def _record(
    at: str, source: str, row: Row, claim: Claim, answer: str, place: int, twin: str, kind: str,
    label: int, spans: tuple[Span, ...] | None, fast: float,
) -> Record:  # fmt: skip
    context = str(row.get("context", row["id"]))
    return Record(
        at, source, str(row["author"]), row["language"], context, answer, place, twin, kind, label,
        claim.text, claim.question, claim.before, claim.nearest, fast, spans,
    )  # fmt: skip


def _joined(before: str, text: str) -> str:
    """Return the answer so far and its next sentence; an item or row begins a line."""
    gap = "" if not before else "\n" if text.startswith(_ITEMS) else " "
    return before + gap + text


def _spread(rows: Iterable[Any], most: int) -> Iterator[Any]:
    """Return at most so many rows, evenly spread, all of them where it is 0."""
    if not most:
        return iter(rows)
    listed = list(rows)
    return islice(listed, 0, None, max(1, -(-len(listed) // most)))


def _lines(file: Path) -> Iterator[Any]:
    if not file.is_file():
        raise ConfigError(f"{file} is missing: `make reader-data DATA=DIR` reads DIR")
    openers: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
    with openers.get(file.suffix, open)(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _write(file: TextIO, rows: Iterable[Any]) -> None:
    file.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _packed(unit: Unit) -> list[Any]:
    return [unit.chunk, unit.text, unit.head]


def _spans(given: list[list[int]] | None) -> tuple[Span, ...] | None:
    return None if given is None else tuple((start, end) for start, end in given)
