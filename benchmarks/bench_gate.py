"""What the gate lets through on small handbooks: answerable and unanswerable questions.

    python -m benchmarks.bench_gate [--embedding NAME] [--each]

Each folder below `benchmarks/handbooks` holds `documents/` and `questions.txt`, whose lines name
the file that answers a question, or `-` where none does. Rules and levels were fitted to every
second question of those in `development`, and the others held back; the last four written there
were held out first. Those in `held_out` were written after the rules and asked when all was
settled; nothing was changed for them.

`let through`: the gate says answerable, with the published default policy. `right file`: and the
file that answers is among the passages. `quoted`: and the embedded answerer quotes that file.
`declined`: of the questions that no file answers, those that are refused.
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
from streamguard.rag.embeddings import Embedding
from streamguard.rag.folder import FolderStore
from streamguard.rag.gate import assess, policy_for
from streamguard.rag.indexing import FolderTarget, index_folder
from streamguard.rag.opening import open_embedding
from streamguard.server.chat.answerer import extract_answer
from streamguard.server.chat.settings import PASSAGES

HANDBOOKS = Path(__file__).parent / "handbooks"
PARTS = ("development", "held_out")
_NAME = "documents"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, the file that answers it (None: no file does), and what became of it."""

    question: str
    file: str | None
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
        policy = policy_for(Policy(), store.metric([_NAME]), store.levels([_NAME]))
        return [
            _ask(store, policy, *line.split(" | ", 1))
            for line in (handbook / "questions.txt").read_text(encoding="utf-8").splitlines()
        ]


def _ask(store: FolderStore, policy: Policy, file: str, question: str) -> Asked:
    found = assess(store.query([_NAME], question, PASSAGES), policy)
    answer = extract_answer(question, found)
    return Asked(question, None if file == "-" else file, found, answer)


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


def tables(embedding: Embedding | None, *, each: bool) -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"{'':32}" + "".join(
        f"{name:>14}" for name in ("let through", "right file", "quoted", "declined")
    )
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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--embedding", metavar="NAME", help="as of streamguard chat")
    parser.add_argument("--embedding-model", metavar="NAME")
    parser.add_argument("--each", action="store_true", help="print each question's answer")
    args = parser.parse_args()
    named = args.embedding
    embedding = open_embedding(named, model=args.embedding_model) if named else None
    for line in tables(embedding, each=args.each):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
