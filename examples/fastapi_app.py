"""A FastAPI application whose answers stream as server-sent events, with the verdict at the end.

    pip install fastapi uvicorn
    uvicorn --app-dir examples fastapi_app:app
    curl -N -H 'Content-Type: application/json' http://127.0.0.1:8000/ask \
        -d '{"question": "What does the Basic plan cost?"}'

The middleware reads what passes; a handler only says what its answer rests on.
"""

from collections.abc import AsyncIterable, AsyncIterator

from fastapi import FastAPI, Request
from fastapi.sse import EventSourceResponse
from pydantic import BaseModel

from streamguard import Context
from streamguard.server.asgi import StreamGuardMiddleware, provide_context, results_app
from streamguard.server.store import ResultStore

PASSAGES = ["The Basic plan costs $49 per month and includes one seat."]

store = ResultStore()
app = FastAPI()
# The front end is one's own: it may be sent an event that others would take for text.
app.add_middleware(StreamGuardMiddleware, store=store, forms="event")
app.mount("/streamguard/results", results_app(store))


class Question(BaseModel):
    question: str


async def model(question: str) -> AsyncIterator[str]:
    """Stand in for a model: any async iterator of text does."""
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


@app.post("/ask", response_class=EventSourceResponse)
async def ask(asked: Question, request: Request) -> AsyncIterable[str]:
    provide_context(request, Context(query=asked.question, chunks=PASSAGES))
    async for piece in model(asked.question):
        yield piece
