"""An aiohttp application whose answers stream as server-sent events, each sentence checked.

python examples/aiohttp_app.py
curl -N 'http://127.0.0.1:8080/ask?question=What+does+the+Basic+plan+cost'
"""

from collections.abc import AsyncIterator

from aiohttp import web

from streamguard import Context, guard
from streamguard.server.aiohttp import add_results, stream_sse
from streamguard.server.request_options import Forms
from streamguard.server.store import ResultStore

PASSAGES = ["The Basic plan costs $49 per month and includes one seat."]
FORMS = Forms("event")  # the front end is one's own: others would take the event for text

store = ResultStore()


async def model(question: str) -> AsyncIterator[str]:
    """Stand in for a model: any async iterator of strings or OpenAI chunks does."""
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


async def ask(request: web.Request) -> web.StreamResponse:
    question = request.query.get("question", "")
    context = Context(query=question, chunks=PASSAGES)
    stream = guard(model(question), context=context, live=True)
    return await stream_sse(request, stream, forms=FORMS, store=store)


def make_app() -> web.Application:
    app = web.Application()
    app.router.add_get("/ask", ask)
    add_results(app, store)
    return app


if __name__ == "__main__":
    # A client that leaves cancels its handler, and the guard then closes the model's stream.
    web.run_app(make_app(), host="127.0.0.1", port=8080, handler_cancellation=True)
