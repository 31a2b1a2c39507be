import re

from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.names.reading import (
    NAME_PATTERN,
    NameIndex,
    literal_names,
    lone_names,
    read_names,
)
from tests.kit.tables import differing

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
    # abbreviations of words that stand there
    ("Škoda Octavia", "the Skoda Octavia", True),
    ("in Łódź", "the Lodz Opera", False),
    ("O'Connor sang", "by Sinéad O'Connor", False),
    ("Halden Foods signed", "with Halden Foods Ltd", True),
    ("The chief executive left.", "the CEO", True),
    ("two databases", "two DBs", True),
    ("the Windows Services", "the Windows Service", True),
    ("Department for Labor; in the Department", "the Department of Labor", True),
    ("RMDs are", "the RMD", True),
    ("learning on a machine", "use Machine Learning", False),
    ("the World Health Organization", "by the WHO", True),
    ("the WHO said", "the World Health Organization", True),
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
    texts = list(chunks)
    index = NameIndex(texts.__getitem__, lambda word: ())
    for text in texts:
        index.add(text)
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
        return index_of(source).find(only(text)).found

    assert differing(FINDS, found) == []


def test_the_first_words_of_a_sentence_are_marked_and_need_not_be_held():
    assert only("Local Rollstone Bank today").initial
    assert only("- Local Rollstone Bank today").initial
    assert only("Go. Local Rollstone Bank today").initial
    assert not only("we Visit Rollstone Bank today").initial
    assert not only("The Rollstone Bank is open").initial


TOLD_TO = [
    ("Visit Rollstone Bank today", ["Rollstone Bank"]), ("Ask Mrs Brandt", ["Mrs Brandt"]),
    ("Call Olga for help", ["Olga"]), ("- Email Olga.", ["Olga"]), ("Call NASA", ["NASA"]),
    ("Open Settings", []), ("Check December", []), ("we Call Olga", ["Call Olga"]),
    ("Call Anna-Lena", ["Anna-Lena"]), ("The Business is open", []), ("GET Olga", ["GET Olga"]),
]  # fmt: skip


def test_the_verb_of_an_instruction_is_no_part_of_a_name():
    assert differing(TOLD_TO, lambda text: [one.text for one in read_names(text)]) == []


def test_an_unknown_name_gets_the_longest_word_that_the_sources_share_with_it():
    hopper = only("met Grace Hopper")
    assert index_of("nothing", "by Grace Hopper's hand").find(hopper) == (True, None, None, None)
    assert index_of("nothing", "by Škoda Grace Kelly").find(hopper) == (False, 1, 9, 14)
    assert index_of("by nobody").find(hopper) == (False, None, None, None)


def test_an_acronym_is_spelled_out_by_chunks_added_later():
    index = index_of("nothing")
    assert not index.find(only("by the WHO")).found
    index.add("World Health Organization")
    assert index.find(only("by the WHO")).found
    assert not index.find(only("by the NASA")).found


def test_words_that_are_everywhere_are_looked_at_in_a_bounded_number_of_texts():
    index = index_of(*["Times of York"] * 100, "York Times", "York Post")
    assert index.find(only("the York Post")).found
    assert not index.find(only("the York Times")).found


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


def test_a_name_runs_on_from_no_text_into_the_next():
    index = index_of("Signed by Ada Ada", "Ada Ada Lovelace signs.", "Ada")
    assert not index.find(only("So Ada Ada Ada Lovelace came.")).found
    assert index.find(only("So Ada Ada Lovelace came.")).found
