"""What the gate lets through on small handbooks: answerable and unanswerable questions.

    python -m benchmarks.bench_gate [--embedding NAME] [--each] [--pairs]

Each folder below `benchmarks/handbooks` holds `documents/` and `questions.txt`, whose lines name
the file that answers a question, or `-` where none does. Rules and levels were fitted to every
second question of those in `development`, and the others held back. Those in `held_out` were
written by nobody who knew the rules in force, and those in `strangers` by people who knew nothing
of the gate, nor of the other handbooks, `newcomers` by somebody who had not read its code; `later`
was written by authors of the rules, `guests` by somebody who knew neither rules nor software. Each
was asked before anything was changed; the rules in force were made after the misses of all of them
had been read (`handbooks/README.md`).

`let through`: the gate says answerable, with the published default policy. `right file`: and the
file that answers is among the passages. `quoted`: and the embedded answerer quotes that file.
`declined`: of the questions that no file answers, those that are refused. The lines at the end say
what other thresholds than the default would let through and decline.

`--pairs` asks two questions of a handbook in one, joined by "and": both answerable, one of them,
neither. `part by part` is what is shipped, `as one` searches for all words together.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Retrieval
from streamguard.core.reading.markers import STANDARD_REFUSAL
from streamguard.rag.chunking import passages_of
from streamguard.rag.embeddings import Embedding
from streamguard.rag.folder import FolderStore
from streamguard.rag.gate import assess, policy_on
from streamguard.rag.indexing import FolderTarget, index_folder
from streamguard.rag.lexical import SHARE_GATES, LexicalIndex
from streamguard.rag.opening import open_embedding
from streamguard.server.chat.answerer import extract_answer
from streamguard.server.chat.settings import PASSAGES

HANDBOOKS = Path(__file__).parent / "handbooks"
PARTS = ("development", "held_out", "strangers", "newcomers", "later", "guests")
THRESHOLDS = (0.25, 0.3, 0.34, 0.4, 0.45, 0.5)
_NAME = "documents"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, the file that answers it (None: no file does), and what became of it.

    `nearest` is the similarity of the nearest passage, in [0, 1], 0 without any.
    """

    question: str
    file: str | None
    nearest: float
    retrieval: Retrieval
    answer: str

    @property
    def let_through(self) -> bool:
        return bool(self.retrieval.is_answerable) and self.answer != STANDARD_REFUSAL

    @property
    def right_file(self) -> bool:
        return self.let_through and self.file in [it.source for it in self.retrieval.chunks]

    @property
    def quoted(self) -> bool:
        return self.right_file and any(
            f"[C{number}]" in self.answer
            for number, chunk in enumerate(self.retrieval.chunks, 1)
            if chunk.source == self.file
        )


def asked(handbook: Path, embedding: Embedding | None) -> list[Asked]:
    """Ask every question of a handbook under the default policy."""
    with closing(FolderStore(embedding=embedding)) as store:
        index_folder(handbook / "documents", FolderTarget(store, _NAME))
        policy = policy_on(store, [_NAME], Policy())
        return [
            _ask(store, policy, *line.split(" | ", 1))
            for line in (handbook / "questions.txt").read_text(encoding="utf-8").splitlines()
        ]


def _ask(store: FolderStore, policy: Policy, file: str, question: str) -> Asked:
    passages = store.query([_NAME], question, PASSAGES)
    found = assess(passages, policy)
    answer = extract_answer(question, found)
    nearest = max((it.similarity or 0.0 for it in passages), default=0.0)
    return Asked(question, None if file == "-" else file, nearest, found, answer)


def nearest_of_each(part: Path) -> Iterator[tuple[str | None, float]]:
    """Yield the file that answers, None without one, and the nearest similarity, by words."""
    for handbook in sorted(part.iterdir()):
        index = _index(handbook)
        for line in (handbook / "questions.txt").read_text(encoding="utf-8").splitlines():
            file, question = line.split(" | ", 1)
            nearest = max(index.similarities(question).values(), default=0.0)
            yield (None if file == "-" else file), nearest


def row(name: str, rows: list[Asked]) -> str:
    """Return the line of the table for these questions."""
    answerable = [it for it in rows if it.file is not None]
    others = [it for it in rows if it.file is None]
    counts = (
        (sum(it.let_through for it in answerable), len(answerable)),
        (sum(it.right_file for it in answerable), len(answerable)),
        (sum(it.quoted for it in answerable), len(answerable)),
        (sum(not it.let_through for it in others), len(others)),
    )
    return f"{name:32}" + "".join(f"{f'{count} of {of}':>14}" for count, of in counts)


def curve(part: str, rows: list[Asked]) -> Iterator[str]:
    """Yield what each threshold would let through and decline."""
    answerable = [it.nearest for it in rows if it.file is not None]
    others = [it.nearest for it in rows if it.file is None]
    for threshold in THRESHOLDS:
        through = sum(nearest >= threshold for nearest in answerable)
        declined = sum(nearest < threshold for nearest in others)
        yield (
            f"{f'{part}, threshold {threshold:.2f}':32}{f'{through} of {len(answerable)}':>14}"
            f"{'':28}{f'{declined} of {len(others)}':>14}"
        )


def tables(embedding: Embedding | None, *, each: bool) -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"{'':32}" + "".join(
        f"{name:>14}" for name in ("let through", "right file", "quoted", "declined")
    )
    asked_of: dict[str, list[Asked]] = {}
    for part in PARTS:
        found = {path.name: asked(path, embedding) for path in sorted((HANDBOOKS / part).iterdir())}
        for name, rows in found.items():
            yield row(f"{part}/{name}", rows)
            for it in rows if each else ():
                yield f"    {it.file or '-'} | {it.question} | {it.answer}"
        if part == "development":
            for label, start in (("fitted half", 1), ("half held back", 0)):
                half = [it for rows in found.values() for it in rows[start::2]]
                yield row(f"{part}, {label}", half)
        asked_of[part] = [it for rows in found.values() for it in rows]
    for part, rows in asked_of.items():
        yield from curve(part, rows)


def pairs() -> Iterator[str]:
    """Yield how many joined questions are let through, by what the documents answer of them."""
    yield f"{'':32}{'part by part':>16}{'as one':>16}"
    for part in PARTS:
        passed: dict[str, list[tuple[bool, bool]]] = {"both": [], "one": [], "neither": []}
        for handbook in sorted((HANDBOOKS / part).iterdir()):
            lines = (handbook / "questions.txt").read_text(encoding="utf-8").splitlines()
            asked_of = [line.split(" | ", 1) for line in lines]
            answered = [question for file, question in asked_of if file != "-"]
            others = [question for file, question in asked_of if file == "-"]
            index = _index(handbook)
            for name, first, second in (
                ("both", answered, answered[1:]),
                ("one", answered, others),
                ("neither", others, others[1:]),
            ):
                for one, other in zip(first, second, strict=False):
                    joined = f"{one.rstrip('?. ')} and {other[0].lower()}{other[1:]}"
                    passed[name].append(_passes(index, joined))
        for name, found in passed.items():
            counts = [f"{sum(each)} of {len(found)}" for each in zip(*found, strict=True)]
            yield f"{f'{part}, {name} answerable':32}" + "".join(f"{it:>16}" for it in counts)


def _index(handbook: Path) -> LexicalIndex:
    found = [
        (passage, file.name)
        for file in sorted((handbook / "documents").iterdir())
        for passage in passages_of(file.read_text(encoding="utf-8"), markdown=True)
    ]
    return LexicalIndex([text for text, _ in found], [name for _, name in found])


def _passes(index: LexicalIndex, question: str) -> tuple[bool, bool]:
    ways = index.similarities(question), index.similarities_as_one(question)
    part_by_part, as_one = (max(each.values(), default=0.0) >= SHARE_GATES[1] for each in ways)
    return part_by_part, as_one


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedding", metavar="NAME", help="as of streamguard chat")
    parser.add_argument("--embedding-model", metavar="NAME")
    parser.add_argument("--each", action="store_true", help="print each question's answer")
    parser.add_argument("--pairs", action="store_true", help="ask two questions in one, instead")
    args = parser.parse_args()
    named = args.embedding
    embedding = open_embedding(named, model=args.embedding_model) if named else None
    for line in pairs() if args.pairs else tables(embedding, each=args.each):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
