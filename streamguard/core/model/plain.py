"""What values and models have in common: they say themselves as plain data."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python


class Plain:
    """Base of the frozen values in a result."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values: what the result's JSON holds in this place.

        A metadata value that JSON does not know is written as its `str`.
        """
        values: dict[str, Any] = to_jsonable_python(self, fallback=str)
        return values

    def model_dump(self) -> dict[str, Any]:
        """Return what `to_dict` does, under the name that pydantic's models have for it."""
        return self.to_dict()


class Model(BaseModel):
    """Base of what crosses the boundary."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return self.model_dump(mode="json")

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Leave types out of the signature: spelt out with their ranges they fill a screen."""
        fields = cls.model_fields.items()
        shown = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_default(field))
            for name, field in fields
        ]
        setattr(cls, "__signature__", inspect.Signature(shown))  # noqa: B010 -- mypy knows none


class _Short:
    """Stands for a default that is long or worked out."""

    def __repr__(self) -> str:
        return "..."


_LONG = 60  # characters of a default's repr; guess, most of a line


def _default(field: Any) -> Any:
    if field.is_required():
        return inspect.Parameter.empty
    known = field.default_factory is None and len(repr(field.default)) <= _LONG
    return field.default if known else _Short()
