"""Stores behind an address; run with `pytest -m stores` where they are installed.

Chroma's server is the program of its package. Qdrant's is none of Python's: its client speaks over
HTTP to a server made here that turns everybody away, which shows address, key and error. What is
asked and indexed goes through the same client in `test_stores`.
"""

import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError, UpstreamError
from streamguard.rag.embeddings import lexical_embedding
from streamguard.rag.gate import assess, policy_for
from streamguard.rag.indexing import index_folder
from streamguard.rag.opening import open_store, open_target
from tests.integrations.services import service
from tests.test_stores import ALL, IGNORED, QUESTION, _clients_let_go_here, fill_chroma, library  # noqa: F401 -- a fixture of every test

pytestmark = [
    pytest.mark.stores,
    *(pytest.mark.filterwarnings(f"ignore::{kind.__name__}") for kind in IGNORED),
]

PATIENCE_S = 30.0  # what does not come by then never comes
KEY = "sk-store-secret"
CHROMA = {"cosine": ("cosine", ALL), "squared": ("l2", ALL), "product": ("ip", ALL)}


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


@pytest.mark.parametrize(("collection", "metric", "figures"), [
    ("cosine", "cosine", (0.0, 0.2, 1.0)),
    ("squared", "squared_l2", (0.0, 0.4, 2.0)),
    ("product", "inner_product", (0.0, 0.2, 1.0)),
])  # fmt: skip
def test_a_server_measures_as_its_folder_does_and_the_gate_takes_it(
    chroma, collection, metric, figures
):
    with closing(open_store(chroma, key=KEY)) as store:
        assert store.metric([collection]) == metric
        assert store.sources(collection) == {"between.md": 1, "far.md": 1, "near.md": 1}
        chunks = store.query([collection], QUESTION, 5)
    assert [chunk.source for chunk in chunks] == ["near.md", "between.md", "far.md"]
    assert [chunk.distance for chunk in chunks] == pytest.approx(figures, abs=1e-6)
    found = assess(chunks, policy_for(Policy(), metric))
    assert (found.confidence_level, found.raw_count, found.filtered_count) == ("high", 3, 2)


def test_a_folder_is_indexed_into_a_server_and_its_changes_follow(chroma, tmp_path):
    (tmp_path / "vacation.md").write_text("# Days\nEverybody has 25 vacation days a year.\n")
    (tmp_path / "printer.txt").write_text("The printer on the second floor needs A4 paper.")
    with closing(open_target(chroma, "handbook", key=KEY)) as target:
        assert index_folder(tmp_path, target).added == ("printer.txt", "vacation.md")
    (tmp_path / "vacation.md").write_text("# Days\nEverybody has 30 vacation days a year.\n")
    (tmp_path / "printer.txt").unlink()
    with closing(open_target(chroma, "handbook", key=KEY)) as target:
        done = index_folder(tmp_path, target)
        assert (done.added, done.removed) == (("vacation.md",), ("printer.txt",))
    with closing(open_store(chroma, lexical_embedding(), key=KEY)) as store:
        (chunk,) = store.query(["handbook"], "How many vacation days?", 5)
    assert chunk.text == "Days\nEverybody has 30 vacation days a year."


def test_a_qdrant_server_gets_the_key_and_its_refusal_is_told_without_it():
    library("qdrant")
    with (
        service(other=(401, None)) as known,
        closing(open_store(f"qdrant:{known.base}", key=KEY)) as store,
        pytest.raises((ConfigError, UpstreamError), match="401") as refused,
    ):
        store.collections()
    assert KEY in [each.headers.get("api-key") for each in known.sent]
    assert "sk-" not in str(refused.value)
