import pytest

from streamguard.core.anchors import read_anchors
from streamguard.core.conflicts.reading import read
from streamguard.core.conflicts.signs import signs_of, turning
from streamguard.core.content import content_of


def signs(text):
    anchors = read_anchors(text)
    content = content_of(text, anchors)
    return signs_of(text, content.words, content.keys, len(anchors))


def test_turning_words_are_found_as_words_and_as_stems():
    content = content_of("It decreases after meals.", ())
    assert turning(content.words, content.keys) == {"decreas", "after"}


@pytest.mark.parametrize(
    ("text", "has_values"),
    [
        ("It costs $49.", True),
        ("It opens in May.", True),
        ("It may open.", False),
        ("They meet on Mondays.", True),
        ("They meet weekly.", True),
        ("They meet every week.", True),
        ("They meet for a week.", False),
        ("Every cat sleeps.", False),
    ],
)
def test_what_names_no_value_holds_none_when_it_is_read(text, has_values):
    assert signs(text).has_values is has_values
    assert bool(read(text, read_anchors(text)).values) is has_values


@pytest.mark.parametrize(
    ("text", "may_deny"),
    [
        ("Refunds are not given.", True),
        ("Refunds aren't given.", True),
        ("Cats MIGHTN'T sleep.", True),
        ("It is impossible.", True),
        ("It is possible.", False),
    ],
)
def test_what_may_deny_is_seen_by_its_words(text, may_deny):
    assert signs(text).may_deny() is may_deny
    assert bool(read(text, ()).negations) is may_deny


@pytest.mark.parametrize(
    ("text", "on_axis"),
    [
        ("Eat before lunch.", (True, True)),
        ("Eat after lunch.", (True, False)),
        ("Do not eat after lunch.", (True, True)),
        ("Eat less after lunch.", (True, True)),
        ("Eat lunch.", (False, False)),
        ("Do not eat lunch.", (False, False)),
    ],
)
def test_a_sentence_may_say_the_contrary_by_a_word_of_the_axis(text, on_axis):
    assert signs(text).on_axis("order", -1) == on_axis
