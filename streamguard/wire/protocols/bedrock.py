"""Amazon Bedrock's ConverseStream: where the text is in an event, and which one ends the answer.

The events are those that `response["stream"]` of botocore gives. They come as signed binary frames,
so nothing of ours can ride in them.
"""

from __future__ import annotations

from typing import Any

from streamguard.wire.fields import field, text_at

EVENTS = ("messageStart", "contentBlockStart", "contentBlockDelta")  # any may be the first one


def text_of(event: Any) -> dict[int, str]:
    """Return the text of a delta as choice 0; thoughts and arguments are none."""
    text = text_at(event, "contentBlockDelta", "delta", "text")
    return {0: text} if text else {}


def finished(event: Any) -> set[int]:
    """Return choice 0 where `event` says that the answer stopped."""
    return set() if field(event, "messageStop") is None else {0}
