"""Hold a stream back and keep what must not leave out of it: no server, no key.

    python examples/hold.py

The same answer passes four times, at 50 tokens a second and in one burst: as it is, stopped in
front of the wrong price, with other text in its place, and masked.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from time import perf_counter

from streamguard import Context, Finding, Policy, guard

CONTEXT = Context(
    query="What do the plans cost, and whom can I ask?",
    chunks=[{"id": "plans", "text": "Basic costs €49 a month, Business €149. Ask the sales team."}],
)
ANSWER = "Basic costs €49 a month. Business costs €159 a month. Ask ann@corp.example."


async def model(tokens_per_s: float | None) -> AsyncIterator[str]:
    """Stand in for a model's stream."""
    for token in ANSWER.split(" "):
        if tokens_per_s is not None:
            await asyncio.sleep(1 / tokens_per_s)
        yield token if token == "Basic" else f" {token}"


def corrected(finding: Finding) -> str:
    """Return what takes the place of a price that the passages do not hold."""
    nearest = finding.nearest.value if finding.nearest else "nothing of the kind"
    return f"(The documents say {nearest}, not {finding.value}.)"


async def show(on_violation: str, tokens_per_s: float | None) -> None:
    """Print what leaves of the answer, and when the first of it does."""
    policy = Policy.preset(
        "moderate", hold="sentence", on_violation=on_violation, block=("unsupported_price", "pii")
    )
    began, first, text = perf_counter(), None, ""
    stream = guard(model(tokens_per_s), context=CONTEXT, policy=policy, replace_with=corrected)
    async with stream:
        async for piece in stream.items():
            first = first or perf_counter() - began
            text += piece
    report = stream.annotation.hold
    blocked = ", ".join(span.check for span in report.blocked) if report else ""
    print(f"{on_violation:9} {1000 * (first or 0):5.0f} ms  {text}   [{blocked}]")


async def main() -> None:
    """Show every way, slow and fast."""
    for tokens_per_s in (50.0, None):
        print("in one burst" if tokens_per_s is None else f"{tokens_per_s:g} tokens a second")
        for on_violation in ("annotate", "stop", "replace", "mask"):
            await show(on_violation, tokens_per_s)


if __name__ == "__main__":
    asyncio.run(main())
