import pytest

from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import REFUSAL_PHRASES, Policy
from streamguard.core.reading.markers import STANDARD_REFUSAL
from streamguard.core.reading.roles import (
    Refusal,
    find_refusals,
    is_refusal,
    leading_refusal,
)
from streamguard.testing import feed_every_way
from streamguard.text.normalise import fold
from tests.kit.tables import differing

ZWSP, SHY = "\u200b", "\u00ad"

# The same words in other clothes.
PHRASES_IN_DISGUISE = [
    ("I CANNOT SHARE THAT.", "I CANNOT"), ("I can\u2019t share that.", "I can\u2019t"),
    ("I can\u02bct share that.", "I can\u02bct"),
    ("I\u00a0\tcannot share that.", "I\u00a0\tcannot"), ("I **cannot** share that.", "I **cannot"),
    ("I `cannot` share that.", "I `cannot"),
    ("I cant share that.", "I cant"), ("Im **not** sure.", "Im **not** sure"),
    (f"I can{ZWSP}not {SHY}share that.", f"I can{ZWSP}not"),
    (
        "\uff29 \uff43\uff41\uff4e\uff4e\uff4f\uff54 share that.",
        "\uff29 \uff43\uff41\uff4e\uff4e\uff4f\uff54",
    ),
    ("\u201cI cannot come,\u201d she said.", "I cannot"), ("_I cannot_ say more.", "I cannot"),
    ("Sorry\u2014I cannot say more.", "I cannot"),
    ("\u0130 know, but I cannot say.", "I cannot"),  # its lower case is longer
    ("Sorry: I cannot assist with that.", "I cannot"),  # the first of two that overlap
    (STANDARD_REFUSAL, STANDARD_REFUSAL[:-1]),  # the longest of those that begin together
]  # fmt: skip

NO_PHRASE = [
    "Hawaii cannot be reached by train.",
    "Hawai\u2019i cannot be reached by train.",
    "Wi-fi cannot be switched off.",
    "You cannot change the seat.",
    "No information desk is available.",
    "",
]

# An answer's first sentence that says there is no answer.
LEADING = [
    "If you ask about dogs, the passages do not mention them.",
    "**Unable to determine** the answer.", "I did not find any mention of dogs.",
    "I won't be able to answer that.", "Couldn't find this in the manual.",
    "This question cannot be answered with the material at hand.",
    "The fare cannot be determined from the passages.", "The fare can't be found in the passages.",
    "It is not possible to answer this question.",
    "From the article it is not possible to tell when the shop opens.",
    "Given the passages, it is difficult to give a fare.", "I do not know the answer to that.",
    "I found nothing about dogs.", "Document [C3] does not list fares.",
    "The leaflet says nothing about dogs.", "None of the articles mention dogs.",
    "No document mentions a discount.", "There is insufficient data in the sources.",
    "There is no specific information on dogs.", "The fare for dogs is not mentioned.",
    "Dogs aren't covered in the documents.",
    "I could not find that; could you rephrase the question?", "I didnt find any mention of dogs.",
]  # fmt: skip

# Negations that state something, or ask, or set a condition.
NOT_LEADING = [
    "Towels are not provided.", "We couldn't find a cheaper plan anywhere.",
    "It is impossible to open the case without a key.", "We cannot refund opened boxes.",
    "You have not specified a path.", "If the port is not specified, 8080 is used.",
    "Unable to find your order?", "Is the fare not mentioned?",
    "Not only the documents but also the plans are free.", "None of the materials contain BPA.",
    "The article does not include batteries.", "The manual gearbox does not need oil.",
    "The text messages do not mention a price.",
    "The document cannot be used to enter the country.", "The materials cannot be found in Europe.",
    "BPA is not contained in the materials.", "No information is shared with third parties.",
    "It is not possible to answer the phone while driving.",
]  # fmt: skip

GREETED = [
    "Hello! The passages do not mention dogs.",
    "Sure! There is no information about dogs.",
    "# Dog tickets\n\nThe passages do not mention dogs.",
    "Based on the provided passages, the answer to your question is:\n\nUnable to answer.",
]
LATER = [
    "Dogs travel free. The passages do not mention cats.",
    "The shop opens at nine.\n\nThe documents don't say when it closes.",
]


def in_text(text: str) -> list[str]:
    folded = fold(text)
    found = find_refusals(folded.text, REFUSAL_PHRASES)
    return [text[slice(*folded.span(refusal.start, refusal.end))] for refusal in found]


def test_each_listed_phrase_is_found_and_named():
    rows = [(f"So {phrase} and so on.", [phrase]) for phrase in REFUSAL_PHRASES]
    found = differing(rows, lambda text: [f.phrase for f in find_refusals(text, REFUSAL_PHRASES)])
    assert found == []


def test_a_phrase_needs_the_start_of_a_word_and_is_found_whatever_its_signs():
    rows = [(text, ([seen], True)) for text, seen in PHRASES_IN_DISGUISE]
    assert differing(rows, lambda text: (in_text(text), is_refusal(text))) == []
    assert [text for text in NO_PHRASE if in_text(text)] == []


def test_the_phrases_are_the_callers():
    own = ("no comment", "Frag die  Kollegin", "", "  ")
    assert find_refusals("No comment!", own) == [Refusal(0, 10, "no comment", leading=False)]
    assert find_refusals("frag die Kollegin", own)[0].phrase == "Frag die  Kollegin"
    assert find_refusals("I cannot say.", own) == find_refusals("I cannot say.", ()) == []
    assert find_refusals("I won't say", ("I won\u2019t",))[0].phrase == "I won\u2019t"


def test_only_negated_information_in_the_first_statement_leads_a_refusal():
    found = {text: leading_refusal(fold(text).text) for text in LEADING}
    assert [text for text, led in found.items() if not (led and led.leading)] == []
    assert all(0 <= led.start < led.end <= len(text) for text, led in found.items())
    assert [text for text in LEADING if not is_refusal(text)] == []
    assert [text for text in NOT_LEADING if leading_refusal(fold(text).text)] == []
    assert [text for text in NOT_LEADING if is_refusal(text)] == []
    assert [text for text in GREETED if not is_refusal(text)] == []
    assert [text for text in LATER if is_refusal(text)] == []
    assert not any(map(is_refusal, ["", "Hello!", "# Fares", "```\ni am code\n```"]))


def test_leading_refusals_can_be_switched_off():
    policy = Policy(leading_refusals=False)
    assert not is_refusal("Unable to answer based on given passages.", policy)
    assert is_refusal("I cannot answer.", policy)


def test_literal_matching_is_a_plain_substring_search():
    rows = [
        ("Hawaii cannot be reached by train.", True),
        ("I can't say.", True),
        ("I can\u2019t say.", False),
        ("I  cannot say.", False),
        ("Unable to answer based on given passages.", False),
    ]
    literal = Policy.preset("literal")
    assert differing(rows, lambda text: is_refusal(text, literal)) == []
    own = literal.model_copy(update={"refusal_phrases": ("I'm afraid",)})
    assert is_refusal("I'm afraid not.", own)
    assert not is_refusal("I am afraid not.", own)


# What a cut could change: signs of several characters, and more than one sentence.
CUT = [*(text for text, _ in PHRASES_IN_DISGUISE), *LEADING[::8], *GREETED, *LATER]


@pytest.mark.parametrize("text", CUT)
def test_a_stream_refuses_where_the_whole_text_does_however_it_is_cut(text):
    def refuses(pieces):
        guard = StreamGuard()
        for piece in pieces:
            guard.feed(piece)
        return guard.close().refusal.detected

    assert feed_every_way(text, refuses) is is_refusal(text)
