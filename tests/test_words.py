import pytest

from streamguard.core import words as words_module
from streamguard.core.words import content_words, stem, word_tokens


@pytest.mark.parametrize(
    "family",
    [
        ("release", "releases", "released", "releasing"),
        ("plan", "plans", "planned", "planning"),
        ("company", "companies", "company's"),
        ("cost", "costs", "costing"),
        ("fall", "falls", "falling"),
        ("pass", "passes", "passed", "passing"),
        ("quick", "quickly"),
        ("box", "boxes"),
        ("church", "churches"),
        ("include", "includes", "included", "including"),
    ],
)
def test_forms_of_one_word_share_a_stem(family):
    assert len({stem(word) for word in family}) == 1, [stem(word) for word in family]


@pytest.mark.parametrize(
    ("one", "other"),
    [("universe", "university"), ("sing", "s"), ("bus", "bu"), ("red", "r"), ("string", "str")],
)
def test_different_words_keep_different_stems(one, other):
    assert stem(one) != stem(other)


def test_short_and_mixed_words_are_left_alone():
    assert [stem(word) for word in ("as", "gas", "mp3s", "a1ing")] == ["as", "gas", "mp3s", "a1ing"]


def test_word_tokens_are_case_folded_and_keep_inner_hyphens_and_apostrophes():
    assert word_tokens("Don't re-use the_Big STRASSE 24/7!") == [
        "don't", "re-use", "the", "big", "strasse", "24", "7",
    ]  # fmt: skip


def test_content_words_leave_out_function_words():
    assert content_words("The plan is not included in these plans") == ["plan", "includ", "plan"]


def test_words_are_forgotten_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(words_module, "_MOST_WORDS", 2)
    memo = words_module.Memo(str.upper)
    assert [memo[word] for word in ("a", "b", "c", "a")] == ["A", "B", "C", "A"]
    assert dict(memo) == {"c": "C", "a": "A"}
