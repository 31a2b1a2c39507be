"""The pages that the documentation shows, in a real browser."""

import json
import shutil
import socket
import threading
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import FileResponse, StreamingResponse
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from streamguard import Context, guard
from tests.kit.documents import ROOT, blocks
from tests.test_examples import loaded

PASSAGE = "The Basic plan costs $49 per month and includes one seat."
FOUND = "“$59 per month”"


@contextmanager
def served(app):
    """Serve an application on a free port of this machine; give its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # who asks before the server has started waits
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ROOT / "examples/browser_page.html", tmp_path / "index.html")
    shutil.copy(ROOT / "js/streamguard.js", tmp_path)
    return tmp_path


def test_the_modules_example_page_underlines_the_sentence_and_says_why(folder, new_page):
    app = loaded("fastapi_app").app
    app.mount("/", StaticFiles(directory=folder, html=True))
    with served(app) as address:
        page = new_page(address, ready="form")
        page.click("button")
        page.wait_for_selector("#findings li")
        assert page.inner_text("#answer") == (
            "The Basic plan costs $59 per month. It includes one seat."
        )
        assert page.inner_text("#status") == "WARN"
        assert FOUND in page.inner_text("#findings")
        marked = "[...CSS.highlights.get('found')].map((range) => range.toString())"
        assert page.evaluate(marked) == ["The Basic plan costs $59 per month."]


def test_the_tutorials_page_marks_the_price(tmp_path, new_page):
    (html,) = [block for block in blocks("docs/tutorial.md") if block.language == "html"]
    (tmp_path / "index.html").write_text(html.text, encoding="utf-8")

    async def model():
        for piece in ["🎉 The Basic plan ", "costs $59 per month. ", "It includes one seat."]:
            yield piece

    async def events(question):
        async with guard(model(), context=Context(query=question, chunks=[PASSAGE])) as stream:
            async for piece in stream.items():
                yield f"data: {json.dumps({'text': piece})}\n\n"
        yield f"event: verdict\ndata: {json.dumps(stream.result.to_dict())}\n\n"

    async def ask(request):
        question = request.query_params["question"]
        return StreamingResponse(events(question), media_type="text/event-stream")

    async def index(_request):
        return FileResponse(tmp_path / "index.html")

    with served(Starlette(routes=[Route("/", index), Route("/ask", ask)])) as address:
        page = new_page(address, ready="form")
        page.click("button")
        page.wait_for_selector("mark")
        assert page.inner_text("mark") == "$59 per month"
        assert page.inner_text("#answer").startswith("🎉 The Basic plan costs $59 per month.")
        assert page.inner_text("#verdict").startswith("WARN: ")
