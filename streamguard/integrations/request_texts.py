"""Applies a policy's packs to the texts of a request before a model gets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from streamguard.core.checks import Checks
from streamguard.core.machine.holding import is_blocked
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Finding
from streamguard.core.packs.hiding import SENSITIVE
from streamguard.stream_sync import guard_sync

# Where the protocols have the messages to a model.
TEXT_KEYS = ("system", "instructions", "prompt", "input", "messages", "contents")
# Strings that are no text: names of things, places, media.
_NO_TEXT = frozenset(
    {
        "role",
        "type",
        "id",
        "name",
        "tool_call_id",
        "call_id",
        "tool_use_id",
        "item_id",
        "model",
        "status",
        "url",
        "image_url",
        "file_id",
        "file_data",
        "file_url",
        "data",
        "media_type",
        "mime_type",
        "mimeType",
        "fileUri",
        "file_uri",
        "detail",
        "format",
        "signature",
        "thoughtSignature",
        "encrypted_content",
    }
)
# The arguments of tools, in which every key is the application's own.
_ARGUMENTS = frozenset({"input", "arguments", "args", "response"})
_MAX_PASSES = 100  # of one text: each finds a thousand matches at most
_PACKS = frozenset({"secrets", "pii", "regex"})
_OF_ANSWERS = frozenset({"link", "unknown_link", "language", "other_language"})
_NO_CHECKS = Checks(verdicts=False)
_FAILURES = frozenset({"check_error", "limit_reached"})
Change = Callable[[str, str], str]  # of a text and its place


@dataclass(frozen=True, slots=True)
class Noticed:
    """A match in a request: its place, the pack that found it, and its placeholder, if any."""

    where: str
    flag: str
    check: str
    shown: str | None
    blocked: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the match as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """A checked request; in `request` matches are masked if the policy masks.

    `rejected`: it must not be sent. It holds no match in its original form: `noticed` has
    placeholders.
    """

    request: dict[str, Any]
    noticed: tuple[Noticed, ...]
    rejected: bool
    masked: bool

    @property
    def reason(self) -> str:
        """Why it was rejected: kinds and places, without any of its text."""
        kinds = dict.fromkeys((one.check, one.where) for one in self.noticed if one.blocked)
        found = ", ".join(f"{check} in {where}" for check, where in kinds)
        return f"streamguard rejected the request: {found}"

    def to_dict(self) -> dict[str, Any]:
        """Return the facts about it as JSON values, without any of its text."""
        action = "masked" if self.masked else "none"
        if self.rejected:
            action = "rejected"
        noticed = [one.to_dict() for one in self.noticed]
        return {"object": "streamguard.request", "action": action, "findings": noticed}


def checked_request(request: Mapping[str, Any], policy: Policy) -> CheckedRequest:
    """Apply the packs `secrets`, `pii` and `regex` of the policy to the texts of a request.

    Matches that `block` names are masked if the policy masks, and reject the request if it stops or
    replaces; a failed check rejects it with `hold_fails="closed"`. Other matches are only reported.
    The request comes back as a new dict, in which only the masked parts are copies. Raises
    `ConfigError` for a pack that cannot be read.
    """
    applied = _of_request(policy)
    noticed: list[Noticed] = []
    if not applied.running_packs:
        return CheckedRequest(dict(request), (), rejected=False, masked=False)

    def change(text: str, where: str) -> str:
        masked, found = _examined(text, applied)
        noticed.extend(_noticed(one, where, policy) for one in found)
        return masked

    made = {
        key: _changed(value, key, change) if key in TEXT_KEYS else value
        for key, value in request.items()
    }
    acts = policy.on_violation != "annotate" and any(one.blocked for one in noticed)
    failed = any(one.blocked and one.flag in _FAILURES for one in noticed)
    rejected = acts and (failed or policy.on_violation != "mask")
    request = dict(request) if rejected else made
    return CheckedRequest(request, tuple(noticed), rejected, masked=acts and not rejected)


def _of_request(policy: Policy) -> Policy:
    """Return the part of the policy that applies to requests, which have no passages."""
    block = tuple(one for one in policy.block if one.partition(":")[0] not in _OF_ANSWERS)
    packs = tuple(one for one in policy.packs if one.partition(":")[0] in _PACKS)
    masks = policy.on_violation == "mask" and bool(block)
    holds = {"hold": "answer", "on_violation": "mask"}
    passes = {"hold": "off", "on_violation": "annotate"}
    return policy.model_copy(
        update={"block": block, "packs": packs, "hold_fails": "open", "validation_enabled": True}
        | (holds if masks else passes)
    )


def _examined(text: str, policy: Policy) -> tuple[str, list[Finding]]:
    """Return a masked text, and its findings."""
    found: list[Finding] = []
    for _ in range(_MAX_PASSES):
        with guard_sync(iter([text]), policy=policy, checks=_NO_CHECKS) as stream:
            masked = "".join(stream.items())
        more = [one for one in stream.result.findings if one.flag != "limit_reached"]
        found += more
        is_whole = len(more) == len(stream.result.findings)
        if is_whole or masked == text:
            found += [one for one in stream.result.findings if one.flag == "limit_reached"]
            return masked, found
        text = masked
    return text, found


def _noticed(finding: Finding, where: str, policy: Policy) -> Noticed:
    failed = finding.flag in _FAILURES and policy.hold_fails == "closed"
    blocked = failed or is_blocked(finding, policy.block)
    shown = finding.value if finding.flag in SENSITIVE else None
    return Noticed(where, finding.flag, finding.check, shown, blocked)


def _changed(value: Any, where: str, change: Change, *, whole: bool = False) -> Any:
    """Return a value with its texts changed; the same value if none was.

    `whole`: all its strings count as text, whatever their keys.
    """
    if isinstance(value, str):
        return change(value, where) if value else value
    made: Any
    if isinstance(value, dict):
        made = {}
        for key, part in value.items():
            if key in _NO_TEXT and not whole:
                made[key] = part
                continue
            is_all = whole or (key in _ARGUMENTS and isinstance(part, dict))
            made[key] = _changed(part, f"{where}.{key}", change, whole=is_all)
        return made if any(made[key] is not part for key, part in value.items()) else value
    if isinstance(value, (list, tuple)):
        made = [
            _changed(part, f"{where}[{number}]", change, whole=whole)
            for number, part in enumerate(value)
        ]
        return made if any(new is not old for new, old in zip(made, value, strict=True)) else value
    return value
