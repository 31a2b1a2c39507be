"""The sentence-transformers embedding with a model made here; `make test-embeddings` installs it.

The model counts words: small enough to be made in a test, and saved and loaded as any other.
"""

import os
import warnings

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"  # nothing is downloaded, whatever a name looks like

from streamguard.core.context import Context
from streamguard.core.model.policy import LEVELS, Policy
from streamguard.errors import ConfigError
from streamguard.finished import check_text
from streamguard.rag.embeddings import Embedding, sentence_transformers_embedding
from streamguard.rag.gate import assess, policy_for
from streamguard.rag.indexing import index_folder
from streamguard.rag.opening import open_embedding, open_store, open_target
from streamguard.verify.specs import open_verifier

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # third-party code warns on import
    pytest.importorskip("sentence_transformers")

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{kind}")
    for kind in ("DeprecationWarning", "FutureWarning", "UserWarning", "ResourceWarning")
]

WORDS = ("vacation", "days", "printer", "paper", "floor")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a model that counts the words above."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import BoW

        folder = tmp_path_factory.mktemp("model")
        counting = SentenceTransformer(modules=[BoW(vocab=list(WORDS))], device="cpu")
        counting.save(str(folder), create_model_card=False)
    return str(folder)


def test_a_saved_model_makes_unit_vectors_in_the_order_of_the_texts(model):
    embedding = sentence_transformers_embedding(model)
    vectors = embedding.embed(["vacation", "printer paper", "vacation days"])
    expected = [[1, 0, 0, 0, 0], [0, 0, 1, 1, 0], [1, 1, 0, 0, 0]]
    for vector, direction in zip(vectors, expected, strict=True):
        length = sum(direction) ** 0.5
        assert vector == pytest.approx([value / length for value in direction])
    assert {type(value) for vector in vectors for value in vector} == {float}
    assert embedding.levels == LEVELS["cosine"]


@pytest.mark.parametrize("named", ["sentence-transformers:{}", "sentence-transformers"])
def test_the_model_is_chosen_by_name_or_by_flag(model, named):
    embedding = open_embedding(named.format(model), model=model)
    assert isinstance(embedding, Embedding)
    assert embedding.name == f"sentence-transformers/{model}"


def test_a_model_that_is_not_there_is_named(tmp_path):
    missing = tmp_path / "nowhere"
    with pytest.raises(ConfigError, match=f"model {missing} cannot be loaded"):
        sentence_transformers_embedding(str(missing))


def test_a_collection_is_indexed_and_answered_with_it(model, tmp_path):
    pytest.importorskip("qdrant_client")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "vacation.md").write_text("Everybody has 25 vacation days.")
    (docs / "printer.md").write_text("The printer on this floor needs paper.")
    embedding = sentence_transformers_embedding(model)
    where = f"qdrant:{tmp_path / 'store'}"
    target = open_target(where, "handbook", embedding)
    assert index_folder(docs, target).chunks == 2
    target.close()
    store = open_store(where, embedding)
    policy = policy_for(
        Policy(min_documents=1), store.metric(["handbook"]), store.levels(["handbook"])
    )
    found = assess(store.query(["handbook"], "How many vacation days?", 2), policy)
    nothing = assess(store.query(["handbook"], "Where is the coffee?", 2), policy)
    store.close()
    assert [chunk.source for chunk in found.chunks] == ["vacation.md"]
    assert found.confidence_level == "high"
    assert nothing.is_answerable is False


def test_a_claims_similarity_is_that_to_the_nearest_sentence(model):
    verifier = open_verifier(f"embeddings:{model}")
    context = Context(chunks=["Vacation days. The printer needs paper."])
    result = check_text("The vacation days are 25.", context=context, verifiers=[verifier])
    assert result.sentences[0].opinions[0].similarity == pytest.approx(1.0)
    assert result.scores.similarity == pytest.approx(1.0)
