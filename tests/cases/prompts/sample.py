"""What one sample prompt is, and when it counts as read."""

from dataclasses import dataclass

MAX_HEAD_CHARS = 120  # a title, a score or a file name may stay with its passage


@dataclass(frozen=True)
class Sample:
    """`passages`: the words each passage must hold, and little else; None where none may count.

    `template` is the one that its application declares.
    """

    name: str
    messages: list[dict]
    passages: tuple[str, ...] | None
    question: str
    cited: bool = False
    template: str | None = None


def system(text):
    return {"role": "system", "content": text}


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def squeezed(text):
    return " ".join((text or "").split())


def misread(sample, context):
    """Return what of a sample was read wrong: nothing where all of it was read right."""
    wrong = []
    chunks = None if context.chunks is None else [squeezed(c.text) for c in context.chunks]
    if sample.passages is None or chunks is None:
        if (sample.passages is None) != (not chunks):
            wrong.append(f"passages: {chunks}")
    elif len(chunks) != len(sample.passages) or not all(
        squeezed(words) in chunk and len(chunk) <= len(squeezed(words)) + MAX_HEAD_CHARS
        for words, chunk in zip(sample.passages, chunks, strict=True)
    ):
        wrong.append(f"passages: {chunks}")
    if squeezed(context.query) != squeezed(sample.question):
        wrong.append(f"question: {context.query!r}")
    if context.citations_requested != sample.cited:
        wrong.append(f"citations requested: {context.citations_requested}")
    return wrong
