"""Amazon Bedrock's ConverseStream: the text in an event, and the event that ends the answer.

The events are those of botocore's `response["stream"]`. They come as signed binary frames, so none
can carry an annotation.
"""

from __future__ import annotations

from typing import Any

from streamguard.wire.fields import field, text_at

EVENTS = ("messageStart", "contentBlockStart", "contentBlockDelta")  # any may be the first one


def text_of(event: Any) -> dict[int, str]:
    """Return the text of a delta as choice 0; thoughts and arguments are not text."""
    text = text_at(event, "contentBlockDelta", "delta", "text")
    return {0: text} if text else {}


def finished(event: Any) -> set[int]:
    """Return choice 0 where `event` says that the answer stopped."""
    return set() if field(event, "messageStop") is None else {0}
