"""`streamguard chat`: its help, and a running server from its flags."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamguard.commands.index import (
    EMBEDDING,
    add_embedding_arguments,
    embedding_key,
    left_out,
    progress,
    store_key,
)
from streamguard.commands.verifier import add_verifier_arguments, announced, judge_of
from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError
from streamguard.settings import load_policy
from streamguard.verify.judge import Judge
from streamguard.verify.keys import (
    EMBEDDING_VARIABLE,
    OPENAI_HOST,
    OPENAI_VARIABLE,
    UPSTREAM_VARIABLE,
    key_for,
)
from streamguard.verify.specs import named_verifiers, readers_of

if TYPE_CHECKING:
    from streamguard.rag.embeddings import Embedding
    from streamguard.rag.stores import Store
    from streamguard.server.chat.settings import ChatSettings
    from streamguard.verify.verifier import Verifier

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "chat_settings", "open_store", "run"]

_COLLECTION = "documents"
_UNNAMED = "the server's model"
_QUESTIONS = 3  # to start with, from one's own documents
_EMBEDDED_TOKENS_PER_S = 60.0  # the embedded answerer's: readable, and the page is seen to stream

DESCRIPTION = """\
Ask questions of your own documents on a web page: retrieval, the gate, the prompt, the model's
tokens as they come, and the guard's verdict on every sentence. Without --docs or --store it uses
sample documents, without --upstream an embedded answerer that quotes the best sentences."""
EPILOG = f"""\
A question is declined where no passage is near enough. The details of the answer name the
setting that declined it: similarity_threshold (--docs, FILE, Qdrant) or confidence_threshold
(Chroma) for passages too far away, min_documents for too few that passed, confidence_levels or
collection_thresholds. Change it in a --policy FILE; `streamguard policy` shows what is in force.

The model's key is read from {UPSTREAM_VARIABLE}, for https://{OPENAI_HOST} also from
{OPENAI_VARIABLE}, which goes nowhere else. It goes to --upstream alone, and to the endpoint of
--embedding on the same server; another endpoint's is read from {EMBEDDING_VARIABLE}.
Answers, questions and passages are not stored or logged; feedback is kept with the verdict's
figures. With --results so are verdicts, with the question's keywords; with --store-text the words
too.

examples:
  streamguard chat
  streamguard chat --docs docs/
  streamguard chat --docs docs/ --upstream https://api.openai.com/v1 --model gpt-4o-mini
  streamguard chat --store chroma:./chroma --collection handbook --embedding own"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard chat`."""
    from streamguard.server.chat.settings import FEEDBACK_FILE, LISTEN, PASSAGES
    from streamguard.server.results.shared import add_shared_arguments

    add = parser.add_argument
    add("--docs", metavar="FOLDER", help="documents to answer from, read into memory at the start")
    add("--upstream", metavar="URL", help="an OpenAI-compatible server, as in https://HOST/v1")
    add("--model", metavar="NAME", help="the model's name there; a server with one needs none")
    add(
        "--listen",
        default=LISTEN,
        metavar="HOST:PORT",
        help="where to listen; port 0 takes any free one (default: %(default)s)",
    )
    add(
        "--policy",
        metavar="NAME|FILE",
        help="the strictness before a person chooses: a preset's name or a TOML file"
        " (default: STREAMGUARD_POLICY, else moderate)",
    )
    add(
        "--passages",
        type=_count,
        default=PASSAGES,
        metavar="N",
        help="passages asked of the store for a question (default: %(default)s)",
    )
    add(
        "--feedback",
        type=Path,
        default=Path(FEEDBACK_FILE),
        metavar="FILE",
        help="where feedback is appended, as JSON lines (default: %(default)s)",
    )
    add("--store-text", action="store_true", help="keep the words in stored results and feedback")
    add_shared_arguments(parser)
    add_verifier_arguments(parser)
    add(
        "--judge",
        default="off",
        metavar="off|upstream|MODEL@URL",
        help="the language model that judges the answers, to which passages and answers are sent:"
        " --upstream's own, or that of MODEL@URL; a model's name alone is asked of OPENAI_BASE_URL"
        " with OPENAI_API_KEY (default: %(default)s)",
    )
    add("--log-level", default="info", choices=("debug", "info", "warning", "error"))
    group = parser.add_argument_group(
        "retrieval",
        "an --embedding is asked beside the words of --docs, or instead of them of a --store",
    )
    group.add_argument("--store", metavar="STORE", help="what streamguard index calls --into")
    group.add_argument(
        "--collection",
        metavar="NAME",
        action="append",
        help=f"may be given several times (default: {_COLLECTION})",
    )
    add_embedding_arguments(group)


def run(args: argparse.Namespace) -> int:
    """Serve until stopped; raises `ConfigError` for a wrong flag or setting."""
    from streamguard.server.chat.app import make_app  # aiohttp takes its time: only where it serves
    from streamguard.server.observe.logs import set_up
    from streamguard.server.results.feedback import checked_file
    from streamguard.server.workers.serve import address, run_until_stopped, serve

    host, port = address(args.listen)
    checked_file(args.feedback)
    with closing(open_store(args)) as store:
        app = make_app(chat_settings(args, store, host))
        set_up(args.log_level)
        announce = _announce if sys.stdout.isatty() else None
        run_until_stopped(serve(app, host, port, "chat", announce))
    return 0


def chat_settings(args: argparse.Namespace, store: Store, host: str) -> ChatSettings:
    """Return the settings in flags and environment; asks the store, may block."""
    from streamguard.demo.chat_samples import FAULTY, QUESTIONS
    from streamguard.rag.starting import starting_questions
    from streamguard.server.chat.settings import EMBEDDED, ChatSettings, in_metric_of
    from streamguard.server.http.hosts import hosts_of
    from streamguard.server.results.shared import shared_settings

    default, policies = _policies(args.policy)
    collections = _collections(args)
    samples = args.docs is None and args.store is None
    measured = in_metric_of(store, collections, policies)
    questions: tuple[str, ...] = QUESTIONS
    if not samples:
        questions = tuple(starting_questions(store, collections, measured[default], _QUESTIONS))
    return ChatSettings(
        store=store,
        collections=collections,
        policies=measured,
        make_model=_model(args),
        model_name=args.model or (_UNNAMED if args.upstream else EMBEDDED),
        preset=default,
        questions=questions,
        show_documents=args.docs is not None,
        scripts=FAULTY if samples and not args.upstream else {},
        tokens_per_s=_EMBEDDED_TOKENS_PER_S,
        passages=args.passages,
        feedback=args.feedback,
        store_text=args.store_text,
        shared=shared_settings(args),
        verifiers=_verifiers(args),
        hosts=hosts_of(host),
    )


def _policies(named: str | None) -> tuple[str, Mapping[str, Policy]]:
    """Return the default's name and the policies to choose from, modified by the environment."""
    from streamguard.server.chat.settings import PRESETS

    default = load_policy(named).policy
    offered = {name: load_policy(name).policy for name in PRESETS}
    return default.name, {**offered, default.name: default}


def open_store(args: argparse.Namespace) -> Store:
    """Return the store that the flags name, or the documents loaded into memory."""
    from streamguard.rag import opening
    from streamguard.rag.folder import FolderStore

    if args.docs == "":
        raise ConfigError("--docs is empty, expected a folder")
    if args.store is not None and args.docs is not None:
        raise ConfigError("--docs and --store are both given, expected one of them")
    if args.store is not None:
        embedding = opening.open_embedding(
            args.embedding,
            model=args.embedding_model,
            key=embedding_key(args.embedding, args.upstream),
        )
        return opening.open_store(args.store, embedding, key=store_key())
    store = FolderStore(embedding=_embedding_of_documents(args))
    try:
        _index(store, args.docs)
        store.query([_COLLECTION], "documents", 1)  # limits of an embedding are reported now
    except BaseException:
        store.close()
        raise
    return store


def _embedding_of_documents(args: argparse.Namespace) -> Embedding | None:
    """Return the embedding for the documents, None to search by words only."""
    from streamguard.rag import opening

    if args.embedding == EMBEDDING:
        if args.embedding_model:
            raise ConfigError("--embedding-model is given without --embedding")
        return None
    key = embedding_key(args.embedding, args.upstream)
    found = opening.open_embedding(args.embedding, model=args.embedding_model, key=key)
    if found is None:
        raise ConfigError("embedding is own, which only a --store has")
    return found


def _index(store: Any, docs: str | None) -> None:
    from streamguard.demo.chat_samples import DOCUMENTS
    from streamguard.rag.indexing import FolderTarget, index_folder

    # A large folder takes its time; where nobody watches the log has no use for a line a file.
    shown = progress() if docs is not None and sys.stderr.isatty() else nullcontext()
    with shown as step:
        done = index_folder(
            DOCUMENTS if docs is None else docs, FolderTarget(store, _COLLECTION), step=step
        )
    for source, reason in done.failed:
        sys.stderr.write(f"{source}: not read: {reason}\n")
    sys.stderr.write(left_out(done))
    if not done.added:
        raise ConfigError(f"folder {docs} holds no document that can be read")


def _announce(base: str) -> None:
    sys.stdout.write(f"a page to open:    {base}   (Ctrl-C ends it)\n")
    sys.stdout.flush()


def _collections(args: argparse.Namespace) -> list[str]:
    if args.store is None and args.collection:
        raise ConfigError("--collection is given without --store")
    return args.collection or [_COLLECTION]


def _model(args: argparse.Namespace) -> Any:
    from streamguard.server.chat.model import extractive_model, upstream_model
    from streamguard.server.headers import upstream_url

    if args.upstream is None and args.model is not None:
        raise ConfigError("--model is given without --upstream")
    if args.upstream is None:
        return lambda _session: extractive_model(_EMBEDDED_TOKENS_PER_S)
    url, key = upstream_url(args.upstream), key_for(args.upstream, os.environ, UPSTREAM_VARIABLE)
    return lambda session: upstream_model(session, url, args.model, key)


def _verifiers(args: argparse.Namespace) -> tuple[Verifier, ...]:
    found = named_verifiers(args.verifier, os.environ)
    if args.judge != "upstream":
        return announced(readers_of(found, judge_of(args)))
    if args.upstream is None:
        raise ConfigError("--judge upstream is given without --upstream")
    if args.model is None:
        raise ConfigError("--judge upstream asks the model that --model names, and it is missing")
    key = key_for(args.upstream, os.environ, UPSTREAM_VARIABLE)
    return announced(readers_of(found, Judge(args.upstream, args.model, key)))


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 10 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no whole number of at least 1")
    return int(text)
