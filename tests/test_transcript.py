import hashlib

from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.machine.ledger import Transcript
from streamguard.testing import feed_every_way

TEXT = "Grüße 😀 at 5 €. Second 𝒳 sentence."


def read(pieces, max_chars=1_000):
    transcript = Transcript(max_chars)
    for piece in pieces:
        transcript.add(piece)
    return transcript


def test_sizes_and_digest_are_those_of_the_whole_text():
    report = feed_every_way(TEXT, lambda pieces: read(pieces).report())
    assert report.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert report.code_points == len(TEXT)
    assert report.utf8_bytes == len(TEXT.encode())
    assert report.utf16_units == len(TEXT.encode("utf-16-le")) // 2


def test_settling_many_waiting_sentences_copies_little():
    transcript = read(["One sentence. " * 4_096], 100_000)
    texts = set()
    for number in range(1, 4_097):
        assert transcript.settle(14 * number - 13, 14 * number)[1] == "ne sentence. "
        texts.add(len(transcript._open))
    assert len(texts) < 20  # each of them is a copy


def test_text_over_the_cap_is_counted_but_not_kept():
    def over(pieces):
        transcript = read(pieces, max_chars=10)
        return transcript.whole(), transcript.overflowed, transcript.report(), transcript.astral

    kept, overflowed, report, astral = feed_every_way(TEXT, over)
    assert kept == TEXT[:10]
    assert overflowed
    assert report == read([TEXT]).report()
    assert astral == [6]


@given(st.text(max_size=60), st.lists(st.integers(0, 60), max_size=4), st.integers(0, 70))
def test_settling_in_between_changes_nothing(text, cuts, cap):
    text = text.encode("utf-8", "replace").decode()
    whole = read([text], cap)
    stepwise = Transcript(cap)
    at = 0
    for cut in sorted(min(cut, len(text)) for cut in cuts):
        stepwise.add(text[at:cut])
        stepwise.settle(min(at, cap), min(cut, cap))
        at = cut
    stepwise.add(text[at:])
    assert stepwise.report() == whole.report()
    assert stepwise.whole() == whole.whole()
    assert stepwise.astral == whole.astral
    assert all(place < cap for place in whole.astral)
