"""Libraries that only some installations have."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from streamguard.errors import ConfigError, lacking


def library(name: str, extra: str) -> Any:
    """Return the module `name`; `ConfigError` that names the extra where it is not installed."""
    try:
        return import_module(name)
    except ImportError as exc:
        raise ConfigError(lacking(exc.name or name, extra)) from exc
