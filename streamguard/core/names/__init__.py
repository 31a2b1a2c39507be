"""Proper names: how they are written, and which of them the sources hold."""

from __future__ import annotations

from streamguard.core.names.index import NameIndex, NameMatch, untitled
from streamguard.core.names.reading import (
    NAME_PATTERN,
    Name,
    literal_names,
    lone_names,
    read_names,
    tokens_of,
)

__all__ = [
    "NAME_PATTERN",
    "Name",
    "NameIndex",
    "NameMatch",
    "literal_names",
    "lone_names",
    "read_names",
    "tokens_of",
    "untitled",
]
