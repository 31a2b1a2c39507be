"""`streamguard index`: indexes a folder of documents into a collection of its own."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

from streamguard.rag.indexing import Indexed, Step, files_of, index_folder
from streamguard.rag.opening import DEFAULT_FILE, EMBEDDINGS, STORES, open_embedding, open_target
from streamguard.text.words import counted
from streamguard.verify.keys import EMBEDDING_VARIABLE, OPENAI_VARIABLE, UPSTREAM_VARIABLE, key_for

EMBEDDING = "lexical"
_COLLECTION = "documents"
_STORE_KEY_VARIABLE = "STREAMGUARD_STORE_KEY"

DESCRIPTION = """\
Cut the Markdown, text, HTML and PDF files of a folder into passages and put them into a collection
of their own. Files that did not change are left alone, sources whose file is gone are taken out.
Safe to interrupt: a file is written whole or not at all, and the next run goes on."""
EPILOG = f"""\
STORE is {STORES}; FILE is an
SQLite file that is retrieved from by words, and needs no extra package.
EMBEDDING is {EMBEDDINGS};
its key is read from {EMBEDDING_VARIABLE}, for https://api.openai.com also from
{OPENAI_VARIABLE}, a Qdrant server's from {_STORE_KEY_VARIABLE}.
HTML and PDF need the extra documents: pip install '.[documents]'.

exit status: 0 done, 1 where a file could not be read (the others are in), 2 a wrong flag

examples:
  streamguard index docs/
  streamguard index docs/ --into chroma:./chroma --collection handbook
  streamguard index docs/ --into qdrant:http://127.0.0.1:6333 --embedding sentence-transformers"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard index`."""
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="the documents, also in folders below; hidden ones stay")
    add("--into", metavar="STORE", default=DEFAULT_FILE, help="default: %(default)s")
    add("--collection", metavar="NAME", default=_COLLECTION, help="default: %(default)s")
    add_embedding_arguments(parser)


def add_embedding_arguments(parser: argparse._ActionsContainer) -> None:
    """Add the flags that choose an embedding."""
    add = parser.add_argument
    add("--embedding", metavar="EMBEDDING", default=EMBEDDING, help="default: %(default)s")
    add("--embedding-model", metavar="NAME", help="the model of an endpoint or library")


def embedding_key(embedding: str, upstream: str | None = None) -> str | None:
    """Return the key of an embedding endpoint from the environment; None without one.

    If the endpoint is on the model's server, `upstream`, the model's key is used.
    """
    host = urlsplit(embedding).netloc
    if not host:
        return None
    is_models = host == urlsplit(upstream or "").netloc and not os.environ.get(EMBEDDING_VARIABLE)
    return key_for(embedding, os.environ, UPSTREAM_VARIABLE if is_models else EMBEDDING_VARIABLE)


def store_key() -> str | None:
    """Return the key for a store's server from the environment."""
    return os.environ.get(_STORE_KEY_VARIABLE) or None


def run(args: argparse.Namespace) -> int:
    """Index the folder; return 1 if a file could not be read.

    Raises `ConfigError` for an invalid folder, store or embedding, `UpstreamError` for a server
    that does not answer.
    """
    files_of(args.folder)  # a wrong one leaves no store behind
    embedding = open_embedding(
        args.embedding, model=args.embedding_model, key=embedding_key(args.embedding)
    )
    target = open_target(args.into, args.collection, embedding, key=store_key())
    with closing(target), progress() as step:
        done = index_folder(args.folder, target, step=step)
    for source, reason in done.failed:
        sys.stderr.write(f"{source}: not indexed: {reason}\n")
    sys.stderr.write(left_out(done))
    sys.stdout.write(_summary(done, args.into, args.collection))
    return 1 if done.failed else 0


def left_out(done: Indexed) -> str:
    """Return a line about files of unsupported types, "" without any."""
    if not done.others:
        return ""
    endings = ", ".join(f"{ending or 'other'} {n}" for ending, n in done.others)
    files = counted(sum(n for _, n in done.others), "file")
    return f"{files} left out ({endings}): .md, .txt, .html and .pdf are read\n"


def _summary(done: Indexed, into: str, collection: str) -> str:
    counts = (
        f"{counted(len(done.added), 'file')} indexed ({counted(done.chunks, 'passage')})",
        f"{len(done.unchanged)} unchanged",
        f"{len(done.removed)} removed",
        f"{len(done.failed)} failed",
    )
    return f"{collection} in {into}: {', '.join(counts)}\n"


@contextmanager
def progress() -> Iterator[Step]:
    """Yield a function that displays each step: a bar on a terminal with rich, else lines."""
    if not sys.stderr.isatty():
        yield _line
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield _line
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("indexing", total=None)

        def show(source: str, number: int, of: int) -> None:
            bar.update(task, description=source, completed=number - 1, total=of)

        yield show


def _line(source: str, number: int, of: int) -> None:
    sys.stderr.write(f"[{number}/{of}] {source}\n")
