import pytest

from streamguard.core.normalise import fold
from streamguard.core.roles import block_kind, role_of

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
]


def role(text, *, refusing=False, has_value=False, in_code=False):
    folded = fold(text).text
    kind, _ = block_kind(folded, in_code)
    return role_of(folded, kind, refusing=refusing, has_value=has_value)


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_the_first_characters_tell_the_kind(text, kind):
    assert block_kind(text, False) == (kind, False)


@pytest.mark.parametrize(("text", "before", "kind", "after"), FENCES)
def test_a_fence_opens_and_closes_code(text, before, kind, after):
    assert block_kind(text, before) == (kind, after)


@pytest.mark.parametrize(("text", "has_value", "expected"), CASES)
def test_the_role_of_a_sentence(text, has_value, expected):
    assert role(text, has_value=has_value) == expected


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
