import pytest

from streamguard.testing import every_split, feed_every_way


def test_every_split_joins_to_the_text_and_a_reader_that_depends_on_the_cut_is_caught():
    splits = list(every_split("Hello, wörld!"))
    assert {"".join(pieces) for pieces in splits} == {"Hello, wörld!"}
    assert splits == list(every_split("Hello, wörld!"))
    assert splits != list(every_split("Hello, wörld!", seed=1))
    assert feed_every_way("abcdef", "".join) == "abcdef"
    with pytest.raises(AssertionError, match=r"split \['a', 'b'.* gives 6, whole gives 1"):
        feed_every_way("abcdef", len)
