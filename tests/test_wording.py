"""Questions in other words than the documents': what answers to what, and what does not."""

from hypothesis import given
from hypothesis import strategies as st

from streamguard.rag.lexical import LexicalIndex
from tests.kit.tables import differing

DOCUMENTS = (
    "Priya Nair is our chief executive officer.",
    "Each employee has 27 days of paid leave a year.",
    "A monthly membership costs $12. The library is closed on Sunday.",
    "Parcels to the United Kingdom need a form. Story time is on Wednesday.",
    "Books go out for 28 days. Reservations are kept for a week. E-books return by themselves.",
    "The CNC mill was broken in May. Who is ill calls the foreman.",
    "Children may climb with an adult.",
    "Ask for time off two weeks ahead.",
)


def nearest(question, documents=DOCUMENTS):
    found = LexicalIndex(documents).nearest(question, 1)
    return found[0][0] if found else None


def test_other_words_for_the_same_find_it_and_what_no_document_speaks_of_is_not_found():
    rows = [
        ("Who is the CEO?", 0),
        ("Who's the ceo?", 0),  # in small letters too
        ("How many vacation days do I get?", 1),  # a synonym
        ("What is the price of becoming a member?", 2),  # money, and a word's family
        ("Do you ship to the UK?", 3),  # two letters, as capitals
        ("When is storytime?", 3),  # a compound in halves
        ("Can I reserve a book?", 4),
        ("Where are the ebooks?", 4),  # a hyphen more or less
        ("Where are the e books?", 4),
        ("When did the mill break?", 5),  # an irregular verb
        ("Is the computerised numerical control out of order?", 5),  # a phrase for its acronym
        ("I'm sick, whom do I phone?", 5),
        ("Can a 12-year-old climb?", 6),  # an age of the asker's, which no document need have
        ("Are children allowed on the ladder?", 6),  # a plural that no ending gives away
        ("Is a child under ten insured?", 6),
        ("How do I ask for PTO?", 7),  # time off, whose words are not searched by
        ("When can I take vacation in summer?", 7), ("Do you like wine?", None),
        ("Who likes uk garlic?", None), ("Which toothbrush?", None), ("What?", None), ("", None),
        ("?!", None),
    ]  # fmt: skip
    assert differing(rows, nearest) == []


def test_comparatives_and_verbs_with_a_particle_are_met_in_the_documents_words():
    documents = (
        "There is a discount for nurses.",
        "A big van fits four bicycles.",
        "Staff collect guests at the station.",
        "Umbrellas are kept until March.",
    )
    rows = [
        ("Is it cheaper on Monday?", 0),
        ("Which one is the biggest?", 1),
        ("Can somebody pick me up?", 2),
        ("Can somebody pick the three of us up?", None),  # too far apart
        ("How long do you hang on to things?", 3),
        ("Do you pick apples?", None),
        ("Is it later than the best?", None),
    ]
    assert differing(rows, lambda question: nearest(question, documents)) == []


def test_a_files_name_counts_as_its_title_and_a_name_less_than_what_is_asked():
    index = LexicalIndex(["Write to Ann.", "Write to Bob."], ["staff/pay-slips.md", None])
    assert index.nearest("Who answers questions about payslips?", 1)[0][0] == 0
    index = LexicalIndex(["The depot in Liverpool is large.", "Pizza is on Friday."])
    assert index.nearest("Where is good pizza in Liverpool?", 1)[0][0] == 1


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=4))
def test_similarities_lie_between_0_and_1(question, texts):
    found = LexicalIndex(texts).similarities(question)
    assert all(0.0 < value < 1.0 for value in found.values())


def test_numbers_of_the_askers_own_and_words_of_politeness_weigh_little():
    def similarity(question):
        return LexicalIndex(DOCUMENTS).nearest(question, 1)[0][1]

    plain = similarity("What would membership cost us?")
    for question in (
        "What would five memberships cost us?",
        "What would 5 memberships cost us?",
        "Hi, I wonder what membership would possibly cost us, thanks?",
    ):
        assert similarity(question) > 0.75 * plain
    assert similarity("What would bronze membership cost us?") < 0.75 * plain
