import asyncio
import json
import math
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.commands.index import embedding_key
from streamguard.core.model.policy import LEVELS
from streamguard.errors import ConfigError, DecodeError, UpstreamError
from streamguard.rag import lexical
from streamguard.rag.embeddings import (
    Embedding,
    endpoint_embedding,
    levels_in,
    lexical_embedding,
    sentence_transformers_embedding,
    unit,
)
from streamguard.rag.folder import FolderStore
from streamguard.rag.opening import open_embedding, open_store


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


@given(st.text(max_size=200))
def test_a_lexical_vector_has_length_one_and_is_always_the_same(text):
    vector = lexical.vector(text)
    assert len(vector) == lexical.DIMENSION
    assert math.isclose(cosine(vector, vector), 1.0)
    assert vector == lexical.vector(text)


def test_lexical_vectors_are_the_same_in_every_process():
    # crc32, not hash(): Python's own differs from one process to the next.
    place = next(at for at, value in enumerate(lexical.vector("vacation")) if value)
    assert (place, lexical.vector("vacation")[place]) == (567, 1.0)


def test_texts_that_share_words_are_nearer():
    question, near, far = lexical.vectors(
        ["How many vacation days?", "Everybody has 25 vacation days.", "Printers need paper."]
    )
    assert cosine(question, near) > 0.5
    assert abs(cosine(question, far)) < 0.2


def test_a_text_without_words_is_near_to_no_other():
    assert cosine(lexical.vector("?!"), lexical.vector("Everybody has 25 days.")) == 0.0


def test_asking_words_are_no_subject():
    assert lexical.terms("Please tell me about quantum computing") == lexical.terms(
        "quantum computing"
    )


PASSAGES = (
    "Everybody has 25 vacation days a year.",
    "Vacation days that are left may be carried over until March.",
    "The printer on the second floor needs A4 paper.",
)


@pytest.mark.parametrize(
    ("question", "nearest"),
    [("How many vacation days do I have?", [0, 1]), ("Which paper does the printer need?", [2]),
     ("What is the capital of France?", []), ("What?", []), ("", [])],
)  # fmt: skip
def test_the_nearest_passages_hold_most_of_the_question(question, nearest):
    found = lexical.LexicalIndex(PASSAGES).nearest(question, 5)
    assert [passage for passage, _ in found] == nearest
    assert all(0.0 < similarity < 1.0 for _, similarity in found)


def test_the_nearest_are_cut_at_n_and_equals_keep_their_order():
    index = lexical.LexicalIndex(["a vacation", "a vacation", "a vacation"])
    assert [passage for passage, _ in index.nearest("vacation", 2)] == [0, 1]
    assert lexical.LexicalIndex([]).nearest("vacation", 2) == []


def test_a_passage_that_holds_all_of_the_question_is_near_whatever_its_length():
    long = " ".join(f"word{number}" for number in range(120))
    index = lexical.LexicalIndex([f"vacation days {long}", "other things"])
    (_, similarity), *_ = index.nearest("vacation days", 1)
    assert similarity > lexical.SHARE_LEVELS[1]


@pytest.mark.parametrize("levels", [lexical.SHARE_LEVELS, tuple(reversed(lexical.VECTOR_LEVELS))])
def test_levels_run_from_near_to_far(levels):
    assert list(levels) == sorted(levels, reverse=True)


@pytest.mark.parametrize("metric", sorted(LEVELS))
def test_published_distance_levels_agree_over_metrics(metric):
    if metric == "similarity":
        assert levels_in((0.25, 0.4, 0.6), metric) == pytest.approx((0.75, 0.6, 0.4))
    else:
        assert levels_in(LEVELS["cosine"], metric) == LEVELS[metric]
    assert levels_in(None, metric) is None


@pytest.mark.parametrize("vector", [[0.0, 0.0], [], [math.inf], [math.nan]])
def test_a_vector_without_direction_has_no_unit(vector):
    with pytest.raises(ValueError, match="has no direction"):
        unit(vector)


class Endpoint(BaseHTTPRequestHandler):
    """An embeddings endpoint: a text's vector is its length and 1, answered out of order."""

    def do_POST(self):
        size = int(self.headers["content-length"])
        texts = json.loads(self.rfile.read(size))["input"]
        self.server.batches.append((len(texts), self.headers.get("authorization")))
        rows = [{"index": at, "embedding": [len(text), 1.0]} for at, text in enumerate(texts)]
        status, body = self.server.answer(list(reversed(rows)))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@contextmanager
def endpoint(answer=lambda rows: (200, json.dumps({"data": rows}).encode())):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.answer, server.batches = answer, []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_endpoint_is_asked_in_batches_and_its_vectors_come_back_in_order():
    texts = ["x" * number for number in range(70)]
    with endpoint() as (server, url):
        found = endpoint_embedding(url, "small", key="secret").embed(texts)
    assert [round(a / b) for a, b in found] == list(range(70))
    assert all(math.isclose(cosine(vector, vector), 1.0) for vector in found)
    assert server.batches == [(64, "Bearer secret"), (6, "Bearer secret")]


def test_an_endpoints_error_is_shown_with_its_status():
    message = "/v1/embeddings answered 401: no such key"
    with (
        endpoint(lambda rows: (401, b"no\nsuch key")) as (_, url),
        pytest.raises(UpstreamError, match=message),
    ):
        endpoint_embedding(url, "small").embed(["x"])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "sent no list of embeddings"),
        (b'{"data": [{"index": 0, "embedding": [0, 0]}]}', "has no direction"),
        (b'{"data": []}', "sent 0 embeddings for 1 texts"),
    ],
)
def test_a_wrong_answer_of_an_endpoint_is_named(body, message):
    with (
        endpoint(lambda rows: (200, body)) as (_, url),
        pytest.raises(DecodeError, match=message),
    ):
        endpoint_embedding(url, "small").embed(["x"])


def test_an_endpoint_that_is_not_there_is_named():
    with endpoint() as (_, url):
        pass
    with pytest.raises(UpstreamError, match="does not answer"):
        endpoint_embedding(url, "small").embed(["x"])


def test_an_endpoint_is_not_asked_on_the_event_loop():
    async def ask():
        endpoint_embedding("http://127.0.0.1:9", "small").embed(["x"])

    with pytest.raises(ConfigError, match="call it from a worker thread"):
        asyncio.run(ask())


def test_an_embedding_is_chosen_by_name():
    assert open_embedding("own") is None
    assert open_embedding("lexical") == lexical_embedding()
    named = open_embedding("http://127.0.0.1:9/v1", model="small")
    assert named is not None
    assert named.name == "small at http://127.0.0.1:9/v1/embeddings"
    assert named.levels is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("http://127.0.0.1:9/v1", "without a model"),
        ("minilm", "embedding is 'minilm', expected lexical, own, sentence-transformers"),
    ],
)
def test_another_name_is_refused_with_those_there_are(name, message):
    with pytest.raises(ConfigError, match=message):
        open_embedding(name)


def test_a_missing_library_is_named_with_its_extra():
    try:
        import sentence_transformers  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigError, match=r"install streamguard-llm\[embeddings\]"):
            sentence_transformers_embedding()
    else:
        pytest.skip("sentence-transformers is installed")


def test_a_models_key_goes_to_its_own_server_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-model")
    monkeypatch.delenv("STREAMGUARD_EMBEDDING_KEY", raising=False)
    other, own = "https://other.example/v1", "https://models.example/v1"
    assert embedding_key(other, own) is None
    assert embedding_key(other) is None
    assert embedding_key("lexical") is None
    assert embedding_key(own, own) == "sk-model"
    assert embedding_key("https://api.openai.com/v1", own) == "sk-model"
    monkeypatch.setenv("STREAMGUARD_EMBEDDING_KEY", "sk-embedding")
    assert embedding_key(other, own) == "sk-embedding"


@pytest.mark.parametrize("vectors", [[[1.0, 0.0]], [[1.0, 0.0], [1.0]]])
def test_passages_have_one_vector_each_and_all_of_a_length(vectors):
    store = FolderStore(embedding=Embedding("odd", lambda texts: vectors[: len(texts)]))
    store.replace("documents", "a.md", "", ["one", "two"])
    with pytest.raises(ConfigError, match="expected one each"):
        store.query(["documents"], "one", 1)


def test_an_endpoints_address_holds_no_password():
    with pytest.raises(ConfigError, match="holds a user or password") as raised:
        open_embedding("https://user:s3cret@host/v1", model="m")
    assert "s3cret" not in str(raised.value)


def test_a_file_of_words_takes_no_embedding(tmp_path):
    FolderStore(tmp_path / "a.sqlite", create=True).close()
    with pytest.raises(ConfigError, match="retrieved from by words"):
        open_store(str(tmp_path / "a.sqlite"), Embedding("other", list))
