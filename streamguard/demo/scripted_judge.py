"""A judge for the demo: a loopback server with a scripted verdict on one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aiohttp import web

NAME: Final = "scripted"
# Its scripted replies, by the words of a sentence: verdict, confidence, words of a passage.
_VERDICTS: Final = {
    "Theft and damage by water are part of the": (
        "contradicted",
        0.97,
        "damage by water is not insured",
    ),
}


def make_app() -> web.Application:
    """Return the server; it reads the judge's real requests and speaks Chat Completions."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", _answer)
    return app


async def _answer(request: web.Request) -> web.Response:
    prompt = json.loads((await request.json())["messages"][-1]["content"])
    content = json.dumps({"verdicts": [*map(_verdict, prompt["sentences"])]})
    return web.json_response({"choices": [{"message": {"content": content}}]})


def _verdict(sentence: Mapping[str, Any]) -> dict[str, Any]:
    text = sentence["text"]
    known = (verdict for words, verdict in _VERDICTS.items() if words in text)
    word, confidence, quote = next(known, ("not_mentioned", 0.5, ""))
    quotes: Sequence[str] = [quote] if quote else []
    return {"id": sentence["id"], "verdict": word, "confidence": confidence, "quotes": quotes}
