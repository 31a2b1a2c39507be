"""For clients of our servers: recognises the guard's annotation in a stream or answer.

It imports nothing of the package, and reads the objects of SDKs and parsers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["ID_HEADER", "annotation_of", "browser_files"]

ID_HEADER = "x-streamguard-id"

_KEY = "streamguard"
_OWNERS = ("response", "messageMetadata", "metadata")
_OBJECTS = ("streamguard.result", "streamguard.sentence")


def annotation_of(item: Any, id: str | None) -> dict[str, Any] | None:
    """Return the annotation, or live sentence, that an item of a stream carries, else None.

    `item`: an SDK's object, or the parsed JSON of a frame, a line or a complete answer. The
    annotation may be its key `streamguard`, the same key inside `response` (Responses),
    `messageMetadata` and `metadata` (UI messages and their `finish`), the `data` of a UI message
    part, or the item itself.

    `id`: the response header `x-streamguard-id`. An annotation with another id is ignored: the
    model's server may forge one in the same place, and its bytes are never changed. The header is
    always the guard's; without one (None) the result is None.
    """
    if not id:
        return None
    owned = (_at(_at(item, name), _KEY) for name in _OWNERS)
    for place in (item, _at(item, _KEY), _at(item, "data"), *owned):
        if isinstance(place, dict) and place.get("object") in _OBJECTS and place.get("id") == id:
            return place
    return None


def browser_files() -> Path:
    """Return the folder with `streamguard.js`, its types `streamguard.d.ts` and its README.

    In an installed package `streamguard/browser`, in a checkout `js`.
    """
    here = Path(__file__).parent
    installed = here / "browser"
    return installed if installed.is_dir() else here.parent / "js"


def _at(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
