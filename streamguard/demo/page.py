"""The chat page at the demo's end: left open for a person, or toured by a script."""

from __future__ import annotations

import errno
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from streamguard.core.model.policy import Policy
from streamguard.demo.chat_samples import DOCUMENTS, FAULTY, QUESTIONS
from streamguard.demo.tour import STOPS, Stop, Visit, visits
from streamguard.rag.folder import FolderStore
from streamguard.rag.indexing import FolderTarget, index_folder
from streamguard.server.chat.app import make_app
from streamguard.server.chat.model import extractive_model
from streamguard.server.chat.settings import (
    FEEDBACK_FILE,
    LISTEN,
    PRESETS,
    ChatSettings,
    in_metric_of,
)
from streamguard.server.http.hosts import LOOPBACK
from streamguard.server.workers.serve import address, make_runner, serve, start

_COLLECTION = "documents"


async def stay_open(console: Console, *, tokens_per_s: float, listen: str = LISTEN) -> None:
    """Serve the chat over the sample documents until SIGINT or SIGTERM; print its address.

    If another program listens at `listen`, any free port is used.
    """
    host, port = address(listen)
    with _sample_chat(Path(FEEDBACK_FILE), tokens_per_s) as settings:
        announce = _announcer(console)
        try:
            await serve(make_app(settings), host, port, "chat", announce)
        except OSError as exc:
            if exc.errno != errno.EADDRINUSE:
                raise
            await serve(make_app(settings), host, 0, "chat", announce)


async def tour(console: Console, stops: Sequence[Stop] = STOPS) -> int:
    """Ask the chat each stop's question and print the page's output; return how many failed."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _sample_chat(Path(folder) / FEEDBACK_FILE, tokens_per_s=0.0) as settings,
    ):
        runner = make_runner(make_app(settings))
        try:
            base = await start(runner, "127.0.0.1", 0)
            console.rule(Text("the chat page", style="bold"), align="left")
            console.print(Text(f"{len(stops)} scripted questions to a chat server at {base}"))
            console.print()
            missed = 0
            async for visit in visits(base, stops):
                missed += not visit.came
                console.print(_line(visit), soft_wrap=True)
        finally:
            await runner.cleanup()
    console.print()
    console.print(Text(_toured(missed, len(stops))), soft_wrap=True)
    console.print(Text(last_words()), soft_wrap=True)
    return missed


@contextmanager
def _sample_chat(feedback: Path, tokens_per_s: float) -> Iterator[ChatSettings]:
    """Yield the settings of `streamguard chat` without flags, independent of the environment."""
    presets = {name: Policy.preset(name) for name in PRESETS}
    with closing(FolderStore()) as store:
        index_folder(DOCUMENTS, FolderTarget(store, _COLLECTION))
        yield ChatSettings(
            store=store,
            collections=[_COLLECTION],
            policies=in_metric_of(store, [_COLLECTION], presets),
            make_model=lambda _session: extractive_model(tokens_per_s),
            questions=QUESTIONS,
            scripts=FAULTY,
            tokens_per_s=tokens_per_s,
            feedback=feedback,
            hosts=LOOPBACK,
        )


def _announcer(console: Console) -> Callable[[str], None]:
    def announce(base: str) -> None:
        console.print()
        console.print(Text(last_words(base)), soft_wrap=True)

    return announce


def _line(visit: Visit) -> Text:
    mark = ("✔", "green") if visit.came else ("✖", "red")
    stop = visit.stop
    return Text.assemble(
        mark, (f" {stop.shows:24}", "bold"), f"{stop.question} → ", (visit.words, "italic")
    )


def _toured(missed: int, count: int) -> str:
    return f"page    {missed} of {count} did not come" if missed else f"page    all {count} came"


def last_words(page: str | None = None) -> str:
    """Return the page's address and three lines about using one's own application.

    `page`: the address of an open page.
    """
    at = program()
    opened = f"{page}   (sample documents; Ctrl-C ends it)"
    closed = f"{at} chat   (sample documents, http://{LISTEN})"
    return f"""\
a page to open:    {opened if page else closed}

your application:  {at} proxy --upstream https://api.openai.com/v1
one line of it:    client = OpenAI(base_url="http://127.0.0.1:8080")
and the verdict:   chunk.streamguard near the stream's end, or GET /streamguard/results/{{id}}"""


def next_steps() -> str:
    """Return the next commands to type."""
    at = program()
    return f"""\
what to type next
  {at} chat                                 the chat page, over sample documents
  {at} chat --docs FOLDER                   over documents of your own
  {at} proxy --upstream https://HOST/v1     in front of your model; clients change one line
  {at} check answer.txt --chunks chunks.txt one finished answer
  {at} demo --all                           the other recorded answers, then the page"""


def program() -> str:
    """Return the command for this program: its path if below this folder, else its name."""
    path = Path(sys.executable).with_name("streamguard")
    here = Path.cwd()
    return str(path.relative_to(here)) if path.exists() and here in path.parents else path.name
