"""The chat page's verdicts on scripted answers to questions about handbooks held out.

    python -m benchmarks.bench_page_answers [--write]
    python -m benchmarks.bench_page_answers --of newcomers [--given] [--judged]

Each handbook in `benchmarks/handbooks/held_out` has `answers.jsonl`: a question, an answer, and
what is wrong in it, null for a right one; `{file.md}` stands for a citation of that file, left out
where none of its passages is shown. The chat server runs as it is by default, with a model that
says these answers; what it sends is what the page shows. Right is PASS for a right answer, WARN or
REFUSE for a wrong one. A question that the gate declines reaches no model. `--write` makes
`benchmarks/results/scripted_answers.md`; `--of` asks another part of `benchmarks/handbooks`
instead, and `--given` checks the answers without the chat, each against every passage of its
handbook. `--judged` asks a judge besides, which says what `judged.jsonl` of the handbook has of a
sentence where the passages that it is shown hold the words quoted there, else that they do not
mention it; the handbooks' README says who judged.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from streamguard import Context, check_text
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.rag.chunking import passages_of
from streamguard.rag.folder import FolderStore
from streamguard.rag.indexing import FolderTarget, index_folder
from streamguard.rag.prompts import Prompt
from streamguard.server.chat.app import make_app
from streamguard.server.chat.model import pieces
from streamguard.server.chat.settings import PRESETS, ChatSettings, in_metric_of
from streamguard.server.workers.serve import make_runner, start
from streamguard.verify.judge import judge_by
from streamguard.verify.verifier import Verifier

HANDBOOKS = Path(__file__).parent / "handbooks"
PARTS = ("held_out", "newcomers", "later", "guests")
PAGE = Path(__file__).parent / "results" / "scripted_answers.md"
_NAME = "documents"
_MARK = re.compile(r"\s*\(Source: [\w.-]+\)")
_FILE = re.compile(r" ?\{([\w.-]+)\}")

HEAD = """\
# Scripted answers on the page

Two handbooks of companies that do not exist, and 20 scripted answers to questions about each: 11 right ones and 9 in which something is wrong, as varied as a model's. Handbooks, questions and answers were written before the rules that they judge were read, by an author of the project, and nothing was changed for them. The chat server runs with its defaults and a model that says these answers. Right is PASS for a right answer, and WARN or REFUSE for a wrong one; a question that the gate declines is put to the model without passages, and counts as declined. `python -m benchmarks.bench_page_answers --write` makes this page; how far such figures carry is in [accuracy.md](../../docs/accuracy.md).
"""  # noqa: E501


@dataclass(frozen=True, slots=True)
class Judged:
    """A scripted answer, what is wrong in it (None: nothing), and what the page says of it.

    `status` None: the gate declined, and the model was not asked.
    """

    question: str
    answer: str
    wrong: str | None
    status: str | None
    reasons: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        return (self.status == "PASS") == (self.wrong is None)


def marked(answer: str, chunks: Iterable[RetrievedChunk]) -> str:
    """Return the answer with each `{file.md}` as a citation of that file; none if not retrieved."""
    known = {chunk.source for chunk in chunks}
    return _FILE.sub(lambda it: f" (Source: {it[1]})" if it[1] in known else "", answer)


def recorded_judge(handbook: Path) -> Verifier:
    """Return the judge that says of each sentence what the handbook's `judged.jsonl` has."""
    lines = (handbook / "judged.jsonl").read_text(encoding="utf-8").splitlines()
    recorded = {
        (answer["question"], _plain(one["text"])): one
        for answer in map(json.loads, lines)
        for one in answer["sentences"]
    }

    async def post(body: Mapping[str, Any]) -> tuple[int, bytes]:
        asked = json.loads(body["messages"][-1]["content"])
        shown = " ".join(_plain(passage["text"]) for passage in asked["passages"])
        verdicts = []
        for sentence in asked["sentences"]:
            one = recorded[asked["question"], _plain(sentence["text"])]
            if not all(_plain(quote) in shown for quote in one["quotes"]):
                one = {"verdict": "not_mentioned", "confidence": 0.9, "quotes": []}
            names = ("verdict", "confidence", "quotes")
            verdicts.append({"id": sentence["id"], **{name: one[name] for name in names}})
        content = json.dumps({"verdicts": verdicts})
        return 200, json.dumps({"choices": [{"message": {"content": content}}]}).encode()

    return judge_by(post, "recorded")


def _plain(words: str) -> str:
    return " ".join(_MARK.sub("", words).split())


async def judged(handbook: Path, judges: tuple[Verifier, ...] = ()) -> list[Judged]:
    """Ask the page each question, and answer it with its script."""
    lines = (handbook / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    script: dict[str, Any] = {}

    async def answer(prompt: Prompt) -> AsyncGenerator[str, None]:
        async for piece in pieces(marked(script["answer"], prompt.context.chunks)):
            yield piece

    found = []
    with closing(FolderStore()) as store:
        index_folder(handbook / "documents", FolderTarget(store, _NAME))
        presets = {name: Policy.preset(name) for name in PRESETS}
        policies = in_metric_of(store, [_NAME], presets)
        settings = ChatSettings(store, [_NAME], policies, lambda _: answer, verifiers=judges)
        runner = make_runner(make_app(settings))
        try:
            base = await start(runner, "127.0.0.1", 0)
            async with aiohttp.ClientSession() as session:
                for line in lines:
                    script = json.loads(line)
                    found.append(await _asked(session, base, script))
        finally:
            await runner.cleanup()
    return found


def given(handbook: Path, judges: tuple[Verifier, ...] = ()) -> list[Judged]:
    """Check each scripted answer against all passages of its handbook, whatever retrieval finds."""
    chunks = [
        RetrievedChunk(id=f"{file.name}#{number}", text=passage, source=file.name)
        for file in sorted((handbook / "documents").iterdir())
        for number, passage in enumerate(passages_of(file.read_text("utf-8"), markdown=True), 1)
    ]
    found = []
    for line in (handbook / "answers.jsonl").read_text(encoding="utf-8").splitlines():
        it = json.loads(line)
        context = Context(query=it["question"], chunks=chunks)
        verdict = check_text(marked(it["answer"], chunks), context=context, verifiers=judges)
        said = tuple(reason.message for reason in verdict.reasons)
        found.append(Judged(it["question"], it["answer"], it["wrong"], verdict.status, said))
    return found


async def _asked(session: aiohttp.ClientSession, base: str, script: dict[str, Any]) -> Judged:
    body = {"question": script["question"]}
    async with session.post(f"{base}/api/chat", json=body) as response:
        events = (await response.text()).split("\n\n")
    frames = [
        json.loads(event.removeprefix("data: ")) for event in events if event.startswith("data: {")
    ]
    retrieval, result = (
        # Behind a first result the one with the judge's word comes.
        next(frame for frame in reversed(frames) if frame["type"] == kind)
        for kind in ("retrieval", "result")
    )
    asked = (script["question"], script["answer"], script["wrong"])
    if not retrieval["is_answerable"]:
        return Judged(*asked, None)
    verdict = result["annotation"]["result"]
    said = tuple(reason["message"] for reason in verdict["reasons"])
    return Judged(*asked, verdict["status"], said)


def page(found: dict[str, list[Judged]]) -> str:
    """Return the page: the counts, then what was misjudged and what was declined."""
    parts = [HEAD.strip(), "\n".join(_table(found))]
    for name, rows in found.items():
        listed = [line for it in rows if not it.is_right for line in _misjudged(it)]
        parts += [f"## Misjudged: {name}", "\n".join(listed) or "Nothing."]
    return "\n\n".join(parts) + "\n"


def _table(found: dict[str, list[Judged]]) -> Iterator[str]:
    yield "| handbook | right answers: PASS | WARN | REFUSE | declined | wrong answers: PASS | WARN | REFUSE | declined |"  # noqa: E501
    yield "|---|" + "---:|" * 8
    for name, rows in found.items():
        counts = [
            sum((it.wrong is None) is right and it.status == status for it in rows)
            for right in (True, False)
            for status in ("PASS", "WARN", "REFUSE", None)
        ]
        yield f"| {name} | {' | '.join(map(str, counts))} |"


def _misjudged(it: Judged) -> Iterator[str]:
    truth = "right" if it.wrong is None else f"wrong ({it.wrong})"
    shown = " ".join(_FILE.sub("", it.answer).split()).replace("|", "/").replace("#", "")
    yield f"- **{it.question}** “{shown}” It is {truth}; {it.status or 'declined by the gate'}."
    yield from (f"    - {reason}" for reason in it.reasons)


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    what.add_argument("--of", choices=PARTS, default=PARTS[0], help="which handbooks")
    parser.add_argument("--given", action="store_true", help="check without the chat")
    parser.add_argument("--judged", action="store_true", help="ask the recorded judge besides")
    args = parser.parse_args()
    if args.write and (args.given or args.judged):
        parser.error("the page is of the chat's verdicts without a judge")
    if args.judged and args.of != "newcomers":
        parser.error("only the newcomers' answers have recorded verdicts: --of newcomers")
    found = {}
    for answers in sorted((HANDBOOKS / args.of).glob("*/answers.jsonl")):
        path = answers.parent
        judges = (recorded_judge(path),) if args.judged else ()
        found[path.name] = given(path, judges) if args.given else asyncio.run(judged(path, judges))
    made = page(found)
    if args.of != PARTS[0] or args.given:
        made = made.removeprefix(HEAD).lstrip()
    if args.write:
        PAGE.write_text(made, encoding="utf-8")
    sys.stdout.write(made)


if __name__ == "__main__":
    main()
