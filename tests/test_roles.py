import re
import time

import pytest

from streamguard.core.reading import boilerplate, roles
from streamguard.core.reading.roles import block_kind, role_of
from streamguard.text.normalise import fold
from tests.first_words import first_words
from tests.tables import differing

KINDS = [
    ("# Fares", "heading"),
    ("###### Fares", "heading"),
    ("#", "heading"),
    ("- a dash", "list_item"),
    ("* a star", "list_item"),
    ("+ a plus", "list_item"),
    ("\u2022 a bullet", "list_item"),
    ("1. a number", "list_item"),
    ("a) a letter", "list_item"),
    ("b. a letter", "list_item"),
    ("-", "list_item"),
    ("> quoted", "quote"),
]

FENCES = [
    # text, open before, kind, open after
    ("```python", False, "code", True),
    ("~~~", False, "code", True),
    ("```", True, "code", False),
    ("x = 1", True, "code", True),
    ("```\nx = 1\n```", False, "code", False),
    ("```\nx = 1", False, "code", True),
    ("x = 1\n```", True, "code", False),
    ("Run this:\n```\nls", False, "prose", True),
    ("> ```", False, "code", True),
    ("x ~~~ y", False, "prose", False),
]

CLAIMS = [
    "Dogs travel free.",
    "Batteries included.",
    "Restart the router.",
    "- Restart the router.",
    "**The lamp is waterproof.**",
    "Here is one more thing: the lamp is waterproof.",
    "Based on the documents, the lamp is waterproof.",
    (
        "In a house with a garden, the owner cares for the building, the lawn, the hedge, the"
        " fence, the gate and the path to the road:"
    ),
    "The documents are kept for a year.",
    "The documents do not mention outdoor use, so keep the lamp inside.",
    "I can lift ten of them.",
    "The article does not include batteries.",
    "The source does not provide power to the LED.",
    "I have no side effects to report",
    "Thanks, the lamp arrived.",
    "I am the owner of the bot.",
    "Edit pricing.md",
    '[C1] "The lamp is waterproof."',
    "Source: The lamp is waterproof according to Ada.",
    "- Edit pricing.md and save the file",
    "\u9632\u6c34\u30e9\u30f3\u30d7\u3067\u3059\u3002",
]

VALUED_CLAIMS = [
    "29 euros",
    "**Price: $29**",
    "| Pro | $29 |",
    "- $29",
    "Rosalind Franklin",
    "Here is the price, which is 29 euros:",
    "The lamp has 3 modes:",
    "Did you know that the lamp costs 29 euros?",
    "Isn't the lamp 29 euros?",
    "[C1] Handbook, page 3: 29 euros",
    "Source: revenue of $29 million",
    "There are 12 people in the room:",
    "There are three ways to save 29 euros:",
    "[C1]: 29 euros",
]

# Sentences with a name that the question does not hold, but no amount, number or date.
NAMED = [
    ("Please contact HR for further questions.", "boilerplate"),
    ("Please contact HR.", "boilerplate"),
    ("You may want to contact your HR department.", "boilerplate"),
    ("I'd recommend contacting your HR representative or manager directly.", "boilerplate"),
    ("We recommend that you speak with the Acme Support team.", "boilerplate"),
    ("For more information on leave, please contact your HR team.", "boilerplate"),
    ("If you need further assistance, please contact Acme Support.", "boilerplate"),
    ("You could also check with your IT department if you have any questions.", "boilerplate"),
    ("If you need further help, the lamp by Acme glows, and Ada sells it.", "claim"),
    ("Call the Acme repair service.", "claim"),
    ("I'm an AI assistant.", "boilerplate"),
    ("I am Acme's virtual assistant.", "boilerplate"),
    ("Hi, I'm Aria, your virtual assistant!", "boilerplate"),
    ("I'm an AI assistant created by Acme, and I'm here to help.", "boilerplate"),
    ("My name is Aria.", "boilerplate"),
    ("As an AI language model, I don't have personal opinions.", "boilerplate"),
    ("The passages do not mention Ada Lovelace.", "claim"),
]

# A refusing sentence with a name but no figure.
NAMED_REFUSALS = [
    ("I'm sorry, I don't have information on leave, please contact HR.", "refusal"),
    ("I do not have that in the documents, contact HR for further questions.", "refusal"),
    ("I cannot say, but you may want to contact your HR department.", "refusal"),
    ("I don't have that information; for more details, contact HR.", "refusal"),
    ("I cannot say, but I'd recommend contacting HR for assistance.", "refusal"),
    ("I cannot say, but Ada Lovelace knew.", "claim"),
    ("I cannot say when Ada Lovelace wrote it, so please contact HR.", "claim"),
    ("I cannot tell you about Ada Lovelace.", "claim"),
]

FRAGMENTS = [
    "Yes.",
    "No.",
    "| :--- | ---: |",
    "| Name | Price |",
    "[C1]",
    "[1] [2]",
    "",
    "\u00dcbersicht",
    "Note",
    "pricing.md",
]

HEADINGS = [
    "# Fares",
    "## The lamp is waterproof",
    "**Fares**",
    "__Fares__",
    "Fares:",
    "Next steps:",
    "- Fares:",
    "1. **Fares:**",
    "What you need to know:",
    "Note:",
    "Important:",
    "Sources:",
]

GREETINGS = [
    "Sure!",
    "Sure thing!",
    "Sure, I'd be glad to help.",
    "**Hello!**",
    "Hello! \U0001f44b",
    "\u201cHello!\u201d",
    "Hi",
]

QUESTIONS = [
    "Which lamp do you mean?",
    "How can I help you today?",
    "What is the battery life?",
    "\u201cWhich lamp?\u201d",
    "**Which lamp do you mean?**",
    "Which lamp do you mean?[1]",
    "\u3069\u306e\u30e9\u30f3\u30d7\u3067\u3059\u304b\uff1f",
]

TRANSITIONS = [
    "Here is what I found:",
    "Here's what the documents say:",
    "Here are the steps:",
    "Sure! Here is a short summary:",
    "Based on the provided passages, the differences between lamps and lanterns are as follows:",
    "Below is a summary.",
    "Let me explain.",
    "Let's break this down:",
    "To clean the lamp, follow these steps:",
    "To do so, you will need to carefully follow the steps below:",
    "The lamp comes in its box with the following:",
    (
        "Based on the provided passages, the difference between the two is that lamps, which hang,"
        " cast light evenly, as is shown by:"
    ),
    "Based on the provided documents:",
]

# Only references, whatever numbers are in them.
SOURCE_LINES = [
    "References",
    '[1] "Pricing 2024"',
    "[1] Pricing page 2024, https://a.com/pricing",
    "[1]: Annual report 2023, page 12",
    "[1] Employee Handbook.pdf, pp. 3-4",
    "- Employee Handbook.pdf (page 3)",
    "- https://example.com/a",
    "1. https://example.com/a",
    "- [Pricing 2024](https://a.com/pricing)",
    "Source: handbook.pdf, page 3",
    "**Source:** handbook.pdf, page 3",
    "Source: Annual Report 2023",
    "Sources: [C1], [C2]",
    "References: pricing.md and faq.md",
]

BOILERPLATE = [
    "As an AI language model, I only read what I am given.",
    "I cannot find that in the context.",
    "The passages do not mention outdoor use.",
    "There is no information about outdoor use in the documents.",
    "Unable to answer based on given passages.",
    "I could not find that.",
    "Unfortunately, I don't know.",
    *SOURCE_LINES,
]

CASES = [
    *((text, False, "claim") for text in CLAIMS),
    *((text, True, "claim") for text in VALUED_CLAIMS),
    *((text, False, "fragment") for text in FRAGMENTS),
    *((text, False, "heading") for text in HEADINGS),
    *((text, False, "greeting") for text in GREETINGS),
    *((text, False, "question") for text in QUESTIONS),
    *((text, False, "transition") for text in TRANSITIONS),
    *((text, False, "boilerplate") for text in BOILERPLATE),
    # A value that does not make a claim of it.
    ("# 2024 results", True, "heading"),
    ("**2024 results**", True, "heading"),
    ("Good morning, Ada Lovelace!", True, "greeting"),
    ("Do you want the 2023 or the 2024 model?", True, "question"),
    ("Here are 5 tips:", True, "transition"),
    ("Based on the documents, here are 3 lamps:", True, "transition"),
    ("There are three ways to reset the device:", True, "transition"),
    ("The firm has three main kinds of contract:", True, "transition"),
    ("The course is divided into four stages:", True, "transition"),
    ("Acme offers 3 types of insurance to its staff:", True, "transition"),
    ("Acme offers 3 weeks of leave:", True, "claim"),
    ("The drug lowers the risk of two types of cancer:", True, "claim"),
    ("Passage 2 provides additional steps for the glaze:", True, "claim"),
    ("Based on the passages, there are 2 main types of lamps:", True, "transition"),
    ("Follow these 5 steps to clean it:", True, "transition"),
    ("You can reset the device in three ways:", True, "transition"),
    *((text, True, "boilerplate") for text in SOURCE_LINES),
]

HEAD_ROWS = [
    # text, has_value, has_figure, role
    ("| Plan | Price per month |", False, False, "heading"),
    ("| Acme Pro | Acme Basic |", True, False, "heading"),
    ("| Plan does what it says | It works |", False, False, "heading"),
    ("| Pro | $29 |", True, True, "claim"),
    ("| Pro | $29 |", False, True, "claim"),
    ("|---|---|", False, False, "fragment"),
]


def role(text, *, refusing=False, has_value=False, has_figure=None, in_code=False):
    folded = fold(text).text
    kind, _ = block_kind(folded, in_code)
    return role_of(folded, kind, refusing=refusing, has_value=has_value, has_figure=has_figure)


def test_the_first_characters_tell_the_kind():
    assert differing(KINDS, lambda text: block_kind(text, False)[0]) == []


@pytest.mark.parametrize(("text", "before", "kind", "after"), FENCES)
def test_a_fence_opens_and_closes_code(text, before, kind, after):
    assert block_kind(text, before) == (kind, after)


def test_the_role_of_a_sentence():
    assert differing(CASES, lambda text, has_value: role(text, has_value=has_value)) == []


def test_a_name_alone_makes_no_claim_of_talk_around_the_answer():
    assert differing(NAMED, lambda text: role(text, has_value=True, has_figure=False)) == []


def test_a_refusal_that_refers_on_by_name_stays_a_refusal():
    def refusing(text):
        return role(text, refusing=True, has_value=True, has_figure=False)

    assert differing(NAMED_REFUSALS, refusing) == []


def test_a_refusal_that_refers_on_with_a_figure_is_a_claim():
    text = "I cannot say, please contact HR for assistance."
    assert role(text, refusing=True, has_value=True, has_figure=True) == "claim"


@pytest.mark.parametrize(("text", "has_value", "has_figure", "expected"), HEAD_ROWS)
def test_a_table_s_first_row_is_a_heading_without_a_figure(text, has_value, has_figure, expected):
    found = role_of(text, "table_head", refusing=False, has_value=has_value, has_figure=has_figure)
    assert found == expected


def test_code_has_no_other_role():
    assert role("print('The lamp is waterproof.')", in_code=True, has_value=True) == "code"


def test_a_refusing_sentence_claims_nothing():
    assert role("I cannot tell how much it costs.", refusing=True) == "refusal"


def test_a_refusing_sentence_with_a_value_of_its_own_is_a_claim():
    assert (
        role("I cannot tell, but it was 29 euros in 2023.", refusing=True, has_value=True)
        == "claim"
    )


def test_a_line_without_words_is_a_fragment_even_where_values_were_read():
    assert role("1.", has_value=True) == "fragment"


@pytest.mark.parametrize(
    "shape",
    [
        "please ",
        "please contact it or ",
        "contact hr for help about ",
        "for more help, ",
        "also, ",
        "i'm an ai ai ",
        "welcome to a ",
        "there are two ways in ",
        "[c1] ",
        "sources ",
        "a.pdf/",
        '"a" ',
        "i cannot, ",
    ],
)
@pytest.mark.parametrize("refusing", [True, False])
@pytest.mark.slow
def test_cost_grows_with_the_text_and_no_faster(shape, refusing):
    def seconds(chars):
        text = (shape * (chars // len(shape) + 1))[:chars]
        begin = time.process_time()
        for end in (":", ".", "?"):
            role_of(text + end, "prose", refusing=refusing, has_value=True, has_figure=False)
            role_of(text + end, "prose", refusing=refusing, has_value=False)
        return time.process_time() - begin

    small = min(seconds(10_000) for _ in range(3))
    large = min(seconds(40_000) for _ in range(3))
    assert large < 8 * small + 0.02  # four times the text; quadratic would be sixteen times


@pytest.mark.parametrize(
    ("words", "patterns"),
    [
        (roles.GREETING_WORDS, [roles._GREETINGS]),
        (roles.ANNOUNCING_WORDS, [roles._TRANSITION, roles._ONLY_ACCORDING]),
    ],
)
def test_a_pattern_is_tried_for_every_word_that_it_can_begin_with(words, patterns):
    assert words == set().union(*map(first_words, patterns))


@pytest.mark.parametrize(
    "pattern",
    [
        boilerplate._COURTESY,
        boilerplate._CONTACT,
        boilerplate._REFERRAL,
        boilerplate._INTRODUCES,
        boilerplate._AS_AN_AI,
    ],
)
def test_every_first_word_of_talk_may_be_talk(pattern):
    assert {word for word in first_words(pattern) if not boilerplate.may_be_talk(word)} == set()


def test_first_words_are_read_from_every_kind_of_pattern():
    pattern = re.compile(r"(?:an?|[xy]z? |(?:no )?(?!u)to|I?'s|go{2,3}d|\w+u)(?=b)|ok$", re.ASCII)
    words = {"a", "an", "x", "y", "xz", "yz", "no", "to", "", "good", "goood", "*", "ok"}
    assert first_words(pattern) == words
