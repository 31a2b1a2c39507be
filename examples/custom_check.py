"""A check of one's own: a function from a settled sentence to findings.

python examples/custom_check.py
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator

from streamguard import DEFAULT_CHECKS, Context, Finding, Scope, Sentence, guard

PROMISE = re.compile(r"\b(?:we guarantee|we promise|without any risk)\b", re.IGNORECASE)


def promise(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag promises that no passage makes in the same words."""
    folded = sentence.folded.text
    for found in PROMISE.finditer(folded):
        words = found.group().lower()
        if not any(words in chunk.text.lower() for chunk in scope.context.chunks or ()):
            yield sentence.finding(
                "promise",
                found.span(),
                check="promise",
                severity="warning",
                message=f"No passage says {words!r}.",
            )


async def answer() -> AsyncIterator[str]:
    for piece in ["The plan costs $49. ", "We guar", "antee that it ", "pays off."]:
        yield piece


async def main() -> None:
    stream = guard(
        answer(),
        context=Context(chunks=["The plan costs $49 per month."]),
        checks=DEFAULT_CHECKS.plus(promise),
        # Called while the stream still runs: to stop it here is the application's choice.
        on_finding=lambda finding: print(f"\n[{finding.flag}] {finding.message}"),
    )
    async with stream:
        async for piece in stream.items():
            print(piece, end="")
    print("\nflags:", ", ".join(stream.result.flags))


if __name__ == "__main__":
    asyncio.run(main())
