"""A Starlette application whose answers stream as server-sent events, each sentence checked.

    pip install starlette uvicorn
    uvicorn --app-dir examples starlette_app:app
    curl -N 'http://127.0.0.1:8000/ask?question=What+does+the+Basic+plan+cost'

A guarded stream is an async iterator: a streaming response takes it as it takes any other.
"""

import json
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from streamguard import Annotation, Context, SentenceAnnotation, guard

PASSAGES = ["The Basic plan costs $49 per month and includes one seat."]


async def model(question: str) -> AsyncIterator[str]:
    """Stand in for a model: any async iterator of strings or OpenAI chunks does."""
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


async def events(question: str) -> AsyncIterator[str]:
    context = Context(query=question, chunks=PASSAGES)
    async with guard(model(question), context=context, live=True) as stream:
        async for item in stream:
            if isinstance(item, Annotation):
                yield f"event: result\ndata: {item.to_json()}\n\n"
            elif isinstance(item, SentenceAnnotation):
                yield f"event: sentence\ndata: {item.to_json()}\n\n"
            else:
                yield f"data: {json.dumps(item)}\n\n"


async def ask(request: Request) -> StreamingResponse:
    question = request.query_params.get("question", "")
    return StreamingResponse(events(question), media_type="text/event-stream")


app = Starlette(routes=[Route("/ask", ask)])
