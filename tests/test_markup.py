from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.validate import check_text
from streamguard.text.markup import unwrapped
from tests.kit.tables import differing

WRAPPED = "The plan costs a lot of money for people who live in the far"
WRAPS = [
    ("The plan\ncosts money.", "The plan costs money."),
    (f"{WRAPPED}\nNorth of it.", f"{WRAPPED} North of it."),
    *((text, text) for text in ("It ends.\nthis begins", "Title\nThe plan costs money.",
     "The plan\n\ncosts money.", "You need\n- bread\n- milk", "You need\n1. bread", "# head\ntext",
     "| a |\nb", "plan | price\nbasic")),
]  # fmt: skip


def test_breaks_inside_a_sentence_become_spaces():
    assert differing(WRAPS, unwrapped) == []


@given(st.text(alphabet="aB.\n-|# 1", max_size=80))
def test_only_line_breaks_change_and_only_into_spaces(text):
    result = unwrapped(text)
    assert len(result) == len(text)
    assert all(
        new == old or (old, new) == ("\n", " ") for old, new in zip(text, result, strict=True)
    )


def test_a_verbatim_sentence_of_a_wrapped_passage_is_covered():
    passage = "The monthly pass\ncan be cancelled at any\ntime by the owner of\nthe account."
    result = check_text(passage.replace("\n", " "), context=Context(chunks=[passage]))
    assert result.sentences[0].coverage == 1.0
    assert result.sentences[0].evidence.end == len(passage)
