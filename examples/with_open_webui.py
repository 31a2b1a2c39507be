"""Run the filter function for Open WebUI the way Open WebUI runs it.

    pip install -e .
    python examples/with_open_webui.py

To use it, paste `streamguard/integrations/open_webui.py` under Admin Panel, Functions.
"""

import asyncio
from typing import Any

from fake_model import ANSWER, PASSAGE, QUESTION

from streamguard.integrations.open_webui import Filter


async def emit(event: dict[str, Any]) -> None:
    """Stand in for the status lines below a message."""
    print(event["data"]["description"])


async def main() -> None:
    sources = [{"source": {"name": "plans.md"}, "document": [PASSAGE]}]
    messages = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": ANSWER, "sources": sources},
    ]
    print(ANSWER)
    await Filter().outlet({"id": "m-1", "messages": messages}, __event_emitter__=emit)


if __name__ == "__main__":
    asyncio.run(main())
