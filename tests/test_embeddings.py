import asyncio
import math

import pytest

from streamguard.commands.index import embedding_key
from streamguard.errors import ConfigError, DecodeError, UpstreamError
from streamguard.rag.embeddings import (
    Embedding,
    endpoint_embedding,
    lexical_embedding,
)
from streamguard.rag.folder import FolderStore
from streamguard.rag.opening import open_embedding
from tests.integrations.services import service


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def embedded(sent):
    """Answer as an embeddings endpoint: a text's vector is its length and 1, out of order."""
    texts = sent.json["input"]
    rows = [{"index": at, "embedding": [len(text), 1.0]} for at, text in enumerate(texts)]
    return 200, {"data": rows[::-1]}


@pytest.mark.parametrize(("status", "body", "error", "message"), [
    (401, b"no\nsuch key", UpstreamError, "/v1/embeddings answered 401: no such key"),
    (200, b"<html>", DecodeError, "sent no list of embeddings"),
    (200, {"data": [{"index": 0, "embedding": [0, 0]}]}, DecodeError, "has no direction"),
    (200, {"data": []}, DecodeError, "sent 0 embeddings for 1 texts"),
])  # fmt: skip
def test_a_wrong_answer_of_an_endpoint_is_named(status, body, error, message):
    with service(v1__embeddings=(status, body)) as known, pytest.raises(error, match=message):
        endpoint_embedding(f"{known.base}/v1", "small").embed(["x"])
    with pytest.raises(UpstreamError, match="does not answer"):  # it is gone
        endpoint_embedding(f"{known.base}/v1", "small").embed(["x"])


def test_an_endpoint_is_asked_in_batches_off_the_event_loop():
    texts = ["x" * number for number in range(70)]
    with service(v1__embeddings=embedded) as known:
        found = endpoint_embedding(f"{known.base}/v1", "small", key="secret").embed(texts)
    assert [round(a / b) for a, b in found] == list(range(70))
    assert all(math.isclose(cosine(vector, vector), 1.0) for vector in found)
    batches = [(len(each.json["input"]), each.headers["Authorization"]) for each in known.sent]
    assert batches == [(64, "Bearer secret"), (6, "Bearer secret")]

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
    for name, model, message in (
        ("http://127.0.0.1:9/v1", None, "without a model"),
        ("minilm", None, "embedding is 'minilm', expected lexical, own, sentence-transformers"),
        ("https://user:s3cret@host/v1", "m", "holds a user or password"),
    ):
        with pytest.raises(ConfigError, match=message) as raised:
            open_embedding(name, model=model)
        assert "s3cret" not in str(raised.value)


def test_a_models_key_goes_to_its_own_server_alone(monkeypatch):
    for name in ("STREAMGUARD_EMBEDDING_KEY", "STREAMGUARD_UPSTREAM_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    other, own = "https://other.example/v1", "https://models.example/v1"
    assert embedding_key("lexical") is None
    assert [embedding_key(other), embedding_key(other, own), embedding_key(own, own)] == [None] * 3
    assert embedding_key("https://api.openai.com/v1", own) == "sk-openai"
    monkeypatch.setenv("STREAMGUARD_UPSTREAM_KEY", "sk-model")
    assert [embedding_key(own, own), embedding_key(other, own)] == ["sk-model", None]
    monkeypatch.setenv("STREAMGUARD_EMBEDDING_KEY", "sk-embedding")
    assert [embedding_key(own, own), embedding_key(other, own)] == ["sk-embedding"] * 2


@pytest.mark.parametrize("vectors", [[[1.0, 0.0]], [[1.0, 0.0], [1.0]]])
def test_passages_have_one_vector_each_and_all_of_a_length(vectors):
    store = FolderStore(embedding=Embedding("odd", lambda texts: vectors[: len(texts)]))
    store.replace("documents", "a.md", "", ["one", "two"])
    with pytest.raises(ConfigError, match="expected one each"):
        store.query(["documents"], "one", 1)
