import pytest

from streamguard.text.words import (
    Memo,
    content_words,
    parts_in,
    stem,
    word_tokens,
    words_apart,
    words_in,
)

FAMILIES = """release releases released releasing, plan plans planned planning, fall falls falling
    company companies company's, pass passes passed passing, quick quickly, leave leaves leaving
    child children children's"""


def test_forms_of_one_word_share_a_stem():
    families = [family.split() for family in FAMILIES.replace("\n", ",").split(",")]
    assert [family for family in families if len(set(map(stem, family))) > 1] == []


def test_other_words_keep_their_stems():
    for pair in ("universe university", "sing s", "bus bu", "red r", "string str"):
        one, other = pair.split()
        assert stem(one) != stem(other)
    assert [stem(word) for word in ("as", "gas", "mp3s", "a1ing")] == ["as", "gas", "mp3s", "a1ing"]


def test_tokens_are_case_folded_and_content_words_leave_out_function_words():
    words = ["don't", "re-use", "the", "big", "strasse", "24", "7"]
    assert word_tokens("Don't re-use the_Big STRASSE 24/7!") == words
    assert content_words("The plan is not included in these plans") == ["plan", "includ", "plan"]


def test_words_are_forgotten_when_there_are_too_many():
    memo = Memo(str.upper, most=2)
    assert [memo[word] for word in ("a", "b", "c", "a", "x" * 65)] == ["A", "B", "C", "A", "X" * 65]
    assert dict(memo) == {"c": "C", "a": "A"}


@pytest.mark.parametrize(
    ("text", "words", "parts"),
    [
        ("Don't re-use it", "Don't re-use it", "Don t re use it"),
        ("'Well--known' rock-'n'-roll-", "Well known rock n roll", None),
        ("a-b'c 3-day\n-x- y'", "a-b'c 3-day x y", None),
        ("snake_case 24/7", "snake case 24 7", None),
        ("Škoda's élan—vital", "Škoda's élan vital", "Škoda s élan vital"),
        ("-' --", "", ""),
    ],
)
def test_words_keep_single_signs_inside_them_and_parts_keep_none(text, words, parts):
    assert words_in(text) == words.split()
    assert words_in(f"{text} é") == [*words.split(), "é"]  # other than ASCII is cut by the pattern
    for written in (text, f"{text} é"):
        assert words_apart(written).split() == words_in(written)
        assert len(words_apart(written)) == len(written)
    if parts is not None:
        assert parts_in(text) == parts.split()
