import pytest

from streamguard.text import words as words_module
from streamguard.text.words import (
    content_words,
    has_inner_capital,
    parts_in,
    stem,
    word_tokens,
    words_in,
)


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
        ("child", "children", "children's"),
        ("leave", "leaves", "leaving"),
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


@pytest.mark.parametrize(
    ("text", "words", "parts"),
    [
        ("Don't re-use it", ["Don't", "re-use", "it"], ["Don", "t", "re", "use", "it"]),
        ("'Well--known' rock-'n'-roll-", ["Well", "known", "rock", "n", "roll"], None),
        ("a-b'c 3-day\n-x- y'", ["a-b'c", "3-day", "x", "y"], None),
        ("snake_case 24/7", ["snake", "case", "24", "7"], None),
        ("Škoda's élan—vital", ["Škoda's", "élan", "vital"], ["Škoda", "s", "élan", "vital"]),
        ("-' --", [], []),
    ],
)
def test_words_keep_single_signs_inside_them_and_parts_keep_none(text, words, parts):
    assert words_in(text) == words
    assert words_in(f"{text} é") == [*words, "é"]  # other than ASCII is cut by the pattern
    if parts is not None:
        assert parts_in(text) == parts


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("We met Ann.", True),
        ("In spring, Ann left.", True),
        ("Ann met him; the I of it", True),
        ("Ann", False),
        ("NASA Ames", False),
        ("ann met him. Ann", False),
    ],
)
def test_an_inner_capital_stands_behind_a_word_in_small_letters(text, inner):
    assert has_inner_capital(text) is inner
