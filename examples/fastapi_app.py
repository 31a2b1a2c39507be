"""A FastAPI application whose answers stream as server-sent events, with the verdict at the end.

    pip install fastapi uvicorn
    uvicorn --app-dir examples fastapi_app:app
    curl -N -H 'Content-Type: application/json' http://127.0.0.1:8000/ask \
        -d '{"question": "What does the Basic plan cost?"}'
"""

import json
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from streamguard import Annotation, Context, guard

PASSAGES = ["The Basic plan costs $49 per month and includes one seat."]

app = FastAPI()


class Question(BaseModel):
    question: str


async def model(question: str) -> AsyncIterator[str]:
    """Stand in for a model: any async iterator of strings or OpenAI chunks does."""
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


async def events(question: str) -> AsyncIterator[str]:
    context = Context(query=question, chunks=PASSAGES)
    async with guard(model(question), context=context) as stream:
        async for item in stream:
            if isinstance(item, Annotation):
                yield f"event: result\ndata: {item.to_json()}\n\n"
            else:
                yield f"data: {json.dumps(item)}\n\n"


@app.post("/ask")
async def ask(asked: Question) -> StreamingResponse:
    return StreamingResponse(events(asked.question), media_type="text/event-stream")
