"""Optional libraries."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from streamguard.errors import ConfigError, lacking


def library(name: str, extra: str) -> Any:
    """Return the module `name`; raises `ConfigError` that names the extra if it is missing."""
    try:
        return import_module(name)
    except ImportError as exc:
        raise ConfigError(lacking(exc.name or name, extra)) from exc
