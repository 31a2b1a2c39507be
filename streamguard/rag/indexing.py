"""Indexes a folder of documents into a collection of its own: incremental, safe to interrupt."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from streamguard.errors import ConfigError, DecodeError
from streamguard.rag.chunking import MAX_CHARS, OVERLAP_CHARS, passages_of
from streamguard.rag.folder import FolderStore
from streamguard.rag.readers import MARKDOWN_ENDINGS, NoTextError, read_document, readable
from streamguard.text.normalise import scalar_text

# Part of every content hash: other passages of the same file are another content.
_CUT = f"1 {MAX_CHARS} {OVERLAP_CHARS}"


class Target(Protocol):
    """A collection to which an index is written."""

    def hashes(self) -> dict[str, str]:
        """Return the content hash of every complete source."""

    def replace(self, source: str, digest: str, texts: Sequence[str]) -> None:
        """Replace a source's chunks; safe to interrupt."""

    def remove(self, source: str) -> None:
        """Delete a source and its chunks."""

    def close(self) -> None:
        """Release files and connections; idempotent."""


class FolderTarget:
    """One collection of a folder store."""

    def __init__(self, store: FolderStore, collection: str) -> None:
        self._store = store
        self._collection = collection

    def hashes(self) -> dict[str, str]:
        """Return the content hash of every source."""
        return self._store.hashes(self._collection)

    def replace(self, source: str, digest: str, texts: Sequence[str]) -> None:
        """Replace a source's chunks, all or none."""
        self._store.replace(self._collection, source, digest, texts)

    def remove(self, source: str) -> None:
        """Delete a source and its chunks."""
        self._store.remove(self._collection, source)

    def close(self) -> None:
        """Close the store."""
        self._store.close()


@dataclass(frozen=True, slots=True)
class Indexed:
    """The outcome for each of a folder's files, by source; `failed` has the reasons.

    `others`: the suffixes of files of unsupported types, with their number.
    """

    added: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    chunks: int
    others: tuple[tuple[str, int], ...] = ()


Step = Callable[[str, int, int], None]


def index_folder(folder: str | Path, target: Target, *, step: Step | None = None) -> Indexed:
    """Update a collection from a folder; return the outcome for each file.

    Sources are the files' paths below the folder, with `/`. An unchanged file is skipped; sources
    whose file is gone are deleted. Each file is written completely or not at all: an interrupted
    run resumes where it stopped. `step(source, number, of)` is called before each file. An
    unreadable file is reported and keeps its old chunks; the chunks of a file without text are
    deleted. Raises `ConfigError` if it is no folder or has no supported file.
    """
    unread: list[tuple[str, str]] = []
    others: Counter[str] = Counter()
    files = files_of(folder, unread, others)
    former = target.hashes()
    added: list[str] = []
    unchanged: list[str] = []
    failed: list[tuple[str, str]] = []
    chunks = 0
    for number, (source, path) in enumerate(files.items(), 1):
        if step is not None:
            step(source, number, len(files))
        try:
            data = path.read_bytes()
            digest = hashlib.sha256(f"{_CUT} {path.suffix.lower()}\n".encode() + data).hexdigest()
            if former.get(source) == digest:
                unchanged.append(source)
                continue
            texts = texts_of(path, data)
        except (OSError, DecodeError, ConfigError) as exc:
            failed.append((source, str(exc)))
            if isinstance(exc, NoTextError):
                target.remove(source)
            continue
        except (ValueError, RecursionError, LookupError) as exc:  # of the readers of HTML and PDF
            failed.append((source, f"{path.name} cannot be read: {type(exc).__name__}"))
            continue
        target.replace(source, digest, texts)
        added.append(source)
        chunks += len(texts)
    failed += unread
    below = tuple(f"{name}/" for name, _ in unread)
    gone = tuple(sorted(it for it in former.keys() - files.keys() if not it.startswith(below)))
    for source in gone:
        target.remove(source)
    left = tuple(sorted(others.items()))
    return Indexed(tuple(added), tuple(unchanged), gone, tuple(failed), chunks, left)


def files_of(
    folder: str | Path,
    unread: list[tuple[str, str]] | None = None,
    others: Counter[str] | None = None,
) -> dict[str, Path]:
    """Return the supported files below a folder by source, sorted, without hidden ones.

    Links that lead out of the folder are left out too. Bytes in a name that are no UTF-8 are
    escaped in its source. Unreadable folders are added to `unread`, with the reason, and the
    suffixes of other files to `others`.
    """
    root = Path(folder)
    if not root.is_dir():
        raise ConfigError(f"folder {folder} is not there, or is no folder")
    inside = root.resolve()

    def note(error: OSError) -> None:
        if unread is not None:
            unread.append((_source(Path(error.filename).relative_to(root)), str(error)))

    def is_visible(path: Path) -> bool:
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        return path.is_file() and path.resolve().is_relative_to(inside) and not hidden

    walked = os.walk(root, onerror=note)
    paths = (Path(where, name) for where, _, names in walked for name in names)
    found = {_source(path.relative_to(root)): path for path in paths if is_visible(path)}
    for source in [source for source, path in found.items() if not readable(path)]:
        del found[source]
        ending = Path(source).suffix.lower()
        if others is not None:
            others[ending if ending[1:].isalnum() else ""] += 1
    if not found:
        raise ConfigError(f"folder {folder} holds no .md, .txt, .html or .pdf file")
    return dict(sorted(found.items()))


def texts_of(path: Path, data: bytes) -> list[str]:
    """Return the passages of a file's content; raises `NoTextError` if there are none."""
    markdown = path.suffix.lower() in MARKDOWN_ENDINGS
    texts = passages_of(scalar_text(read_document(path, data)), markdown=markdown)
    if not texts:
        raise NoTextError(f"{path.name} holds no text")
    return texts


def _source(path: Path) -> str:
    return os.fsencode(path.as_posix()).decode(errors="backslashreplace")
