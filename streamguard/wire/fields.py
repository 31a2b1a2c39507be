"""Read a parsed frame and an SDK's object alike: one code path for both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def field(owner: Any, name: str) -> Any:
    """Return the key or the attribute `name` of `owner`, None where it has none."""
    return owner.get(name) if isinstance(owner, Mapping) else getattr(owner, name, None)


def text_at(owner: Any, *names: str) -> str:
    """Return the string at the end of a path of fields, an empty one where there is none."""
    for name in names:
        owner = field(owner, name)
    return owner if isinstance(owner, str) else ""


def items(owner: Any, name: str) -> tuple[Any, ...]:
    """Return the elements of the list in `name`, none where it is no list."""
    found = field(owner, name)
    return tuple(found) if isinstance(found, list | tuple) else ()


def filled(frame: Mapping[str, Any], name: str, kind: type, otherwise: Any) -> Any:
    """Return the value of `name` if it is of that kind and not empty, else `otherwise`."""
    value = frame.get(name)
    return value if isinstance(value, kind) and value else otherwise
