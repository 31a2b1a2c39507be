import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.model.policy import LEVELS, Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.rag.folder import in_memory
from streamguard.rag.gate import assess, declined_by, policy_for, policy_on
from tests.kit.tables import differing

METRICS = sorted(LEVELS)
DISTANCES = [metric for metric in METRICS if metric != "similarity"]
NAMES = ("high", "medium", "low")


def chunks_at(metric, *figures):
    field = "similarity" if metric == "similarity" else "distance"
    return [
        RetrievedChunk(f"text {number}", id=f"c{number}", **{field: figure})
        for number, figure in enumerate(figures)
    ]


def test_an_impossible_figure_is_named_with_what_is_allowed():
    for metric, chunk, message in (
        ("squared_l2", RetrievedChunk("x", id="a"),
         "chunk 'a' has neither distance nor similarity, metric squared_l2 needs its distance"),
        ("squared_l2", RetrievedChunk("x", similarity=0.9),
         r"chunks\[0\] has a similarity of 0.9, metric squared_l2 needs its distance"),
        ("similarity", RetrievedChunk("x", distance=0.1),
         r"chunks\[0\] has a distance of 0.1, metric similarity needs its similarity"),
        ("cosine", RetrievedChunk("x", distance=math.nan),
         r"chunks\[0\]: distance is nan, expected at least 0.0, for unit vectors \(metric cos"),
        ("cosine", RetrievedChunk("x", distance=math.inf), "distance is inf"),
        ("squared_l2", RetrievedChunk("x", distance=-0.5), "is -0.5, expected at least 0"),
        ("similarity", RetrievedChunk("x", similarity=17.3), "is 17.3, expected -1.0 to 1.0"),
        ("cosine", RetrievedChunk("x", distance="0.1"), "distance is 0.1, expected"),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=message):
            assess([chunk], Policy(metric=metric))
    assert assess(chunks_at("cosine", -1e-7, 0.1), Policy(metric="cosine")).best == 0.0
    policy = Policy().model_copy(update={"metric": "manhattan"})
    with pytest.raises(ConfigError, match="metric is 'manhattan', expected one of squared_l2, cos"):
        assess(chunks_at("squared_l2", 0.1), policy)


@given(
    st.sampled_from(METRICS),
    st.sampled_from(["strict", "moderate", "lenient"]),
    st.lists(st.floats(0.0, 1.0), max_size=8),
    st.integers(1, 4),
)
def test_counts_level_and_answerability_agree(metric, preset, figures, min_documents):
    policy = Policy.preset(preset, metric=metric, min_documents=min_documents)
    found = assess(chunks_at(metric, *figures), policy)
    assert found.raw_count == len(figures)
    assert found.filtered_count == len(found.chunks)
    assert found.is_answerable == (found.filtered_count >= min_documents)
    assert (found.confidence_level == "insufficient") == (not found.is_answerable)
    assert (found.best is None) == (not found.chunks)


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=6), st.sampled_from(DISTANCES))
def test_a_nearer_chunk_never_lowers_the_level(figures, metric):
    order = (*NAMES, "insufficient")
    policy = Policy.preset("lenient", metric=metric)
    before = assess(chunks_at(metric, *figures), policy)
    after = assess(chunks_at(metric, 0.0, *figures), policy)
    assert order.index(after.confidence_level) <= order.index(before.confidence_level)


def test_beside_a_passage_that_passes_by_its_words_those_pass_that_share_a_few():
    policy = Policy(metric="similarity", confidence_levels=(0.52, 0.4, 0.25))
    rows = [
        ((0.45, 0.3, 0.2, 0.19), [0.45, 0.3, 0.2]),
        ((0.39, 0.3), []),  # none passes by itself
    ]

    def passing(figures):
        return [
            chunk.similarity for chunk in assess(chunks_at("similarity", *figures), policy).chunks
        ]

    assert differing(rows, passing) == []
    one = policy.model_copy(update={"min_documents": 2})
    assert not assess(chunks_at("similarity", 0.45, 0.3), one).is_answerable  # two are to pass
    above = policy.model_copy(update={"similarity_threshold": 0.2})
    assert assess(chunks_at("similarity", 0.45, 0.1), above).filtered_count == 2
    named = policy.model_copy(update={"collection_thresholds": {"wiki": 0.6}})
    found = assess(chunks_at("similarity", 0.65, 0.29), named, collection="wiki")
    assert found.filtered_count == 1  # half of the collection's own threshold
    published = Policy(metric="cosine")  # a distance: each passage passes by itself
    assert assess(chunks_at("cosine", 0.39, 0.41, 0.59), published).filtered_count == 1


def test_a_policy_takes_over_metric_and_levels_of_a_store_but_keeps_what_it_was_given():
    for preset in ("strict", "moderate", "lenient"):
        assert policy_for(Policy.preset(preset), "cosine") == Policy.preset(preset, metric="cosine")
    given = {"confidence_threshold": 0.3, "confidence_levels": (0.1, 0.2, 0.3)}
    for own, threshold, levels in (
        (Policy.preset("lenient"), 0.9, (0.5, 0.7, 0.9)),
        (Policy(**given), 0.3, (0.1, 0.2, 0.3)),
    ):
        policy = policy_for(own, "cosine", (0.5, 0.7, 0.9))
        assert (policy.confidence_threshold, policy.confidence_levels) == (threshold, levels)
    policy = Policy(metric="cosine", confidence_levels=(0.5, 0.7, 0.9))
    assert assess(chunks_at("cosine", 0.45, 0.69), policy).confidence_level == "high"
    assert policy_for(Policy(confidence_threshold=0.9), "similarity").similarity_threshold == 0.9
    for metric in ("cosine", "similarity"):
        message = rf"^confidence_threshold is 1.2, expected 0.0 to 1.0 \(metric {metric}\)"
        with pytest.raises(ConfigError, match=message):
            policy_for(Policy(confidence_threshold=1.2), metric)
    assert policy_for(Policy(metric="cosine"), "cosine").metric == "cosine"
    message = "metric is squared_l2, but the collection measures cosine"
    with pytest.raises(ConfigError, match=message):
        policy_for(Policy(metric="squared_l2"), "cosine")


def test_retrieval_by_words_has_thresholds_of_its_own_below_which_confidence_is_low():
    store = in_memory({"a.md": ["Tea is at four."]})
    rows = [
        ((0.39, "strict"), "insufficient"), ((0.41, "strict"), "medium"),
        ((0.33, "moderate"), "insufficient"), ((0.35, "moderate"), "low"),
        ((0.41, "moderate"), "medium"), ((0.53, "moderate"), "high"),
        ((0.24, "lenient"), "insufficient"), ((0.26, "lenient"), "low"),
    ]  # fmt: skip

    def level(figure, preset):
        policy = policy_on(store, ["documents"], Policy.preset(preset))
        return assess(chunks_at("similarity", figure), policy).confidence_level

    assert differing(rows, lambda asked: level(*asked)) == []
    for own, threshold in (
        (Policy(similarity_threshold=0.2), 0.2),
        (Policy(metric="similarity", confidence_levels=(0.9, 0.5, 0.2)), 0.5),
        (Policy(gate="lenient"), 0.25),
    ):
        assert policy_on(store, ["documents"], own).similarity_threshold == threshold
    far = policy_for(Policy(gate="strict"), "cosine", gates=(0.1, 0.2, 0.3))
    assert far.confidence_threshold == 0.1


def test_the_setting_that_declined_is_named():
    def named(distances, settings):
        policy = Policy(**settings)
        chunks = [
            RetrievedChunk("x", distance=distance, metadata={"collection": "bank"})
            for distance in distances
        ]
        found = declined_by(chunks, assess(chunks, policy), policy)
        return found and (found.setting, found.message)

    def nearest(distance, setting, bound):
        return setting, f"The nearest passage has a distance of {distance}; {setting}: {bound}."

    own, wide = {"collection_thresholds": {"bank": 0.5}}, {"confidence_threshold": 2.0}
    two = ("min_documents", "1 of 2 passages passed; min_documents is 2.")
    rows = [
        ((), {}, (None, "No passage was found for the question.")),
        ((0.9, 1.0), {}, nearest("0.90", "confidence_threshold", "0.8")),
        ((0.8004,), {}, nearest("0.81", "confidence_threshold", "0.8")),  # never the bound itself
        ((1.1,), {}, nearest("1.10", "confidence_threshold", "0.8")),
        ((0.2, 0.9), {"min_documents": 2}, two),
        ((1.5, 1.9), wide, nearest("1.50", "confidence_levels", "1.2")),
        ((0.9,), own, nearest("0.90", "collection_thresholds", "0.5")),
        ((0.1,), {}, None),
        ((9.0,), {"strict_mode": False}, None),
    ]
    assert differing(rows, named) == []
    policy = Policy(metric="similarity")
    for figure, shown in ((0.2, "0.20"), (0.3499, "0.34"), (0.29, "0.29"), (-0.001, "-0.01")):
        chunks = [RetrievedChunk("x", similarity=figure)]
        assert declined_by(chunks, assess(chunks, policy), policy).message == (
            f"The nearest passage has a similarity of {shown}; similarity_threshold: 0.35."
        )
