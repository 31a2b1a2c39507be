"""The options in a request's headers: the annotation's form and detail, live ones, a context."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import cast, get_args

from streamguard.core.machine.holding import Hold
from streamguard.core.model.result import Annotation
from streamguard.errors import ConfigError
from streamguard.server.headers import (
    CONTEXT_HEADER,
    DETAIL_HEADER,
    FORM_HEADER,
    HOLD_HEADER,
    JUDGE_HEADER,
    LIVE_HEADER,
)
from streamguard.wire.dialect import FORMS, Form
from streamguard.wire.serialising import DETAILS, MAX_ANNOTATION_BYTES, Detail, in_band

_SWITCH = {"": False, "0": False, "false": False, "no": False, "1": True, "true": True, "yes": True}


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """The options of one request; with `form` None the answer's protocol decides.

    `judge`: whether the upstream shall judge its own answer, None if unspecified. `hold` applies if
    it is stricter than the policy's.
    """

    form: Form | None = None
    live: bool = False
    context_id: str | None = None
    judge: bool | None = None
    hold: Hold | None = None
    detail: Detail = "full"
    max_annotation_bytes: int = MAX_ANNOTATION_BYTES

    def in_band(self, annotation: Annotation) -> str:
        """Return the annotation as text for the stream."""
        return in_band(annotation, self.max_annotation_bytes, self.detail)


@dataclass(frozen=True, slots=True)
class Forms:
    """The default form of annotations (None: the protocol's own), and the forms allowed.

    `max_annotation_bytes`: the longest annotation in an answer; parts of a longer one are omitted
    there.
    """

    default: Form | None = None
    allowed: Collection[Form] = FORMS
    max_annotation_bytes: int = MAX_ANNOTATION_BYTES

    def named(self, name: str) -> Form:
        """Return the form of that name; raises `ConfigError` if requests may not choose it."""
        if name not in self.allowed:
            allowed = ", ".join(form for form in FORMS if form in self.allowed)
            raise ConfigError(f"{FORM_HEADER} is {name!r}, expected one of {allowed}")
        return cast("Form", name)


def as_forms(forms: Forms | Form | None) -> Forms:
    """Return `forms` as `Forms`; a name becomes the default form, with all allowed.

    Raises `ConfigError` for an unknown name or type.
    """
    if forms is None or isinstance(forms, Forms):
        return forms or Forms()
    if forms not in FORMS:
        raise ConfigError(f"forms is {forms!r}, expected one of {', '.join(FORMS)}, or Forms")
    return Forms(default=forms)


def read_options(
    headers: Mapping[str, str], query: Mapping[str, str], forms: Forms
) -> RequestOptions:
    """Return the options in `headers`, or in `query` where `headers` have none.

    Raises `ConfigError` for a form that is not allowed, or an unknown detail or switch.
    """

    def value_of(name: str) -> str | None:
        value = headers.get(name, query.get(name))
        return None if value is None else value.strip()

    form, live = value_of(FORM_HEADER), (value_of(LIVE_HEADER) or "").lower()
    judge = value_of(JUDGE_HEADER)
    for name, switch in ((LIVE_HEADER, live), (JUDGE_HEADER, (judge or "").lower())):
        if switch not in _SWITCH:
            raise ConfigError(f"{name} is {switch!r}, expected 1 or 0")
    detail = (value_of(DETAIL_HEADER) or "full").lower()
    if detail not in DETAILS:
        raise ConfigError(f"{DETAIL_HEADER} is {detail!r}, expected one of {', '.join(DETAILS)}")
    hold = value_of(HOLD_HEADER)
    if hold is not None and hold.lower() not in get_args(Hold):
        raise ConfigError(f"{HOLD_HEADER} is {hold!r}, expected one of {', '.join(get_args(Hold))}")
    return RequestOptions(
        form=forms.default if form is None else forms.named(form.lower()),
        live=_SWITCH[live],
        context_id=value_of(CONTEXT_HEADER),
        judge=None if judge is None else _SWITCH[judge.lower()],
        hold=None if hold is None else cast("Hold", hold.lower()),
        detail=detail,
        max_annotation_bytes=forms.max_annotation_bytes,
    )
