"""Checks output paths before a command's long work."""

from __future__ import annotations

import os
from pathlib import Path

from streamguard.errors import ConfigError


def output_file(flag: str, path: str | None) -> Path | None:
    """Return the file that `flag` names, None for none.

    Raises `ConfigError` if it is not writable.
    """
    if path is None:
        return None
    file = Path(path)
    if file.is_dir() or not file.parent.is_dir():
        raise ConfigError(f"{flag} is {path!r}, expected a file in a folder that is there")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ConfigError(f"{flag} is {path!r}, which may not be written")
    return file


def output_folder(flag: str, path: str | None) -> Path | None:
    """Return the folder that `flag` names, created if missing, None for none.

    Raises `ConfigError` if it cannot be created.
    """
    if path is None:
        return None
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise ConfigError(f"{flag} is {path!r}, which cannot be made: {exc.strerror}") from exc
    return folder
