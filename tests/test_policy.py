import pytest

from streamguard.core.model.policy import Calibration, Policy
from streamguard.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "uncovered", "groundedness", "density", "refuse", "distance", "doubts"),
    [
        ("strict", 1, 0.65, 0.5, True, 0.5, (0.38, 0.7, 0.0)),
        ("moderate", 2, 0.51, 0.3, False, 0.8, (0.48, 0.7, 0.0)),
        ("lenient", 3, 0.4, 0.0, False, 1.2, (0.9, 0.9, 0.55)),
    ],
)
def test_presets_have_the_published_figures(
    name, uncovered, groundedness, density, refuse, distance, doubts
):
    policy = Policy.preset(name)
    assert policy.max_uncovered_claims == uncovered
    assert policy.min_groundedness == groundedness
    assert policy.min_citation_density == density
    assert policy.refuse_on_no_citations is refuse
    assert policy.warn_of_few_citations is (name == "strict")
    assert policy.confidence_threshold == distance
    assert policy.min_similarity_for_mapping == 0.85
    assert policy.min_similarity_for_any_mapping == 0.50
    assert policy.warn_similarity == 0.75
    assert policy.min_support == 0.5
    assert policy.few_claims == 4
    assert (policy.doubt_from, policy.wrong_from, policy.value_doubt_from) == doubts
    assert policy.max_uncovered_ratio == 1.0


def test_levels_of_ones_own_move_the_thresholds_that_are_not_given():
    policy = Policy.preset("strict", metric="cosine", confidence_levels=(0.1, 0.2, 0.9))
    assert policy.confidence_threshold == 0.1
    assert policy.similarity_threshold == 0.35
    falling = Policy.preset("lenient", metric="similarity", confidence_levels=(0.9, 0.5, 0.2))
    assert falling.similarity_threshold == 0.2
    assert falling.confidence_threshold == 1.2
    policy = Policy.preset("strict", confidence_threshold=1.5, similarity_threshold=0.9)
    assert (policy.confidence_threshold, policy.similarity_threshold) == (1.5, 0.9)
    # Under similarity a distance is only held to the widest range.
    assert Policy(metric="similarity", confidence_threshold=2.0).confidence_threshold == 2.0
    policy = Policy(metric="cosine", collection_thresholds={"handbook": 0.3})
    assert policy.collection_thresholds == {"handbook": 0.3}


CALIBRATED = dict.fromkeys(Calibration.model_fields, 1.0)
WRONG = [
    ({"confidence_threshold": 3.0}, "confidence_threshold is 3.0, expected 0.0 to 2.0"),
    ({"confidence_levels": None, "gate": "loose"}, "gate is 'loose', expected one of strict"),
    ({"metric": "cosine", "confidence_threshold": 1.2},
     "confidence_threshold is 1.2, expected 0.0 to 1.0 (metric cosine)"),
    ({"metric": "l3"},
     "metric is 'l3', expected one of squared_l2, cosine, inner_product, similarity"),
    ({"confidence_levels": (0.8, 0.5, 1.2)},
     ("confidence_levels is (0.8, 0.5, 1.2), expected high, medium, low in rising order,"
     " 0.0 to 2.0 (metric squared_l2)")),
    ({"metric": "similarity", "confidence_levels": (0.2, 0.5, 0.9)},
     "confidence_levels is (0.2, 0.5, 0.9), expected high, medium, low in falling order"),
    ({"metric": "cosine", "confidence_levels": (0.2, 0.5, 1.5)},
     ("confidence_levels is (0.2, 0.5, 1.5), expected high, medium, low in rising order,"
     " 0.0 to 1.0 (metric cosine)")),
    ({"metric": "cosine", "collection_thresholds": {"handbook": 1.2}},
     "collection_thresholds is {'handbook': 1.2}, expected 0.0 to 1.0 (metric cosine)"),
    ({"min_documents": 0}, "min_documents is 0, expected integer of at least 1"),
    ({"strict_mode": "maybe"}, "strict_mode is 'maybe', expected true or false"),
    ({"warn_similarity": 1.5}, "warn_similarity is 1.5, expected 0.0 to 1.0"),
    ({"min_support": float("nan")}, "min_support is nan, expected 0.0 to 1.0"),
    ({"min_citation_density": 1e308}, "min_citation_density is 1e+308, expected 0.0 to 100.0"),
    ({"allowed_names": "Acme"}, "allowed_names is 'Acme', expected a list of texts"),
    ({"allowed_names": ["Acme", 3]}, "allowed_names.1 is 3, expected a text"),
    ({"refusal_phrases": [""]}, "refusal_phrases.0 is '', expected a text that is not empty"),
    ({"name": None}, "name is None, expected a text"),
    ({"warn_similarity": True}, "warn_similarity is True, expected 0.0 to 1.0"),
    ({"min_documents": "2"}, "min_documents is '2', expected integer of at least 1"),
    ({"confidence_levels": 0.5}, "confidence_levels is 0.5, expected a list of 3 numbers"),
    ({"confidence_levels": [0.1, 0.2]}, "confidence_levels is [0.1, 0.2], expected a list of 3"),
    ({"confidence_levels": [0.1, 0.2, "x"]}, "confidence_levels.2 is 'x', expected a number"),
    ({"collection_thresholds": 0.3}, "collection_thresholds is 0.3, expected a table"),
    ({"collection_thresholds": {"a": 3.0}}, "collection_thresholds.a is 3.0, expected 0.0 to 2.0"),
    ({"verifiers": {"nli": 1}}, "verifiers.nli is 1, expected a table"),
    ({"verifiers": {"nli": {**CALIBRATED, "ours": 1000}}},
     "verifiers.nli.ours is 1000, expected -100.0 to 100.0"),
    ({"verifiers": {"nli": {**CALIBRATED, "our": 1}}},
     "verifiers.nli.our is not a setting; did you mean ours?"),
    ({"verifiers": {"nli": dict.fromkeys([*CALIBRATED][1:], 1.0)}},
     "verifiers.nli.intercept is missing, expected -100.0 to 100.0"),
    ({"colour": 1}, "colour is not a setting; streamguard policy lists them"),
    ({"policy": {"min_support": 0.5}},
     "policy is not a setting; settings stand at the top level, in no table: streamguard"),
    ({"wrong_form": 1}, "wrong_form is not a setting; did you mean wrong_from?"),
]  # fmt: skip


def test_a_wrong_value_is_named_with_what_is_allowed():
    for values, message in WRONG:
        with pytest.raises(ConfigError) as caught:
            Policy.load(values)
        assert str(caught.value).startswith(message)
        assert ";" not in str(caught.value).replace("setting;", "")  # the only thing said
