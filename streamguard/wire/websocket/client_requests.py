"""Keeps a client's requests in a conversation until the server answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from streamguard.wire.fields import text_at

MAX_ANSWERS = 64  # answers at once over one connection; guess, people's own stop at some ten
MAX_UNANSWERED = 1_024  # events of a client's that are remembered; guess
_ONE_RUNS = "conversation_already_has_active_response"  # the code of a refused answer
_PAST = ("", "d", "ed", "ted")  # as in "response.create" itself, "updated", "cleared", "committed"
# How the `param` or `code` of an error begins that refuses no answer.
_NO_ANSWERS = (
    "session",
    "item",
    "conversation.",
    "conversation_item",
    "audio",
    "input_audio",
    "output_audio",
    "response_cancel",
)


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """A request for an answer, and its size in bytes."""

    request: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0
    over: bool = False


class Requests:
    """A client's events that the server has not answered yet, in order.

    A server processes events in order: an error that names no event belongs to the oldest one.
    """

    def __init__(self) -> None:
        self._sent: list[tuple[str, str, ClientRequest | None]] = []  # type, the client's id for it

    @property
    def waiting(self) -> list[ClientRequest]:
        """Return the requests whose answers have not begun."""
        return [request for _, _, request in self._sent if request is not None]

    def add(self, event: Mapping[str, Any], request: ClientRequest | None = None) -> None:
        """Add an event, which may request an answer; beyond the limit it is dropped."""
        if len(self._sent) < MAX_UNANSWERED and (
            request is None or len(self.waiting) < MAX_ANSWERS
        ):
            self._sent.append((text_at(event, "type"), text_at(event, "event_id"), request))

    def done(self, kind: str) -> ClientRequest | None:
        """Drop a processed event and all before it; return the request it made, if any.

        The server reports in the past tense: "session.updated". Other events count as processed
        once a later one is.
        """
        kind = kind.replace("item.added", "item.created")
        requests = {kind.removesuffix(ending) for ending in _PAST}
        at = next((at for at, each in enumerate(self._sent) if each[0] in requests), -1)
        if at < 0:
            return None
        request = self._sent.pop(at)[2]
        self._sent[:at] = [each for each in self._sent[:at] if each[2] is not None]
        return request

    def refused(self, error: Any, *, runs: bool = False) -> bool:
        """Drop the event that an error refuses; return whether there was one.

        The error names the event, if the client named it, or its subject, or neither. `runs`: an
        answer is running, so the newest request for one is refused.
        """
        by, code = text_at(error, "event_id"), text_at(error, "code")
        others = code.startswith(_NO_ANSWERS) or text_at(error, "param").startswith(_NO_ANSWERS)
        order = [*range(len(self._sent))]
        requests = [at for at in order if self._sent[at][2] is not None]
        if by:
            found = [at for at in order if self._sent[at][1] == by]
        elif code == _ONE_RUNS:
            found = requests[-1:]
        elif others:
            found = [at for at in order if at not in requests]
        else:  # of answers asked for while one runs the newest is refused
            found = requests[-1:] if runs and order[:1] == requests[:1] else order
        if found:
            del self._sent[found[0]]
        return bool(found) or others
