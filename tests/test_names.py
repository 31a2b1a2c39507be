import re

from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.names import (
    NAME_PATTERN,
    NameIndex,
    literal_names,
    lone_names,
    read_names,
)
from tests.tables import differing

# Texts and the names they hold, joined by " | ".
NAMES = [
    # several words
    ("the Bank of the West", "Bank of the West"),
    # sentence words are no part of a name
    ("The Eiffel Tower is tall.", "Eiffel Tower"), ("When Ada Lovelace came", "Ada Lovelace"),
    ("Ask Ms Okonkwo for a key.", "Ms Okonkwo"), ("We Ask Ms Okonkwo for it.", "Ask Ms Okonkwo"),
    # one word alone
    ("the FBI and the CIA", "FBI | CIA"), ("the PDF of the CD", ""),
    ("Falcon 9 landed.", "Falcon 9"),
    # mixed case and products
    ("the iPhone", "iPhone"), ("buy it on eBay or YouTube", "eBay | YouTube"),
    ("vitamin B12 and B6", ""), ("an openSUSE server", ""),
    # particles
    ("by Vincent van Gogh in oil", "Vincent van Gogh"), ("University of Passage 2", ""),
    # hyphens, apostrophes, possessives
    ("Grace Hopper's work", "Grace Hopper"), ("Apple's Tim Cook", "Tim Cook"),
    ("NASA's rover", "NASA"), ("a NATO-led mission", "NATO"),
    ("St. Louis Blues", "St. Louis Blues"),
    # initials and stops
    ("by J. K. Rowling in 1997", "J. K. Rowling"), ("B. Engage in sport.", ""),
    # references, dates, shouting, other things that are capitalised
    ("Passage 2 says so", ""), ("It was Monday, March 5.", ""),
    ("the Interquartile range (IQR)", ""),
    ("the World Health Organization (WHO)", "World Health Organization"), ("mail me@ACME.org", ""),
    # variables, and signs that are only written like theirs
    ("Run echo $HOME, ${PATH} or $Path Variable.", ""), ("Price: $TBD", ""),
    ("A$AP Rocky sang for {NASA}.", "AP Rocky | NASA"),
    ("AB", "AB"), ("WARNING: HOT SURFACE", "WARNING | HOT SURFACE"),
    ("two\nNew York\nlines", "New York"),
]  # fmt: skip

# source text, name text, whether the source holds the (only) name of it
FINDS = [
    ("Grace Hopper", "we met Uncle Grace Hopper", False),
    # titles, written out or not
    ("Prof. Dr. Lena Sommer leads", "ask Professor Sommer", True),
    ("Lena Sommer leads", "ask Dr. Sommer", True),
    ("Martin King", "by Dr. King", True),
    ("Ms Brandt leads", "Contact Mrs Brandt about it.", True),
    ("Lena Sommer leads", "ask Judge Rosa Sommer", False),
    ("the motors and the General", "by General Motors", False),
    # abbreviations of words that stand there
    ("log in by single sign-on", "with SSO", True),
    ("The chief executive left.", "the CEO", True),
    ("two databases", "two DBs", True),
    ("on to in of", "the OTI", False),
    ("Škoda Octavia", "the Skoda Octavia", True),
    ("in Łódź", "the Lodz Opera", False),
    ("O'Connor sang", "by Sinéad O'Connor", False),
    ("the Windows Services", "the Windows Service", True),
    ("Department for Labor; in the Department", "the Department of Labor", True),
    ("learning on a machine", "use Machine Learning", True),
    ("the World Health Organization", "by the WHO", True),
    ("the WHO said", "the World Health Organization", True),
    ("RMDs are", "the RMD", True),
    ("The Rollstone Bank", "Visit Rollstone Bank today", True),
    ("New York. The New Jersey York Times", "the New York Times", False),
]

# (text, the names of one plain word that its capitals tell)
LONE = [
    ("The office moved from Lyon to Rotterdam in 2020.", "Lyon | Rotterdam"),
    ("It was built by Okafor, Fischer and others.", "Okafor"),
    ("They met near Worcester's market.", "Worcester"),
    ("The hobbits saved Middle-earth.", "Middle-earth"),
    ("The team lives in New York.", ""),
    ("See the Hall of Science in town.", ""),
    ("It is written in English and French.", ""),
    ("In Rome or in Ulm.", "Rome"),
]


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


def test_a_match_says_where_and_an_unknown_name_gets_the_nearest_word_it_shares():
    hopper = only("met Grace Hopper")
    match = index_of("nothing", "by Grace Hopper's hand").find(hopper)
    assert (match.found, match.chunk, match.start, match.end) == (True, 1, 3, 15)
    match = index_of("by Grace Kelly").find(hopper)
    assert (match.found, match.chunk, match.text) == (False, 0, "Grace")
    assert index_of("by nobody").find(hopper).chunk is None


def test_ordinary_words_name_nothing_wherever_they_stand():
    match = index_of("the wind has a speed").find(only("the Wind Speed"))
    assert (match.found, match.chunk) == (True, None)


def test_the_sources_use_of_small_letters_is_known_and_follows_additions():
    index = index_of(
        *(f"The panel{letter} opens." for letter in "abcdefghij"),
        "Use the Panel. The état is état.",
    )
    assert all(index.uses_lower(f"panel{letter}") for letter in "agj")
    assert index.uses_lower("The")
    assert index.uses_lower("État")
    assert not index.uses_lower("Panel")
    index.add(11, "a panel")
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


CHARACTERS = "aA.'-&_@°/0 \n(ŠßİΣ"
WORDS = " |The|New|York|iPhone|GPT-4o|van|of the|'s|Passage| 2 |(BMI)|J.|however|U.S.|WHO|kWh"
PIECES = st.sampled_from([*CHARACTERS, *WORDS.split("|")])


@given(st.lists(PIECES, max_size=40).map("".join))
def test_names_are_in_order_apart_and_held_by_their_text(text):
    end, index = 0, index_of(text)
    for name in read_names(text):
        assert end <= name.start < name.end
        assert name.text == text[name.start : name.end]
        assert name.tokens
        assert index.find(name).found  # as its own text holds it
        end = name.end


@given(st.text(alphabet="AaBb _\n1é", max_size=60))
def test_literal_names_are_the_published_patterns_matches(text):
    published = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b")
    assert literal_names(text) == [found.span() for found in published.finditer(text)]
    assert NAME_PATTERN.flags == published.flags


def test_a_name_of_many_texts_is_found_and_runs_on_from_none_into_the_next():
    index = NameIndex()
    for number, letter in enumerate("abcdefgh"):
        index.add(number, f"{'So it goes. ' * 100}Ada Love{letter} signs. Ada Love{letter} met É.")
    for number, letter in enumerate("abcdefgh"):
        match = index.find(only(f"Ada Love{letter} signs."))
        assert (match.found, match.chunk, match.text) == (True, number, f"Ada Love{letter}")
    index.add(8, "Later Ada Lovez signed.")
    assert index.find(only("It is Ada Lovez.")).chunk == 8
    index = index_of("Signed by Ada Ada", "Ada Ada Lovelace signs.", "Ada")
    assert not index.find(only("So Ada Ada Ada Lovelace came.")).found
    assert index.find(only("So Ada Ada Lovelace came.")).chunk == 1
