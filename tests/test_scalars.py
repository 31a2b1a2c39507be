import pytest

from streamguard.text.scalars import ends_in_high_surrogate, scalar_text


@pytest.mark.parametrize(
    ("text", "scalars"),
    [
        ("plain", "plain"),
        ("grün 😀", "grün 😀"),
        ("a\ud83d\ude00b", "a😀b"),
        ("a\ud83d", "a\ufffd"),
        ("\ude00a", "\ufffda"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
        ("\udbff\udfff", "\U0010ffff"),
    ],
)
def test_pairs_are_joined_and_lone_surrogates_replaced(text, scalars):
    assert scalar_text(text) == scalars
    assert scalar_text(text).encode()


def test_only_a_high_surrogate_waits_for_the_next_piece():
    assert ends_in_high_surrogate("a\ud83d")
    assert not ends_in_high_surrogate("a\ude00")
    assert not ends_in_high_surrogate("")
    assert not ends_in_high_surrogate("a😀")
