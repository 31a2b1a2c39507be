"""A Starlette application whose answers stream as server-sent events, each sentence checked.

    pip install starlette uvicorn
    uvicorn --app-dir examples starlette_app:app
    curl -N 'http://127.0.0.1:8000/ask?question=What+does+the+Basic+plan+cost&streamguard-live=1'

Without `streamguard-live=1` the verdict comes alone, at the end.
"""

import json
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Mount, Route

from streamguard import Context
from streamguard.server.asgi import StreamGuardMiddleware, provide_context, results_app
from streamguard.server.store import ResultStore

PASSAGES = ["The Basic plan costs $49 per month and includes one seat."]


async def model(question: str) -> AsyncIterator[str]:
    """Stand in for a model: any async iterator of text does."""
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


async def events(question: str) -> AsyncIterator[str]:
    async for piece in model(question):
        yield f"data: {json.dumps(piece)}\n\n"


async def ask(request: Request) -> StreamingResponse:
    question = request.query_params.get("question", "")
    provide_context(request, Context(query=question, chunks=PASSAGES))
    return StreamingResponse(events(question), media_type="text/event-stream")


store = ResultStore()
app = Starlette(
    routes=[Route("/ask", ask), Mount("/streamguard/results", results_app(store))],
    # The front end is one's own: it may be sent an event that others would take for text.
    middleware=[Middleware(StreamGuardMiddleware, store=store, forms="event")],
)
