"""A whole answer in JSON: which protocol it speaks, and the same bytes with the annotation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamguard.errors import DecodeError
from streamguard.server.checking import Checking
from streamguard.wire.dialect import IN_BAND, Dialect, Form
from streamguard.wire.dialects import of_answer
from streamguard.wire.json_bytes import with_key
from streamguard.wire.reader import KEY, read_frame

MAX_ANSWER_BYTES = 33_554_432  # as for request bodies; longer answers are relayed unchecked


@dataclass(frozen=True, slots=True)
class JSONAnswer:
    """An answer in one piece and the protocol it speaks."""

    dialect: Dialect
    texts: Mapping[int, str]


def of_json(path: str, body: bytes) -> JSONAnswer | None:
    """Return the answer that `body` is; None for what is no JSON, or no answer.

    `path` is the request's; where it is that of a protocol, the answer must be one of it.
    """
    try:
        frame: Mapping[str, Any] = read_frame(body.decode())
    except (DecodeError, UnicodeDecodeError):
        return None
    dialect = of_answer(path, frame)
    texts = dialect.answer(frame) if dialect is not None else None
    return None if dialect is None or texts is None else JSONAnswer(dialect, texts)


async def checked(
    body: bytes, answer: JSONAnswer | None, checking: Checking, form: Form | None
) -> bytes:
    """Check an answer; return `body`, with the annotation as its last key where it rides in it."""
    if answer is None:
        return body
    checking.dialect = answer.dialect.name
    await checking.examine_texts(answer.texts)
    annotation = await checking.conclude("complete")
    if answer.dialect.form(form) not in IN_BAND:
        return body
    return with_key(body, KEY, annotation.to_json())
