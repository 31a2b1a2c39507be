"""Stores behind an address; run with `pytest -m stores` where they are installed.

Chroma's server is the program of its package. Qdrant's is none of Python's: its client speaks over
HTTP to a server made here of the client's own local mode, which answers as the client's models
have it. That shows address, key, errors and what is sent, not what Qdrant itself would do.
"""

import gc
import json
import socket
import subprocess
import sys
import threading
import warnings
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError, UpstreamError
from streamguard.rag.embeddings import lexical_embedding
from streamguard.rag.gate import assess, policy_for
from streamguard.rag.indexing import index_folder
from streamguard.rag.opening import open_store, open_target
from tests.test_stores import ALL, IGNORED, QUESTION, VECTORS, fill_chroma, library

pytestmark = [
    pytest.mark.stores,
    *(pytest.mark.filterwarnings(f"ignore::{kind.__name__}") for kind in IGNORED),
]

PATIENCE_S = 30.0  # what does not come by then never comes
KEY = "sk-store-secret"
CHROMA = {
    "cosine": ("cosine", ALL),
    "squared": ("l2", ALL),
    "product": ("ip", ALL),
    "few": ("cosine", ("between",)),
    "empty": ("cosine", ()),
}
QDRANT = {"cosine": "COSINE", "squared": "EUCLID", "product": "DOT"}


@pytest.fixture(autouse=True)
def _clients_let_go_here():
    """Collect what the clients leave open, lest a later test is blamed for it."""
    yield
    if {"chromadb", "qdrant_client"} & set(sys.modules):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gc.collect()


@pytest.fixture(scope="module")
def chroma(tmp_path_factory):
    """The address of a Chroma server over a filled folder."""
    library("chroma")
    program = Path(sys.executable).with_name("chroma")
    if not program.exists():
        pytest.skip("the chroma program is not installed")
    folder = tmp_path_factory.mktemp("chroma")
    fill_chroma(folder, CHROMA)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = ["--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(
        [str(program), "run", "--path", str(folder), *address],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, server)
        yield f"chroma:http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def _wait_for(port, server):
    """Return once the port is open, which takes the server a moment."""
    for _ in range(int(PATIENCE_S / 0.05)):
        assert server.poll() is None, "the server ended"
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            with pytest.raises(subprocess.TimeoutExpired):
                server.wait(0.05)
        else:
            return
    raise AssertionError("the server does not answer")


@pytest.fixture(scope="module")
def qdrant():
    """The address of Qdrant's local mode behind HTTP, filled; it asks for a key."""
    client = library("qdrant")
    from qdrant_client import models

    local = client.QdrantClient(":memory:", force_disable_check_same_thread=True)
    for name, distance in QDRANT.items():
        params = models.VectorParams(size=2, distance=models.Distance[distance])
        local.create_collection(name, vectors_config=params)
        points = [
            models.PointStruct(
                id=number, vector=VECTORS[text], payload={"text": text, "source": f"{text}.md"}
            )
            for number, text in enumerate(ALL, 1)
        ]
        local.upsert(name, points)
    with served(Qdrant(local, models)) as port:
        yield f"qdrant:http://127.0.0.1:{port}"
    local.close()


class Qdrant:
    """What of Qdrant's REST interface a store and an index use."""

    def __init__(self, local, models):
        self.local, self.models = local, models

    def answer(self, method, path, body):
        """Return what local mode answers; ValueError for what it does not know."""
        local, models = self.local, self.models
        match (method, path.partition("?")[0].strip("/").split("/")[1:]):
            case ("GET", []):
                return local.get_collections()
            case ("GET", [name]):
                return local.get_collection(name)
            case ("PUT", [name]):
                asked = models.CreateCollection.model_validate(body)
                return local.create_collection(name, asked.vectors, metadata=asked.metadata)
            case ("PUT", [name, "points"]):
                asked = models.PointsList.model_validate(body)
                return local.upsert(name, asked.points)
            case ("POST", [name, "points", "delete"]):
                return local.delete(name, models.FilterSelector.model_validate(body))
            case ("POST", [name, "points", "query"]):
                asked = models.QueryRequest.model_validate(body)
                return local.query_points(name, asked.query, using=asked.using, limit=asked.limit)
            case ("POST", [name, "points", "scroll"]):
                asked = models.ScrollRequest.model_validate(body)
                points, following = local.scroll(name, limit=asked.limit, offset=asked.offset)
                return {"points": points, "next_page_offset": following}
        raise ValueError(f"no such path: {method} {path}")


@contextmanager
def served(qdrant):
    """Serve it on a loopback port; requests without the key are turned away."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, result = self.result(body)
            reply = json.dumps({"result": result, "status": "ok", "time": 0.0}, default=plain)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply.encode())))
            self.end_headers()
            self.wfile.write(reply.encode())

        def result(self, body):
            if self.headers.get("api-key") != KEY:
                return 401, None
            try:
                return 200, qdrant.answer(self.command, self.path, json.loads(body or b"null"))
            except ValueError as exc:
                return 404, str(exc)

        do_PUT = do_POST = do_GET

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def plain(value):
    """Return one of the client's models as JSON has it."""
    return value.model_dump(mode="json", exclude_none=True)


@pytest.fixture(params=["chroma", "qdrant"])
def server(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize(
    ("kind", "collection", "metric", "figures"),
    [
        ("chroma", "cosine", "cosine", (0.0, 0.2, 1.0)),
        ("chroma", "squared", "squared_l2", (0.0, 0.4, 2.0)),
        ("chroma", "product", "inner_product", (0.0, 0.2, 1.0)),
        ("qdrant", "cosine", "similarity", (1.0, 0.8, 0.0)),
        ("qdrant", "squared", "squared_l2", (0.0, 0.4, 2.0)),
        ("qdrant", "product", "inner_product", (0.0, 0.2, 1.0)),
    ],
)
def test_a_server_measures_as_its_folder_does_and_the_gate_takes_it(
    request, kind, collection, metric, figures
):
    with closing(open_store(request.getfixturevalue(kind), key=KEY)) as store:
        assert store.metric([collection]) == metric
        assert store.sources(collection) == {"between.md": 1, "far.md": 1, "near.md": 1}
        chunks = store.query([collection], QUESTION, 5)
    assert [chunk.source for chunk in chunks] == ["near.md", "between.md", "far.md"]
    field = "similarity" if metric == "similarity" else "distance"
    assert [getattr(chunk, field) for chunk in chunks] == pytest.approx(figures, abs=1e-6)
    found = assess(chunks, policy_for(Policy(), metric))
    assert (found.confidence_level, found.raw_count, found.filtered_count) == ("high", 3, 2)


def test_a_folder_is_indexed_into_a_server_and_its_changes_follow(server, tmp_path):
    (tmp_path / "vacation.md").write_text("# Days\nEverybody has 25 vacation days a year.\n")
    (tmp_path / "printer.txt").write_text("The printer on the second floor needs A4 paper.")
    with closing(open_target(server, "handbook", key=KEY)) as target:
        assert index_folder(tmp_path, target).added == ("printer.txt", "vacation.md")
    (tmp_path / "vacation.md").write_text("# Days\nEverybody has 30 vacation days a year.\n")
    (tmp_path / "printer.txt").unlink()
    with closing(open_target(server, "handbook", key=KEY)) as target:
        done = index_folder(tmp_path, target)
        assert (done.added, done.removed) == (("vacation.md",), ("printer.txt",))
    with closing(open_store(server, lexical_embedding(), key=KEY)) as store:
        (chunk,) = store.query(["handbook"], "How many vacation days?", 5)
        policy = policy_for(
            Policy(min_documents=1), store.metric(["handbook"]), store.levels(["handbook"])
        )
    assert chunk.text == "Days\nEverybody has 30 vacation days a year."
    assert assess([chunk], policy).confidence_level in ("high", "medium")


@pytest.mark.parametrize("key", [None, "sk-wrong-secret"])
def test_a_server_that_asks_for_another_key_is_named_without_the_key(qdrant, key):
    with (
        closing(open_store(qdrant, key=key)) as store,
        pytest.raises((ConfigError, UpstreamError), match="401") as refused,
    ):
        store.collections()
    assert "sk-" not in str(refused.value)
