import pytest
from pydantic import ValidationError

from streamguard.core.policy import PRESETS, Policy
from streamguard.errors import ConfigError


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_carries_its_name(name):
    assert Policy.preset(name).name == name


def test_the_default_policy_is_moderate():
    assert Policy() == Policy.preset("moderate")


@pytest.mark.parametrize(
    ("name", "uncovered", "density", "refuse", "distance"),
    [
        ("strict", 1, 0.5, True, 0.5),
        ("moderate", 2, 0.3, False, 0.8),
        ("lenient", 3, 0.0, False, 1.2),
    ],
)
def test_presets_have_the_published_figures(name, uncovered, density, refuse, distance):
    policy = Policy.preset(name)
    assert policy.max_uncovered_claims == uncovered
    assert policy.min_citation_density == density
    assert policy.refuse_on_no_citations is refuse
    assert policy.confidence_threshold == distance
    assert policy.min_similarity_for_mapping == 0.40
    assert policy.max_uncovered_ratio == 1.0


def test_calibrated_and_literal_differ_where_they_say():
    assert Policy.preset("calibrated").min_relevance == 0.04
    assert Policy.preset("calibrated").min_completeness == 0.34
    literal = Policy.preset("literal")
    assert literal.warn_similarity == literal.min_similarity_for_mapping
    assert literal.matching == "literal"


def test_overrides_go_over_the_preset():
    assert Policy.preset("strict", max_uncovered_claims=0).max_uncovered_claims == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"confidence_threshold": 3.0}, "confidence_threshold is 3.0, expected 0.0 to 2.0"),
        ({"min_documents": 0}, "min_documents is 0, expected integer of at least 1"),
        ({"on_refuse": "block"}, "on_refuse is 'block', expected one of annotate, replace"),
        ({"strict_mode": "maybe"}, "strict_mode is 'maybe', expected true or false"),
        ({"warn_similarity": 1.5}, "warn_similarity is 1.5, expected 0.0 to 1.0"),
        ({"allowed_names": 3}, "allowed_names is 3, Input should be a valid tuple"),
        ({"treshold": 1}, "treshold is not a setting; the settings are "),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(values, message):
    with pytest.raises(ConfigError) as caught:
        Policy.load(values)
    assert str(caught.value).startswith(message)


def test_an_unknown_preset_is_named_with_those_there_are():
    with pytest.raises(ConfigError, match="policy is 'strickt', expected one of strict, moderate"):
        Policy.preset("strickt")


def test_a_policy_is_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        Policy().name = "other"  # type: ignore[misc]
