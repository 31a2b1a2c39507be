"""An aiohttp application whose answers stream as server-sent events, each sentence checked.

python examples/aiohttp_app.py
curl -N 'http://127.0.0.1:8080/ask?question=What+does+the+Basic+plan+cost'
"""

import json
from collections.abc import AsyncIterator

from aiohttp import web

from streamguard import Annotation, Context, SentenceAnnotation, guard

PASSAGES = ["The Basic plan costs $49 per month and includes one seat."]


async def model(question: str) -> AsyncIterator[str]:
    """Stand in for a model: any async iterator of strings or OpenAI chunks does."""
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


async def ask(request: web.Request) -> web.StreamResponse:
    question = request.query.get("question", "")
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    context = Context(query=question, chunks=PASSAGES)
    async with guard(model(question), context=context, live=True) as stream:
        async for item in stream:
            await response.write(event(item))
    return response


def event(item: str | SentenceAnnotation | Annotation) -> bytes:
    if isinstance(item, Annotation):
        return f"event: result\ndata: {item.to_json()}\n\n".encode()
    if isinstance(item, SentenceAnnotation):
        return f"event: sentence\ndata: {item.to_json()}\n\n".encode()
    return f"data: {json.dumps(item)}\n\n".encode()


def make_app() -> web.Application:
    app = web.Application()
    app.router.add_get("/ask", ask)
    return app


if __name__ == "__main__":
    # A client that leaves cancels its handler, and the guard then closes the model's stream.
    web.run_app(make_app(), host="127.0.0.1", port=8080, handler_cancellation=True)
