import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.text.normalise import (
    Folded,
    fold,
    fold_source,
    scalar_text,
    unaccented,
)
from tests.kit.tables import differing

FOLDS = [
    ('plain ASCII, it\'s "so" - `x` \t\r\n', 'plain ASCII, it\'s "so" - `x` \t\r\n'),
    ("it’s ‘so’ ‹so› ´so´ ʼso 5′", "it's 'so' 'so' 'so' 'so 5'"),
    ("“so” „so‟ «so» ″so″", '"so" "so" "so" "so"'),
    ("10–15, −5, non‑breaking, fig‒ure, hy‐phen", "10-15, -5, non-breaking, fig-ure, hy-phen"),
    ("word—word ― ﹘", "word—word — —"),
    ("a\u00a0b\u202fc\u2009d\u3000e\u1680f", "a b c d e f"),
    ("a\u2028b\u2029c\x85d", "a\nb\nc\nd"),
    ("co\u00adop \u200bzero\ufeff\u2060 \u202abidi\u202c \u2066x\u2069", "coop zero bidi x"),
    ("❤\ufe0f 👩\u200d💻", "❤ 👩💻"),
    ("１２３ ＡＢＣ ％ ＇ ＂ － ￥", "123 ABC % ' \" - ¥"),
    ("ﬁne ﬂow Ⅳ ㎏ № ℃ …", "fine flow IV kg No °C ..."),
    ("growth² x₂ word① Acme™ 1ª 2º", "growth² x₂ word① Acme™ 1ª 2º"),
    ("½ cup, 1½ cups, 1 ½ cups, ¾", "1/2 cup, 1 1/2 cups, 1 1/2 cups, 3/4"),
    ("5⁄8 and ½½ and 1\u200b½", "5/8 and 1/2 1/2 and 1 1/2"),
    ("Cafe\u0301 e\u0323\u0301 e\u200d\u0301", "Café ẹ́ é"),
    ("\u1112\u1161\u11ab \uac00\u11a8 ﾊﾞﾆﾗ", "한 각 バニラ"),
    ("Größe, Škoda, नमस्ते, 日本語", "Größe, Škoda, नमस्ते, 日本語"),
    ("lone \ud83d surrogate’s", "lone \ud83d surrogate's"),
]


def test_texts_fold_as_written_and_folding_twice_changes_nothing_more():
    assert differing(FOLDS, lambda text: fold(text).text) == []
    assert differing(FOLDS, lambda text: fold(fold(text).text).text) == []


SPANS = [
    # text, what to find in its folded copy, what that is in the text
    ("it’s here", "it's", "it’s"), ("\u200bfoo\u200b bar", "foo", "foo"),
    ("fo\u00ado bar", "foo", "fo\u00ado"), ("a ﬁne day", "f", "ﬁ"), ("a ﬁne day", "ine", "ﬁne"),
    ("take 1½ cups", "1 1/2", "1½"), ("take 1½ cups", "1/2", "½"), ("take 1½ cups", "cups", "cups"),
    ("wait… and “go”", '"go"', "“go”"), ("Cafe\u0301 au lait", "Café", "Cafe\u0301"),
    ("Cafe\u0301 au lait", "lait", "lait"), ("\u00ad\u00ad...... …x", "x", "x"),
]  # fmt: skip


def test_spans_lead_back_to_the_text():
    def original(text, needle):
        folded = fold(text)
        at = folded.text.index(needle)
        start, end = folded.span(at, at + len(needle))
        return text[start:end]

    assert differing(SPANS, original) == []
    assert fold("plain").span(2, 2) == (2, 2)
    assert fold("a ﬁne").span(4, 4) == (3, 3)
    assert fold("it’s 5–6\u00a0€").edits == ()  # a text that keeps its length needs no map
    assert fold("ASCII") == Folded("ASCII")


SIGNS = "aé1½ﬁ…’“–—\u200b\u00ad\u0301\u0323①²ﾊﾞ\u1112\u1161\u11ab👩\u200d\ufe0f\ud83d １．\u2028\n "


@given(st.text(alphabet=SIGNS) | st.text())
def test_units_come_in_order_and_cover_what_is_visible(text):
    folded = fold(text)
    spans = [folded.span(at, at + 1) for at in range(len(folded.text))]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert not spans or folded.span(0, len(spans))[1] == max(end for _, end in spans)
    between = set(range(len(text))) - {at for start, end in spans for at in range(start, end)}
    assert all(fold(text[at]).text == "" for at in between)


def test_latin_letters_lose_their_marks_and_others_keep_them():
    words = "gdansk gdańsk łódź Ærøskøbing são việt が й 한"
    plain = "gdansk gdansk lodz Æroskobing sao viet が й 한"
    assert " ".join(map(unaccented, words.split())) == plain


@pytest.mark.parametrize(
    ("text", "scalars"),
    [
        ("grün 😀", "grün 😀"),
        ("a\ud83d\ude00b", "a😀b"),
        ("a\ud83d", "a\ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
    ],
)
def test_pairs_are_joined_and_lone_surrogates_replaced(text, scalars):
    assert scalar_text(text) == scalars


@given(st.text(alphabet='a1 €½’é😀\n\t"\\/,:', max_size=40), st.booleans())
def test_the_text_in_json_is_read_as_what_its_escapes_stand_for(text, ascii_only):
    written = json.dumps({"price": text}, ensure_ascii=ascii_only)
    folded = fold_source(written)
    start = folded.text.index(": ") + 3
    plain = fold(text).text
    assert folded.text[start:-2] == plain
    if plain:
        assert json.loads(f'"{written[slice(*folded.span(start, start + len(plain)))]}"') == text


def test_a_backslash_elsewhere_is_one():
    path = 'It is in C:\\new\\u20ac, "so to speak".'
    assert fold_source(path) == Folded(path)
