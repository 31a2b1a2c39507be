import time

import pytest

from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import REFUSAL_PHRASES, Policy
from streamguard.core.reading.refusals import (
    Refusal,
    find_refusals,
    is_refusal,
    leading_refusal,
    refuses,
)
from streamguard.testing import feed_every_way
from streamguard.text.normalise import fold
from tests.tables import differing

NBSP, ZWSP, SHY, BIDI = "\u00a0", "\u200b", "\u00ad", "\u202a"

# Every phrase of the default list, as a model would write it.
PHRASES_IN_USE = [
    ("I cannot share that.", "i cannot"),
    ("I can't share that.", "i can't"),
    ("I don't have information on fares.", "i don't have information"),
    ("I don't have enough information yet.", "i don't have enough information"),
    ("I do not have that figure.", "i do not have"),
    ("I'm not sure about the fare.", "i'm not sure"),
    ("I am not sure about the fare.", "i am not sure"),
    ("I'm unable to look that up.", "i'm unable to"),
    ("I am unable to look that up.", "i am unable to"),
    ("That is outside my knowledge.", "outside my knowledge"),
    ("Tax advice is beyond my scope.", "beyond my scope"),
    ("We are not able to help with fines.", "not able to help"),
    ("This assistant cannot assist with fines.", "cannot assist with"),
    ("There is no information available.", "no information available"),
    ("Unfortunately, I don't see a fare.", "unfortunately, i don't"),
    ("I apologize, but I must stop here.", "i apologize, but i"),
    ("I'm sorry, but I don't follow.", "i'm sorry, but i don't"),
    (
        "I cannot answer this based on the provided documents.",
        "i cannot answer this based on the provided documents",
    ),
    (
        "I cannot answer this question based on the provided documents.",
        "i cannot answer this question based on the provided documents",
    ),
]

# The same words in other clothes.
PHRASES_IN_DISGUISE = [
    ("I CANNOT SHARE THAT.", "I CANNOT"),
    ("i cannot share that", "i cannot"),
    ("I can\u2019t share that.", "I can\u2019t"),
    ("I can\u02bct share that.", "I can\u02bct"),
    ("I can\uff07t share that.", "I can\uff07t"),
    ("I can\u2032t share that.", "I can\u2032t"),
    (f"I{NBSP}cannot share that.", f"I{NBSP}cannot"),
    ("I  cannot share that.", "I  cannot"),
    ("I\tcannot share that.", "I\tcannot"),
    ("I **cannot** share that.", "I **cannot"),
    ("I _cannot_ share that.", "I _cannot"),
    ("I `cannot` share that.", "I `cannot"),
    ("I *can't* share that.", "I *can't"),
    ("I can`t share that.", "I can`t"),
    ("I cant share that.", "I cant"),
    ("Im **not** sure.", "Im **not** sure"),
    ("I\u2009cannot share that.", "I\u2009cannot"),
    (f"I can{ZWSP}not share that.", f"I can{ZWSP}not"),
    (f"I can{SHY}not share that.", f"I can{SHY}not"),
    (f"I {BIDI}cannot share that.", f"I {BIDI}cannot"),
    (
        "\uff29 \uff43\uff41\uff4e\uff4e\uff4f\uff54 share that.",
        "\uff29 \uff43\uff41\uff4e\uff4e\uff4f\uff54",
    ),
    ('She said: "I cannot come."', "I cannot"),
    ("She said: 'I cannot come.'", "I cannot"),
    ("\u201cI cannot come,\u201d she said.", "I cannot"),
    ("\u2018I cannot come,\u2019 she said.", "I cannot"),
    ("(I cannot say more.)", "I cannot"),
    ("**I cannot** say more.", "I cannot"),
    ("_I cannot_ say more.", "I cannot"),
    ("- I cannot say more.", "I cannot"),
    ("Sorry\u2014I cannot say more.", "I cannot"),
    ("Sorry - I cannot say more.", "I cannot"),
    ("Sorry...I cannot say more.", "I cannot"),
    ("I'm sorry,  but I\u00a0don\u2019t follow.", "I'm sorry,  but I\u00a0don\u2019t"),
    ("The bus leaves at 9, but I cannot say from where.", "I cannot"),
    ("The fare is 4 euros; I'm not sure about children.", "I'm not sure"),
]

NO_PHRASE = [
    "Hawaii cannot be reached by train.",
    "Hawai\u2019i cannot be reached by train.",
    "Wi-fi cannot be switched off.",
    "Alibi can't be checked online.",
    "You cannot change the seat.",
    "I canned the beans.",
    "The lamp is not sure to fit.",
    "No information desk is available.",
    "",
    "   ",
]

# An answer's first sentence that says there is no answer.
LEADING = [
    # unable, cannot
    "Unable to answer based on given passages.",
    "**Unable to determine** the answer.",
    "I did not find any mention of dogs.",
    "I won't be able to answer that.",
    "I will not be able to help with that.",
    "Cannot answer from the given sources.",
    "Couldn't find this in the manual.",
    "This question cannot be answered with the material at hand.",
    "The fare cannot be determined from the passages.",
    "Sorry, but I can't say.",
    "It is not possible to answer this question.",
    "Based on the context, it is impossible to tell when the shop opens.",
    "Given the passages, it is difficult to give a fare.",
    # not knowing
    "I do not know the answer to that.",
    "I lack the information to say.",
    # what the sources do not do
    "The given text does not explicitly state the fare.",
    "Document [C3] does not list fares.",
    "The search results do not describe the procedure.",
    "No document mentions a discount.",
    # no information
    "There is insufficient data in the sources.",
    # not mentioned, not in the sources
    "The fare for dogs is not mentioned.",
    "It is not stated whether dogs travel free.",
    "The fare isn't explicitly stated.",
    "The colour is not specified.",
    "The fare for dogs has not been stated.",
    "The method is not explicitly described.",
    "That information is not available.",
    # scope
    "That is beyond the context.",
    "This goes beyond what I can help with.",
    "Legal advice is outside of my expertise.",
    # under other signs
    "I could not find that; could you rephrase the question?",
    # words that are things as often as sources
    "None of the articles mention dogs.",
    "No article discusses dogs.",
    "From the article it is not possible to tell when the shop opens.",
    "I see no fare for dogs in the documents.",
    "It is not possible to answer questions about phones.",
    "I am unable to answer this.",
    "I couldn't find any better information.",
    "The passages **do not** mention dogs.",
    "The passages do _not_ mention dogs.",
    "I didnt find any mention of dogs.",
]

# Negations that state something, or ask, or set a condition.
NOT_LEADING = [
    "Towels are not provided.",
    "It is not possible to provide refunds after a month.",
    "It is impossible to open the case without a key.",
    "You cannot find spare parts in shops.",
    "The species cannot be found in Europe.",
    "We cannot refund opened boxes.",
    "If the port is not specified, 8080 is used.",
    "Unless the documents do not mention a date, use it.",
    "Unable to find your order?",
    "Is the fare not mentioned?",
    "Not only the documents but also the plans are free.",
    "The trail runs beyond the lake.",
    "The lake lies outside the city.",
    "None of the materials contain BPA.",
    "The article does not include batteries.",
    "No article contains batteries.",
    "No source of light provides heat.",
    "This content does not include gluten.",
    "The power source is silent.",
    "The material cannot be used to build boats.",
    "The document cannot be used to enter the country.",
    "The materials cannot be found in Europe.",
    "BPA is not contained in the materials.",
    "The wire runs outside the material.",
    "It is not possible to answer calls while driving mode is on.",
    "It is not possible to answer the phone while driving.",
    "This is outside your knowledge base.",
    "Keep drafts outside of your team knowledge base.",
]

GREETED = [
    "Hello! The passages do not mention dogs.",
    "Hi there! Unable to answer based on given passages.",
    "Sure! There is no information about dogs.",
    "# Dog tickets\n\nThe passages do not mention dogs.",
    "Based on the provided passages, the answer to your question is:\n\nUnable to answer.",
    "Thank you for your question. The context does not specify a price.",
]

LATER = [
    "Dogs travel free. The passages do not mention cats.",
    "The fare is 4 euros. There is no information about children.",
    "Dogs travel free. Unable to answer based on given passages.",
    "The shop opens at nine.\n\nThe documents don't say when it closes.",
]


def in_text(text: str) -> list[str]:
    folded = fold(text)
    found = find_refusals(folded.text, REFUSAL_PHRASES)
    return [text[slice(*folded.span(refusal.start, refusal.end))] for refusal in found]


@pytest.mark.parametrize(("text", "phrase"), PHRASES_IN_USE)
def test_each_listed_phrase_is_found_and_named(text, phrase):
    assert [found.phrase for found in find_refusals(text, REFUSAL_PHRASES)] == [phrase]


def test_the_table_of_phrases_in_use_covers_the_default_list():
    assert {phrase for _, phrase in PHRASES_IN_USE} == set(REFUSAL_PHRASES)


def test_a_phrase_is_found_whatever_its_signs_and_reported_as_written():
    rows = [(text, ([seen], True)) for text, seen in PHRASES_IN_DISGUISE]
    assert differing(rows, lambda text: (in_text(text), is_refusal(text))) == []


def test_a_phrase_needs_the_start_of_a_word():
    assert [text for text in NO_PHRASE if in_text(text)] == []


def test_the_longest_phrase_wins_where_several_begin():
    text = "I cannot answer this based on the provided documents."
    assert in_text(text) == [text[:-1]]


def test_overlapping_phrases_count_once_from_the_first():
    assert in_text("Sorry: I cannot assist with that.") == ["I cannot"]


def test_every_occurrence_is_found_from_left_to_right():
    assert in_text("I can't say, and I cannot guess; i can't.") == [
        "I can't",
        "I cannot",
        "i can't",
    ]


def test_a_letter_whose_lower_case_is_longer_shifts_nothing():
    assert in_text("\u0130 know, but I cannot say.") == ["I cannot"]


def test_the_phrases_are_the_callers():
    own = ("no comment", "Frag die  Kollegin", "", "  ")
    assert find_refusals("No comment!", own) == [Refusal(0, 10, "no comment", leading=False)]
    assert find_refusals("frag die Kollegin", own)[0].phrase == "Frag die  Kollegin"
    assert find_refusals("I cannot say.", own) == []


def test_a_phrase_of_the_caller_may_hold_typographic_signs():
    assert find_refusals("I won't say", ("I won\u2019t",))[0].phrase == "I won\u2019t"


def test_no_phrases_find_nothing():
    assert find_refusals("I cannot say.", ()) == []


def test_negated_information_leads_a_refusal():
    found = {text: leading_refusal(fold(text).text) for text in LEADING}
    assert [text for text, led in found.items() if not (led and led.leading)] == []
    assert all(0 <= led.start < led.end <= len(text) for text, led in found.items())
    assert [text for text in LEADING if not is_refusal(text)] == []


def test_other_negations_lead_no_refusal():
    assert [text for text in NOT_LEADING if leading_refusal(fold(text).text)] == []
    assert [text for text in NOT_LEADING if is_refusal(text)] == []


def test_quoted_words_lead_no_refusal():
    assert leading_refusal('The FAQ says: "I can\'t find my order" means it was lost.') is None


def test_a_refusal_behind_a_greeting_or_an_opening_still_leads():
    assert [text for text in GREETED if not is_refusal(text)] == []


def test_what_the_sources_lack_leads_no_refusal_later_in_the_answer():
    assert [text for text in LATER if is_refusal(text)] == []


@pytest.mark.parametrize("text", ["", "Hello!", "# Fares", "```\ni am code\n```"])
def test_an_answer_without_a_statement_is_no_refusal(text):
    assert not is_refusal(text)


def test_a_phrase_counts_anywhere_in_the_answer():
    assert is_refusal("Dogs travel free. The fare is 4 euros. I'm not sure about cats.")


# A sentence that holds a phrase, and whether it is the speaker who refuses.
OWN_WORDS = [
    ("The FAQ lists \u00abI cannot log in\u00bb as an error.", False),
    ("I cannot stress enough that you must keep the receipt.", False),
    ("I can't recommend this lamp enough.", False),
    ("I cannot emphasize enough how warm it gets.", False),
    ("I cannot recommend the lamp highly enough.", False),
    ("I can't overstate the value of sleep.", False),
    ("I can't help but notice the scratch.", False),
    ("I can't wait to see the lamp.", False),
]


@pytest.mark.parametrize(("text", "own"), OWN_WORDS)
def test_quoted_words_and_idioms_are_found_but_refuse_nothing(text, own):
    folded = fold(text).text
    found = find_refusals(folded, REFUSAL_PHRASES)
    assert found
    assert refuses(folded, found) is own


def test_without_a_refusal_nothing_refuses():
    assert not refuses("Dogs travel free.", [])


def test_the_earliest_pattern_names_the_leading_refusal():
    found = leading_refusal("Passage 1 does not mention it, and there is no information on it.")
    assert found == Refusal(0, 26, "source does not mention", leading=True)


def test_a_condition_hides_only_its_own_clause():
    text = "If you ask about dogs, the passages do not mention them."
    assert leading_refusal(text) is not None


def test_leading_refusals_can_be_switched_off():
    policy = Policy(leading_refusals=False)
    assert not is_refusal("Unable to answer based on given passages.", policy)
    assert is_refusal("I cannot answer.", policy)


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("Hawaii cannot be reached by train.", True),
        ("I can't say.", True),
        ("I can\u2019t say.", False),
        ("I  cannot say.", False),
        ("Unable to answer based on given passages.", False),
        ("Dogs travel free.", False),
    ],
)
def test_literal_matching_is_a_plain_substring_search(text, refuses):
    assert is_refusal(text, Policy.preset("literal")) is refuses


@pytest.mark.parametrize(
    "shape",
    [
        "i ",
        "i cannot ",
        "no ",
        "the passages ",
        "not not ",
        "i'm sorry, but ",
        "  ",
        "if ,",
        "no any ",
        "the materials do not ",
        "i have no way ",
        "'i cannot ",
        '" i cannot " ',
    ],
)
@pytest.mark.slow
def test_cost_grows_with_the_text_and_no_faster(shape):
    def seconds(chars: int) -> float:
        text = (shape * (chars // len(shape) + 1))[:chars]
        begin = time.process_time()
        find_refusals(text, REFUSAL_PHRASES)
        leading_refusal(text)
        refuses(text, find_refusals(text, REFUSAL_PHRASES)[:1])
        return time.process_time() - begin

    small = min(seconds(10_000) for _ in range(3))
    large = min(seconds(40_000) for _ in range(3))
    assert large < 8 * small + 0.02  # four times the text; quadratic would be sixteen times


# What a cut could change: signs of several characters, and more than one sentence.
CUT = [*(text for text, _ in PHRASES_IN_DISGUISE), *NO_PHRASE[::4], *LEADING[::8], *GREETED, *LATER]


@pytest.mark.parametrize("text", CUT)
def test_a_stream_refuses_where_the_whole_text_does_however_it_is_cut(text):
    def refuses(pieces):
        guard = StreamGuard()
        for piece in pieces:
            guard.feed(piece)
        return guard.close().refusal.detected

    assert feed_every_way(text, refuses) is is_refusal(text)


def test_under_literal_matching_a_phrase_may_be_written_in_capitals():
    policy = Policy.preset("literal").model_copy(update={"refusal_phrases": ("I'm afraid",)})
    assert is_refusal("I'm afraid not.", policy)
    assert not is_refusal("I am afraid not.", policy)
