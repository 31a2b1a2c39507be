import pytest

from streamguard.errors import ConfigError
from streamguard.rag.gate import policy_for
from streamguard.settings import load_policy


def load(named=None, environ=None, *assignments):
    return load_policy(named, environ=environ or {}, assignments=assignments)


def test_a_variable_sets_its_setting(tmp_path):
    for variable, text, setting, value in (
        ("RAG_STRICT_MODE", "True", "strict_mode", True),
        ("RAG_STRICT_MODE", "false", "strict_mode", False),
        ("RAG_STRICT_MODE", "0", "strict_mode", False),
        ("RAG_CONFIDENCE_THRESHOLD", "0.8", "confidence_threshold", 0.8),
        ("RAG_CONFIDENCE_THRESHOLD", " 2 ", "confidence_threshold", 2.0),
        ("RAG_MIN_DOCUMENTS", "3", "min_documents", 3),
        ("RAG_VALIDATION_ENABLED", "False", "validation_enabled", False),
        ("RAG_VALIDATION_ENABLED", "on", "validation_enabled", True),
    ):
        loaded = load("lenient", {variable: text})
        assert getattr(loaded.policy, setting) == value
        assert loaded.origins[setting] == variable
    for metric, setting in (
        ("squared_l2", "confidence_threshold"),
        ("cosine", "confidence_threshold"),
        ("similarity", "similarity_threshold"),
    ):
        loaded = load(None, {"RAG_CONFIDENCE_THRESHOLD": "0.9"}, f"metric={metric}")
        assert getattr(loaded.policy, setting) == 0.9
        assert loaded.origins[setting] == "RAG_CONFIDENCE_THRESHOLD"
    file = tmp_path / "p.toml"
    file.write_text("similarity_threshold = 0.2\n")
    for environ, threshold in (({"RAG_CONFIDENCE_THRESHOLD": "0.6"}, 0.6), ({}, 0.2)):
        policy = policy_for(load(str(file), environ).policy, "similarity")
        assert policy.similarity_threshold == threshold


@pytest.mark.parametrize(
    ("environ", "assignments", "message"),
    [
        ({"RAG_STRICT_MODE": "maybe"}, (), "RAG_STRICT_MODE is 'maybe', expected True or False"),
        ({"RAG_CONFIDENCE_THRESHOLD": "3.0"}, (),
         "RAG_CONFIDENCE_THRESHOLD is '3.0', expected 0.0 to 2.0 (metric squared_l2)"),
        ({"RAG_CONFIDENCE_THRESHOLD": "1.2"}, ("metric=cosine",),
         "RAG_CONFIDENCE_THRESHOLD is '1.2', expected 0.0 to 1.0 (metric cosine)"),
        ({"RAG_CONFIDENCE_THRESHOLD": "nan"}, ("metric=similarity",),
         "RAG_CONFIDENCE_THRESHOLD is 'nan', expected 0.0 to 1.0 (metric similarity)"),
        ({"RAG_MIN_DOCUMENTS": "two"}, (),
         "RAG_MIN_DOCUMENTS is 'two', expected a whole number of at least 1"),
        ({"RAG_MIN_DOCUMENTS": "9" * 5_000}, (), f"RAG_MIN_DOCUMENTS is '{'9' * 80}', exp"),
        ({}, ("warn_similarity",), "--set is 'warn_similarity', expected NAME=VALUE"),
        ({}, ("=3",), "--set is '=3', expected NAME=VALUE"),
        ({}, ("warn_similarity=3",), "--set: warn_similarity is 3, expected 0.0 to 1.0"),
        ({}, ("metric=euclid",), "--set: metric is 'euclid', expected one of squared_l2, cosine,"),
        ({}, ("colour=red",), "--set: colour is not a setting; streamguard policy lists them"),
        ({"STREAMGUARD_POLICY": "severe"}, (),
         "policy is 'severe', expected one of strict, moderate, lenient, calibrated, literal"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_with_name_value_and_what_is_allowed(
    environ, assignments, message
):
    with pytest.raises(ConfigError) as refused:
        load(None, environ, *assignments)
    assert str(refused.value).startswith(message)


def test_a_wrong_file_is_refused_with_its_path(tmp_path):
    path = tmp_path / "ours.toml"
    for content, message in (
        (b"warn_similarity = 3.0", "warn_similarity is 3.0, expected 0.0 to 1.0"),
        (b"warnings = 3", "warnings is not a setting"),
        (b'preset = "severe"', "preset is 'severe', expected one of strict, moderate,"),
        (b"preset = 3", "preset is 3, expected one of strict, moderate,"),
        (b"not toml", "is not TOML:"),
        (b"\xff", "is not TOML:"),
    ):
        path.write_bytes(content)
        with pytest.raises(ConfigError) as refused:
            load(str(path))
        assert str(path) in str(refused.value)
        assert message in str(refused.value)
    with pytest.raises(ConfigError, match="cannot be read"):
        load(str(tmp_path))


@pytest.mark.parametrize(
    "text",
    ["a=" + "[" * 20_000, ".".join(["a"] * 5_000) + "=1", "min_documents=" + "9" * 5_000, "a=\0"],
)
def test_a_policy_file_made_to_break_its_reader_is_said_to_be_none(tmp_path, text):
    path = tmp_path / "policy.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="is not TOML"):
        load(str(path))
