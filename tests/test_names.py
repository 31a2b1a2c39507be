import re

from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.names import (
    NAME_PATTERN,
    NameIndex,
    literal_names,
    lone_names,
    read_names,
    tokens_of,
)
from tests.name_cases import FINDS, LONE, NAMES
from tests.tables import differing


def index_of(*chunks: str) -> NameIndex:
    index = NameIndex()
    for number, chunk in enumerate(chunks):
        index.add(number, chunk)
    return index


def only(text: str):
    (name,) = read_names(text)
    return name


def joined(names) -> str:
    return " | ".join(name.text for name in names)


def test_a_text_holds_these_names():
    assert differing(NAMES, lambda text: joined(read_names(text))) == []


def test_what_stands_before_and_after_moves_names_but_does_not_change_them():
    alone = [(text, [(n.text, n.start) for n in read_names(text)]) for text, _ in NAMES]

    def moved(text):
        return [(n.text, n.start - 10) for n in read_names(f"so it is: {text}\nand on")]

    assert differing(alone, moved) == []


def test_a_capital_inside_a_sentence_tells_a_name():
    assert differing(LONE, lambda text: joined(lone_names(text))) == []
    names = [(text, name) for text, _ in LONE for name in lone_names(text)]
    assert all(text[name.start : name.end] == name.text for text, name in names)


def test_the_sources_hold_a_name_or_not():
    def found(source, text):
        match = index_of(source).find(only(text))
        assert match.start is None or source[match.start : match.end] == match.text
        return match.found

    assert differing(FINDS, found) == []


def test_the_first_words_of_a_sentence_are_marked_and_need_not_be_held():
    assert only("Visit Rollstone Bank today").initial
    assert only("- Visit Rollstone Bank today").initial
    assert only("Go. Visit Rollstone Bank today").initial
    assert not only("we Visit Rollstone Bank today").initial
    assert not only("The Rollstone Bank is open").initial


def test_a_match_says_where():
    index = index_of("nothing", "by Grace Hopper's hand")
    match = index.find(only("met Grace Hopper"))
    assert (match.found, match.chunk, match.start, match.end) == (True, 1, 3, 15)
    assert match.text == "Grace Hopper"


def test_an_unknown_name_gets_the_nearest_word_it_shares():
    match = index_of("by Grace Kelly").find(only("met Grace Hopper"))
    assert (match.found, match.chunk, match.text) == (False, 0, "Grace")
    assert index_of("by nobody").find(only("met Grace Hopper")).chunk is None


def test_a_name_does_not_run_from_one_chunk_into_the_next():
    assert not index_of("Grace", "Hopper").find(only("met Grace Hopper")).found


def test_ordinary_words_name_nothing_wherever_they_stand():
    match = index_of("the wind has a speed").find(only("the Wind Speed"))
    assert (match.found, match.chunk) == (True, None)


def test_the_sources_use_of_small_letters_is_known_and_follows_additions():
    index = index_of("Use the Panel. The état is état.")
    assert index.uses_lower("The")
    assert index.uses_lower("État")
    assert not index.uses_lower("Panel")
    index.add(1, "a panel")
    assert index.uses_lower("Panel")


def test_an_acronym_is_spelled_out_by_chunks_added_later():
    index = index_of("nothing")
    assert not index.find(only("by the WHO")).found
    index.add(1, "World Health Organization")
    assert index.find(only("by the WHO")).chunk == 1
    assert not index.find(only("by the NASA")).found


def test_a_pair_of_words_that_is_everywhere_is_looked_at_a_bounded_number_of_times():
    index = index_of("New York Times " * 100 + "New York Post")
    assert index.find(only("the New York Times")).found
    assert not index.find(only("the New York Post")).found


def test_tokens_are_folded_and_lose_the_possessive():
    assert tokens_of("Škoda's O'Brien-Smith Σ") == ("skoda", "o", "brien", "smith", "σ")


CHARACTERS = "aA.'-&_@°/0 \n(ŠßİΣ"
WORDS = " |The|New|York|iPhone|GPT-4o|van|of the|'s|Passage| 2 |(BMI)|J.|however|U.S.|WHO|kWh"
PIECES = st.sampled_from([*CHARACTERS, *WORDS.split("|")])


@given(st.lists(PIECES, max_size=40).map("".join))
def test_name_spans_are_ordered_disjoint_and_quote_the_text(text):
    end = 0
    for name in read_names(text):
        assert end <= name.start < name.end
        assert name.text == text[name.start : name.end]
        assert name.tokens
        end = name.end


@given(st.lists(PIECES, max_size=30).map("".join))
def test_every_name_is_held_by_its_own_text(text):
    index = index_of(text)
    assert all(index.find(name).found for name in read_names(text))


def test_literal_names_keep_a_leading_sentence_word_as_published():
    assert literal_names("The Eiffel Tower and Paris") == [(0, 16)]


@given(st.text(alphabet="AaBb _\n1é", max_size=60))
def test_literal_names_are_the_published_patterns_matches(text):
    published = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b")
    assert literal_names(text) == [found.span() for found in published.finditer(text)]
    assert NAME_PATTERN.flags == published.flags


def test_small_letters_of_many_texts_are_all_read():
    index = NameIndex()
    for number in range(20):
        index.add(number, f"The panel{'abcdefghijklmnopqrst'[number]} opens.")
    assert all(index.uses_lower(f"panel{letter}") for letter in "ahijqt")
    assert not index.uses_lower("panelz")


def test_names_of_many_texts_are_found_whether_read_before_they_are_asked_for_or_then():
    index = NameIndex()
    for number, letter in enumerate("abcdefgh"):
        index.add(number, f"{'So it goes. ' * 100}Ada Love{letter} signs. Ada Love{letter} met É.")
    for number, letter in enumerate("abcdefgh"):
        (name,) = read_names(f"Ada Love{letter} signs.")
        match = index.find(name)
        assert (match.found, match.chunk, match.text) == (True, number, f"Ada Love{letter}")
    index.add(8, "Later Ada Lovez signed.")
    (name,) = read_names("It is Ada Lovez.")
    assert index.find(name).chunk == 8


def test_no_name_runs_on_from_one_text_into_the_next():
    index = index_of("Signed by Ada Ada", "Ada Ada Lovelace signs.", "Ada")
    (long,) = read_names("So Ada Ada Ada Lovelace came.")
    assert not index.find(long).found
    (held,) = read_names("So Ada Ada Lovelace came.")
    assert index.find(held).chunk == 1
