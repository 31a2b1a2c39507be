import copy
import math
import pickle

import pytest

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.validate import (
    GuardrailsInput,
    check_text,
    hallucination_markers,
    semantic_similarity,
    validate,
)
from streamguard.errors import ConfigError
from tests.kit.answers import CLEAN, PLANS


def test_given_citations_count_as_requested():
    given = GuardrailsInput(answer_text=CLEAN, retrieved_chunks=PLANS, citations=())
    result = validate(given, policy=Policy.preset("strict"))
    assert (result.status, result.reasons[0].code) == ("REFUSE", "no_citations")
    assert validate(given.model_copy(update={"citations": None})).status == "PASS"
    assert validate(given.model_copy(update={"citations": ("C1",)})).status == "PASS"
    # One that names nothing counts as it does in the text.
    result = validate(given.model_copy(update={"citations": ("C1", "C9")}))
    assert (result.status, result.reasons[0].code) == ("WARN", "unknown_source")
    assert result.reasons[0].message == "[C9] names no retrieved passage; there are 3."


def test_markers_are_what_no_chunk_supports():
    text = "Since 6 May 2020 John Smith pays $59 for 7 seats; Jane Miller pays $49."
    markers = hallucination_markers(text, PLANS)
    assert markers.dates == ("6 May 2020",)
    assert markers.numbers == ("$59", "7")
    assert markers.names == ("John Smith",)
    assert hallucination_markers(CLEAN, [chunk.text for chunk in PLANS]) == ((), (), ())


def letters(texts):
    return [[float(text.lower().count(letter)) for letter in "abcdefghijklmnop"] for text in texts]


def test_semantic_similarity_is_the_mean_of_each_claims_best_cosine():
    assert semantic_similarity(CLEAN, PLANS, letters) == pytest.approx(1.0)
    lower = semantic_similarity("Penguins inhabit the southern oceans.", PLANS, letters)
    assert 0 < lower < 1
    assert semantic_similarity("Hello!", PLANS, letters) is None
    assert semantic_similarity(CLEAN, [], letters) is None
    assert semantic_similarity(CLEAN, ["x"], lambda texts: [[0.0]] * len(texts)) == 0.0


def test_an_embedder_that_loses_texts_or_mixes_lengths_is_refused():
    with pytest.raises(ConfigError, match="embed returned a vector with nan, expected finite"):
        semantic_similarity(CLEAN, PLANS, lambda texts: [[math.nan]] * len(texts))
    with pytest.raises(ConfigError, match="embed returned 1 vectors for 6 texts"):
        semantic_similarity(CLEAN, PLANS, lambda texts: [[1.0]])
    lengths = iter([2, 3])
    with pytest.raises(ConfigError, match=r"vectors of \[2, 3\] figures, expected one length"):
        semantic_similarity(CLEAN, PLANS, lambda texts: [[1.0] * next(lengths)] * len(texts))


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda context: pickle.loads(pickle.dumps(context))]
)
def test_a_context_goes_to_other_processes_and_is_indexed_there(copied):
    context = Context(query="What does Basic cost?", chunks=["Basic costs $10."], citations=["C1"])
    context.prepare()
    again = copied(context)
    assert again == context
    for answer in ("Basic costs $10.", "Basic costs $12."):
        assert check_text(answer, context=again) == check_text(answer, context=context)
    assert copied(Context()).evidence is None
