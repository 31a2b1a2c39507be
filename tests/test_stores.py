"""Real stores, embedded; run with `pytest -m stores` where they are installed."""

import gc
import shutil
import sys
import warnings
from contextlib import closing

import pytest

from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError, UpstreamError
from streamguard.rag.embeddings import Embedding, lexical_embedding, unit
from streamguard.rag.gate import assess, policy_for
from streamguard.rag.indexing import index_folder
from streamguard.rag.opening import open_store, open_target
from tests.kit.upstreams import refusing

KINDS = ("chroma", "qdrant")
# Third-party code of the clients warns on import; what ours does is still an error.
IGNORED = (DeprecationWarning, PendingDeprecationWarning, UserWarning, ResourceWarning)

pytestmark = [
    pytest.mark.stores,
    *(pytest.mark.filterwarnings(f"ignore::{kind.__name__}") for kind in IGNORED),
]


@pytest.fixture(autouse=True)
def _clients_let_go_here():
    """Collect what the clients leave open, lest a later test is blamed for it."""
    yield
    if {"chromadb", "qdrant_client"} & set(sys.modules):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gc.collect()


VECTORS = {"near": [1.0, 0.0], "between": [0.8, 0.6], "far": [0.0, 1.0]}
QUESTION = [1.0, 0.0]


def library(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("chromadb" if kind == "chroma" else "qdrant_client")


def plane_embedding(name="plane"):
    """Questions and passages as directions of a plane, by the word they begin with."""

    def embed(texts):
        return [unit(VECTORS.get(text.split()[0], [0.0, 1.0])) for text in texts]

    return Embedding(name, embed, (0.3, 0.5, 0.9))


# Where other people's programs made the collections: our code only reads them.
def fill_chroma(folder, collections):
    chromadb = library("chroma")
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    for name, (measure, texts) in collections.items():
        collection = client.create_collection(
            name, configuration={"hnsw": {"space": measure}}, embedding_function=None
        )
        if texts:
            collection.add(
                ids=list(texts),
                documents=[f"{text} text" for text in texts],
                embeddings=[VECTORS[text] for text in texts],
                metadatas=[{"source": f"{text}.md", "page": 3} for text in texts],
            )
    client.close()


def fill_qdrant(folder, collections):
    qdrant = library("qdrant")
    from qdrant_client import models

    client = qdrant.QdrantClient(path=str(folder))
    for name, (measure, texts) in collections.items():
        params = models.VectorParams(size=2, distance=models.Distance(measure))
        client.create_collection(name, vectors_config=params)
        points = [
            models.PointStruct(
                id=number,
                vector=VECTORS[text],
                payload={"page_content": f"{text} text", "metadata": {"source": f"{text}.md"}},
            )
            for number, text in enumerate(texts, 1)
        ]
        if points:
            client.upsert(name, points)
    client.close()


FILL = {"chroma": fill_chroma, "qdrant": fill_qdrant}
COSINE = {"chroma": "cosine", "qdrant": "Cosine"}
ALL = ("near", "between", "far")


@pytest.fixture
def filled(tmp_path):
    """Return a function that fills a store and opens it; every store is closed at the end."""
    opened = []

    def fill(kind, collections, embedding=None):
        FILL[kind](tmp_path / "store", collections)
        store = open_store(f"{kind}:{tmp_path / 'store'}", embedding)
        opened.append(store)
        return store

    yield fill
    for store in opened:
        store.close()


@pytest.mark.parametrize(("kind", "measure", "metric", "figures"), [
    ("chroma", "l2", "squared_l2", (0.0, 0.4, 2.0)),
    ("chroma", "cosine", "cosine", (0.0, 0.2, 1.0)),
    ("chroma", "ip", "inner_product", (0.0, 0.2, 1.0)),
    ("qdrant", "Cosine", "similarity", (1.0, 0.8, 0.0)),
    ("qdrant", "Dot", "inner_product", (0.0, 0.2, 1.0)),
    ("qdrant", "Euclid", "squared_l2", (0.0, 0.4, 2.0)),
])  # fmt: skip
def test_every_metric_is_read_from_the_collection_and_means_what_the_gate_expects(
    filled, kind, measure, metric, figures
):
    store = filled(kind, {"handbook": (measure, ALL)})
    assert store.metric(["handbook"]) == metric
    chunks = store.query(["handbook"], QUESTION, 5)
    found = [(chunk.text, chunk.source) for chunk in chunks]
    assert found == [(f"{name} text", f"{name}.md") for name in ALL]
    assert {chunk.metadata["collection"] for chunk in chunks} == {"handbook"}
    field = "similarity" if metric == "similarity" else "distance"
    assert [getattr(chunk, field) for chunk in chunks] == pytest.approx(figures, abs=1e-6)
    found = assess(chunks, policy_for(Policy(), metric))
    assert (found.confidence_level, found.raw_count, found.filtered_count) == ("high", 3, 2)


def test_an_unknown_metric_is_refused(filled):
    store = filled("qdrant", {"handbook": ("Manhattan", ALL)})
    with pytest.raises(ConfigError, match="measures Manhattan, expected one of Cosine, Dot, Eucl"):
        store.query(["handbook"], QUESTION, 5)


@pytest.mark.parametrize("kind", KINDS)
def test_several_collections_are_asked_at_once(filled, kind):
    measure = COSINE[kind]
    store = filled(kind, {"one": (measure, ("near", "far")), "two": (measure, ("between",))})
    assert store.collections() == ["one", "two"]
    chunks = store.query(["one", "two"], QUESTION, 2)
    found = [(chunk.text, chunk.metadata["collection"]) for chunk in chunks]
    assert found == [("near text", "one"), ("between text", "two")]
    assert [(chunk.id or "").partition("/")[0] for chunk in chunks] == ["one", "two"]


@pytest.mark.parametrize(("kind", "other"), [("chroma", "l2"), ("qdrant", "Euclid")])
def test_collections_that_measure_differently_are_not_mixed(filled, kind, other):
    store = filled(kind, {"one": (COSINE[kind], ALL), "two": (other, ALL)})
    with pytest.raises(ConfigError, match="collections measure differently"):
        store.query(["one", "two"], QUESTION, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_store_lacks_is_named(filled, kind):
    store = filled(kind, {"handbook": (COSINE[kind], ALL), "empty": (COSINE[kind], ())})
    assert store.query(["empty"], QUESTION, 5) == []
    assert store.sources("empty") == {}
    assert store.sources("handbook") == {"between.md": 1, "far.md": 1, "near.md": 1}
    for ask in (store.sources, lambda name: store.query([name], QUESTION, 5)):
        with pytest.raises(ConfigError, match="collection is 'nope', the store has empty, handb"):
            ask("nope")
    with pytest.raises(ConfigError, match=r"handbook.*2.*3|handbook.*3.*2"):
        store.query(["handbook"], [1.0, 0.0, 0.0], 5)


@pytest.mark.parametrize("kind", KINDS)
def test_an_embedding_makes_the_questions_vector_and_brings_its_levels(filled, kind):
    store = filled(kind, {"handbook": (COSINE[kind], ALL)}, plane_embedding())
    assert store.query(["handbook"], "near or not?", 1)[0].text == "near text"
    expected = (0.3, 0.5, 0.9) if kind == "chroma" else (0.7, 0.5, 0.1)
    assert store.levels(["handbook"]) == pytest.approx(expected)


def test_qdrant_makes_no_vectors_of_its_own_and_names_a_locked_folder(filled):
    store = filled("qdrant", {"handbook": ("Cosine", ALL)})
    with pytest.raises(ConfigError, match="no embedding was chosen"):
        store.query(["handbook"], "near?", 5)
    assert store.levels(["handbook"]) is None
    with pytest.raises(ConfigError, match="already accessed by another instance"):
        open_store(f"qdrant:{store.place}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_is_no_store_is_not_made_one_and_a_silent_server_named(kind, tmp_path):
    library(kind)
    with pytest.raises(ConfigError, match=r"is not a .* folder: it has no"):
        open_store(f"{kind}:{tmp_path}")
    assert list(tmp_path.iterdir()) == []
    with refusing() as url, pytest.raises(UpstreamError, match=url):
        open_store(f"{kind}:{url}").collections()


@pytest.mark.parametrize(("kind", "file"), [
    ("chroma", "chroma.sqlite3"),
    ("qdrant", "meta.json"),
    ("qdrant", "collection/handbook/storage.sqlite"),
])  # fmt: skip
def test_a_damaged_folder_is_named_and_left_as_it_is(tmp_path, kind, file):
    FILL[kind](tmp_path / "store", {"handbook": (COSINE[kind], ALL)})
    damaged = tmp_path / "damaged"
    shutil.copytree(tmp_path / "store", damaged)
    (damaged / file).write_bytes(b"garbage" * 100)
    with pytest.raises(ConfigError, match="damaged cannot be used"):
        open_store(f"{kind}:{damaged}")
    assert (damaged / file).read_bytes() == b"garbage" * 100


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "vacation.md").write_text(
        "# Vacation\n## Days\nEverybody has 25 vacation days a year.\n"
        "## Left over\nVacation days that are left may be carried over.\n"
    )
    (folder / "printer.txt").write_text("The printer on the second floor needs A4 paper.")
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_is_indexed_into_a_collection_of_its_own(kind, docs, tmp_path):
    library(kind)
    where = f"{kind}:{tmp_path / 'store'}"
    with closing(open_target(where, "handbook")) as target:
        assert index_folder(docs, target).added == ("printer.txt", "vacation.md")
    with closing(open_target(where, "handbook")) as target:
        assert index_folder(docs, target).unchanged == ("printer.txt", "vacation.md")
        (docs / "vacation.md").write_text("# Vacation\nEverybody has 30 vacation days a year.")
        (docs / "printer.txt").unlink()
        done = index_folder(docs, target)
        assert (done.added, done.removed) == (("vacation.md",), ("printer.txt",))
    with closing(open_store(where, lexical_embedding())) as store:
        assert store.sources("handbook") == {"vacation.md": 1}
        (chunk,) = store.query(["handbook"], "How many vacation days?", 5)
        assert chunk.text == "Vacation\nEverybody has 30 vacation days a year."
        assert chunk.source == "vacation.md"
        policy = policy_for(
            Policy(min_documents=1), store.metric(["handbook"]), store.levels(["handbook"])
        )
        assert assess([chunk], policy).confidence_level == "high"


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("after", [0, 1])
def test_an_interruption_loses_nothing_and_the_next_run_puts_it_right(
    kind, after, docs, tmp_path, monkeypatch
):
    library(kind)
    monkeypatch.setattr(f"streamguard.rag.{kind}._PAGE", 1)  # a page a chunk
    where = f"{kind}:{tmp_path / 'store'}"
    calls = 0

    def embed(texts):
        nonlocal calls
        calls += 1
        if calls == fail_at:
            raise Interrupted
        return lexical_embedding().embed(texts)

    fail_at = 0
    embedding = Embedding(lexical_embedding().name, embed)
    with closing(open_target(where, "handbook", embedding)) as target:
        index_folder(docs, target)
        (docs / "vacation.md").write_text("# A\nVacation: 30 days.\n## B\nSome may be kept.\n")
        calls, fail_at = 0, after + 1
        with pytest.raises(Interrupted):
            index_folder(docs, target)
        assert ("vacation.md" in target.hashes()) == (after == 0)
    with closing(open_store(where, lexical_embedding())) as store:
        texts = [chunk.text for chunk in store.query(["handbook"], "vacation days", 9)]
        assert any("25 vacation days" in text for text in texts)
    with closing(open_target(where, "handbook")) as target:
        assert index_folder(docs, target).added == ("vacation.md",)
    with closing(open_store(where, lexical_embedding())) as store:
        assert store.sources("handbook") == {"printer.txt": 1, "vacation.md": 2}


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_is_asked_with_the_embedding_that_built_it(kind, docs, tmp_path):
    library(kind)
    where = f"{kind}:{tmp_path / 'store'}"
    with closing(open_target(where, "handbook")) as target:
        index_folder(docs, target)
    message = "handbook was built with lexical-1024, not with plane"
    named = pytest.raises(ConfigError, match=message)
    with closing(open_store(where, plane_embedding())) as store, named:
        store.query(["handbook"], "near?", 5)
    with pytest.raises(ConfigError, match=message):
        open_target(where, "handbook", plane_embedding())


@pytest.mark.parametrize("kind", KINDS)
def test_somebody_elses_collection_is_never_written_to(kind, tmp_path):
    FILL[kind](tmp_path / "store", {"handbook": (COSINE[kind], ALL)})
    where = f"{kind}:{tmp_path / 'store'}"
    with pytest.raises(ConfigError, match="was not made by streamguard index, choose another"):
        open_target(where, "handbook")
    with closing(open_store(where)) as store:
        assert len(store.sources("handbook")) == 3


@pytest.mark.parametrize("kind", ["chroma", "qdrant"])
def test_a_new_folder_of_documents_is_its_owners_alone(tmp_path, kind):
    with closing(open_target(f"{kind}:{tmp_path}/made", "documents", None)):
        assert (tmp_path / "made").stat().st_mode & 0o777 == 0o700
