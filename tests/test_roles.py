import re
import time

import pytest

from streamguard.core.reading import boilerplate, roles
from streamguard.core.reading.roles import block_kind, role_of
from streamguard.text.normalise import fold
from tests.first_words import first_words

KINDS = [
    ("# Fares", "heading"),
    ("###### Fares", "heading"),
    ("#", "heading"),
    ("#hashtag of the day", "prose"),
    ("####### too deep", "prose"),
    ("- a dash", "list_item"),
    ("* a star", "list_item"),
    ("+ a plus", "list_item"),
    ("\u2022 a bullet", "list_item"),
    ("1. a number", "list_item"),
    ("12) a number", "list_item"),
    ("(3) a number", "list_item"),
    ("a) a letter", "list_item"),
    ("b. a letter", "list_item"),
    ("-", "list_item"),
    ("-5 degrees", "prose"),
    ("*emphasis* first", "prose"),
    ("**bold** first", "prose"),
    ("1.5 litres", "prose"),
    ("2024. A year", "prose"),
    ("A. Lindqvist spoke.", "prose"),
    ("| a | b |", "table_row"),
    ("> quoted", "quote"),
    ("plain words", "prose"),
    ("", "prose"),
]

FENCES = [
    # text, open before, kind, open after
    ("```python", False, "code", True),
    ("~~~", False, "code", True),
    ("```", True, "code", False),
    ("x = 1", True, "code", True),
    ("# a comment", True, "code", True),
    ("```\nx = 1\n```", False, "code", False),
    ("```\nx = 1", False, "code", True),
    ("x = 1\n```", True, "code", False),
    ("```ls``` lists files.", False, "prose", False),
    ("Use ``` to open a block.", False, "prose", False),
    ("Run this:\n```\nls", False, "prose", True),
    ("> ```", False, "code", True),
    ("x ~~~ y", False, "prose", False),
]

CLAIMS = [
    "The lamp is waterproof.",
    "It works.",
    "It is.",
    "Yes, it is.",
    "Dogs travel free.",
    "Batteries included.",
    "Restart the router.",
    "- Restart the router.",
    "Wooden frame with brass hinges",
    "- wooden frame with brass hinges",
    "| Battery | lasts long under load |",
    "> The lamp is waterproof.",
    "**The lamp is waterproof.**",
    "- **Offline mode:** works without a connection",
    "1. Open the lid, then press the reset key.",
    "Sure, the lamp is waterproof.",
    "Thanks to its seal, the lamp is waterproof.",
    "Thanks for asking, the lamp is waterproof.",
    "Of course the lamp is waterproof.",
    "Hi-fi speakers are included.",
    "Here is one more thing: the lamp is waterproof.",
    "This is a waterproof lamp.",
    "The following lamps are waterproof.",
    "Based on the documents, the lamp is waterproof.",
    "According to the manual, the lamp may stay outdoors all winter.",
    (
        "In a house with a garden, the owner cares for the building, the lawn, the hedge, the"
        " fence, the gate and the path to the road:"
    ),
    "Contact support to cancel your subscription.",
    "If you need a refund, send the lamp back.",
    "Please note that the lamp is not waterproof.",
    "The documents are kept for a year.",
    "The documents do not mention outdoor use, so keep the lamp inside.",
    "The plan does not include towels.",
    "Did the seal fail? No, it held.",
    "\u9632\u6c34\u30e9\u30f3\u30d7\u3067\u3059\u3002",
    "Die Lampe leuchtet nachts.",
    "The lamp is waterproof.[1]",
    "The lamp is waterproof. [C1] [C2]",
    "The lamp is waterproof! \U0001f389",
    "I can lift ten of them.",
    "Hope is a town in the valley.",
    "The materials do not contain BPA or latex.",
    "The article does not include batteries.",
    "This content does not include gluten.",
    "The source does not provide power to the LED.",
    "It is not possible to answer calls while driving mode is on.",
    "I have no side effects to report",
    "Thanks, the lamp arrived.",
    "Welcome to the house where the lamps never go out.",
    "Contact the landlord before the lease ends.",
    "Ask the chef for a table near the window.",
    "I am the owner of the bot.",
    "As an AI, I can say that the lamp is waterproof, and dogs travel free.",
    "Edit pricing.md",
    "- Edit pricing.md and save the file",
    '[C1] Press "Reset" twice',
    '[C1] "The lamp is waterproof."',
    "[^1]: The lamp was tested outdoors.",
    "Source: The lamp is waterproof according to Ada.",
    "- Handbook and leaflet, page three",
    f"[1] pricing.md {'and so on ' * 40}",
]

VALUED_CLAIMS = [
    "29 euros",
    "Basic: 29 euros",
    "**Price: $29**",
    "| Pro | $29 |",
    "- $29",
    "Rosalind Franklin",
    "Sure, it costs 29 euros.",
    "Thanks for asking, it costs 29 euros.",
    "Here is the price, which is 29 euros:",
    "The lamp has 3 modes:",
    "Did you know that the lamp costs 29 euros?",
    "Isn't the lamp 29 euros?",
    "Please contact our support team at 555-0199.",
    "I hope this helps to save 29 euros.",
    "The passages do not mention the 2024 price.",
    "Price (per year): 29 euros",
    "I had no trouble installing version 2.",
    "I have no side effects to report since 2020.",
    "[C1]: 29 euros",
    "[C1]: $29 per month, page 3",
    "[C1] Handbook, page 3: 29 euros",
    "Source: revenue of $29 million",
    "There are 12 people in the room:",
    "There are three ways to save 29 euros:",
    "Please contact HR for further assistance at 555-0199.",
    "There are three ways to reset the device.",
]

# Sentences with a name that the question does not hold, but no amount, number or date.
NAMED = [
    ("Please reach out to your HR representative for assistance.", "boilerplate"),
    ("Please contact HR for further questions.", "boilerplate"),
    ("Please contact HR.", "boilerplate"),
    ("You may want to contact your HR department.", "boilerplate"),
    ("I'd recommend contacting your HR representative or manager directly.", "boilerplate"),
    ("I would suggest reaching out to Acme Support for further help.", "boilerplate"),
    ("We recommend that you speak with the Acme Support team.", "boilerplate"),
    ("It's best to consult with Human Resources for guidance on this topic.", "boilerplate"),
    ("For more information on leave, please contact your HR team.", "boilerplate"),
    ("For more details, contact Ada Lovelace for further assistance.", "boilerplate"),
    ("If you need further assistance, please contact Acme Support.", "boilerplate"),
    ("You could also check with your IT department if you have any questions.", "boilerplate"),
    ("If you need further help, the lamp by Acme glows, and Ada sells it.", "claim"),
    ("1. Call the Acme Consular Office.", "claim"),
    ("1. Call the Acme Section and ask for assistance with the form.", "claim"),
    ("Call the Acme repair service.", "claim"),
    ("Please contact HR at hr@acme.example for assistance.", "claim"),
    ("Contact HR to cancel the plan.", "claim"),
    ("Contact Ada Lovelace before the lease ends.", "claim"),
    ("Your HR representative approves the leave.", "claim"),
    ("Hello! Welcome to Acme Support.", "greeting"),
    ("Welcome to Acme Support.", "greeting"),
    ("Welcome to the Acme Customer Support desk, Anna!", "greeting"),
    ("Welcome back, Anna!", "greeting"),
    ("Thank you for contacting Acme Customer Support.", "greeting"),
    ("Thanks, Anna!", "greeting"),
    ("Welcome to Graz, where Acme was founded.", "claim"),
    ("Thanks to Acme Support the lamp was saved.", "claim"),
    ("I'm an AI assistant.", "boilerplate"),
    ("I am Acme's virtual assistant.", "boilerplate"),
    ("Hi, I'm Aria, your virtual assistant!", "boilerplate"),
    ("I'm an AI assistant created by Acme, and I'm here to help.", "boilerplate"),
    ("My name is Aria.", "boilerplate"),
    ("As an AI language model, I don't have personal opinions.", "boilerplate"),
    ("As an AI, I know that Ada Lovelace wrote programs.", "claim"),
    ("As an AI, I don't have opinions, but Ada Lovelace wrote programs.", "claim"),
    ("I am the owner of the Acme Bot.", "claim"),
    ("The passages do not mention Ada Lovelace.", "claim"),
    ("| Plan | Acme Pro |", "claim"),
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
    "Absolutely!",
    "Basic",
    "Overview",
    "- Garlic",
    "* Night sweats",
    "1.",
    "-",
    "---",
    "***",
    "|---|---|",
    "| :--- | ---: |",
    "| Name | Price |",
    "> ",
    "!!!",
    "\U0001f389",
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
    "**Fares and seats:**",
    "**Fares**:",
    "__Fares__",
    "Fares:",
    "Next steps:",
    "- Fares:",
    "1. **Fares:**",
    "What you need to know:",
    "Note:",
    "**Note:**",
    "Important:",
    "**Sources:**",
    "Sources:",
]

GREETINGS = [
    "Hello!",
    "Hello there!",
    "Hi",
    "Hi there,",
    "Hey Anna!",
    "Dear customer,",
    "Good morning!",
    "Good evening, everyone!",
    "Welcome back!",
    "Sure!",
    "Sure thing!",
    "Of course!",
    "Certainly.",
    "Okay.",
    "Great question!",
    "That's a great question!",
    "Thank you for your question.",
    "Thanks!",
    "Thanks a lot for your patience!",
    "You're welcome!",
    "I'd be happy to help you with that!",
    "Sure, I'd be glad to help.",
    "Hello! Thank you for your question.",
    "Have a great day!",
    "Best regards,",
    "Goodbye!",
    "**Hello!**",
    "Hello! \U0001f44b",
    "\u201cHello!\u201d",
    "Welcome!",
    "Welcome to our store!",
    "Welcome back, Anna!",
    "Thanks, Anna!",
]

QUESTIONS = [
    "Which lamp do you mean?",
    "Could you tell me the model?",
    "How can I help you today?",
    "Is there anything else I can help you with?",
    "What is the battery life?",
    "Do you want the lamp with a stand or without one?",
    "\u201cWhich lamp?\u201d",
    "**Which lamp do you mean?**",
    "Which lamp do you mean?[1]",
    "\u3069\u306e\u30e9\u30f3\u30d7\u3067\u3059\u304b\uff1f",
]

TRANSITIONS = [
    "Here is what I found:",
    "Here's what the documents say:",
    "Here are the steps:",
    "Sure, here are the steps to reset your lamp:",
    "Sure! Here is a short summary:",
    "Here are the steps to reset the lamp.",
    "Based on the documents, here are the steps:",
    "Based on the provided passages, the differences between lamps and lanterns are as follows:",
    "Based on the provided documents:",
    "According to the manual and the documents,",
    "Based on the context provided,",
    "Below is a summary.",
    "Let me explain.",
    "Let's break this down:",
    "I found the following information in the documents.",
    "I'll walk you through the steps.",
    "To clean the lamp, follow these steps:",
    "In summary, here are the key points:",
    "To do so, you will need to carefully follow the steps below:",
    "The lamp comes in its box with the following:",
    (
        "Based on the provided passages, the difference between the two is that lamps, which hang,"
        " cast light evenly, as is shown by:"
    ),
]

# Only references, whatever numbers are in them.
SOURCE_LINES = [
    "References",
    "Works cited",
    "Sources used",
    "- [C1] pricing.md",
    "[C1] pricing.md",
    "* [C1] `docs/pricing.md`",
    "[C1] pricing.md, [C2] faq.md",
    '[1]: https://a.com/pricing "Pricing 2024"',
    '[1] "Pricing 2024"',
    "[1]: <https://a.com/pricing>",
    "[1] Pricing page 2024, https://a.com/pricing",
    "[^1]: pricing.md",
    "[1]: Annual report 2023, page 12",
    "[1] Employee Handbook.pdf, pp. 3-4",
    "- Employee Handbook.pdf (page 3)",
    "- https://example.com/a",
    "1. https://example.com/a",
    "- [Pricing 2024](https://a.com/pricing)",
    "> [C1] pricing.md",
    "Source: handbook.pdf, page 3",
    "**Source:** handbook.pdf, page 3",
    "(Source: handbook.pdf, page 3)",
    "Source: Annual Report 2023",
    "Sources: [C1], [C2]",
    "References: pricing.md and faq.md",
]

BOILERPLATE = [
    "I hope this helps!",
    "Hope this helps.",
    "Let me know if you have other questions.",
    "Please let me know how it goes.",
    "Feel free to ask.",
    "Please do not hesitate to write.",
    "Please contact support.",
    "Please contact our customer support team for further assistance.",
    "Contact us if you need more help.",
    "If you have any other questions, just ask.",
    "If you need further assistance, write again.",
    "I'm here to help.",
    "As an AI language model, I only read what I am given.",
    "Anything else you would like to know, just say so.",
    "Sources: the manual and the leaflet",
    "I cannot find that in the context.",
    "The passages do not mention outdoor use.",
    "There is no information about outdoor use in the documents.",
    "Unable to answer based on given passages.",
    "I could not find that.",
    "Unfortunately, I don't know.",
    "I'm an AI assistant.",
    "You may want to contact your landlord for further assistance.",
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
    ("Based on the 2024 documents:", True, "transition"),
    ("There are three ways to reset the device:", True, "transition"),
    ("The firm has three main kinds of contract:", True, "transition"),
    ("The course is divided into four stages:", True, "transition"),
    ("Acme offers 3 types of insurance to its staff:", True, "transition"),
    ("Acme offers 3 weeks of leave:", True, "claim"),
    ("The drug lowers the risk of two types of cancer:", True, "claim"),
    ("Passage 2 provides additional steps for the glaze:", True, "claim"),
    ("The firm has three main kinds of contract.", True, "claim"),
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


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_the_first_characters_tell_the_kind(text, kind):
    assert block_kind(text, False) == (kind, False)


@pytest.mark.parametrize(("text", "before", "kind", "after"), FENCES)
def test_a_fence_opens_and_closes_code(text, before, kind, after):
    assert block_kind(text, before) == (kind, after)


@pytest.mark.parametrize(("text", "has_value", "expected"), CASES)
def test_the_role_of_a_sentence(text, has_value, expected):
    assert role(text, has_value=has_value) == expected


@pytest.mark.parametrize(("text", "expected"), NAMED)
def test_a_name_alone_makes_no_claim_of_talk_around_the_answer(text, expected):
    assert role(text, has_value=True, has_figure=False) == expected


@pytest.mark.parametrize(("text", "expected"), NAMED_REFUSALS)
def test_a_refusal_that_refers_on_by_name_stays_a_refusal(text, expected):
    assert role(text, refusing=True, has_value=True, has_figure=False) == expected


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
