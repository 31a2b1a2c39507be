import time

import pytest

from streamguard.core.model.policy import REFUSAL_PHRASES
from streamguard.core.reading.roles import block_kind, find_refusals, leading_refusal, role_of
from streamguard.text.normalise import fold
from tests.kit.tables import differing

KINDS = [
    # text, open before, kind, open after
    ("# Fares", False, "heading", False), ("#", False, "heading", False),
    ("- a dash", False, "list_item", False), ("1. a number", False, "list_item", False),
    ("a) a letter", False, "list_item", False), ("> quoted", False, "quote", False),
    ("| a | row |", False, "table_row", False), ("```python", False, "code", True),
    ("~~~", False, "code", True), ("```", True, "code", False), ("x = 1", True, "code", True),
    ("```\nx = 1\n```", False, "code", False), ("Run this:\n```\nls", False, "prose", True),
    ("> ```", False, "code", True), ("x ~~~ y", False, "prose", False),
]  # fmt: skip

# Sentences by their role, without and with a value of their own.
BARE = {
    "claim": ["Dogs travel free.", "- Restart the router.", "**The lamp is waterproof.**",
     "Here is one more thing: the lamp is waterproof.",
     "Based on the documents, the lamp is waterproof.",
     "The documents do not mention outdoor use, so keep the lamp inside.",
     "I'm sorry, the lamp arrived.", "My apologies for the lamp that arrived broken.",
     "You're right about the lamp.", "I can lift ten of them.",
     "Thanks, the lamp arrived.", "I am the owner of the bot.",
     '[C1] "The lamp is waterproof."', "Source: The lamp is waterproof according to Ada.",
     "- Edit pricing.md and save the file", "\u9632\u6c34\u30e9\u30f3\u30d7\u3067\u3059\u3002"],
    "fragment": ["Yes.", "| Name | Price |", "[C1]", "", "\u00dcbersicht", "pricing.md"],
    "heading": ["## The lamp is waterproof", "**Fares**", "__Fares__"],
    "greeting": ["Sure, I'd be glad to help.", "Hello! \U0001f44b", "\u201cHello!\u201d", "Hi",
     "I'm sorry.", "Sorry about that!", "My apologies, here you go.", "Thanks. One moment, please!",
     "You're absolutely right, I apologize for the confusion."],
    "question": ["Which lamp do you mean?", "What is the battery life?",
     "**Which lamp do you mean?**", "\u3069\u306e\u30e9\u30f3\u30d7\u3067\u3059\u304b\uff1f"],
    "transition": ["Here's what the documents say.", "Sure! Here is a short summary:",
     "Next steps:", "1. **Fares:**", "Sources:",
     "Based on the provided passages, the differences between lamps are as follows:",
     "To do so, you will need to carefully follow the steps below:",
     ("Based on the provided passages, the difference between the two is that lamps, which"
     " hang, cast light evenly, as is shown by:")],
    "boilerplate": ["As an AI language model, I only read what I am given.",
     "I hope this helps, and feel free to ask!", "I cannot find that in the context.",
     "There is no information about outdoor use in the documents.",
     "Unable to answer based on given passages."],
}  # fmt: skip
VALUED = {
    "claim": ["29 euros", "**Price: $29**", "| Pro | $29 |", "Rosalind Franklin",
     "Here is the price, which is 29 euros:", "The lamp has 3 modes:",
     "[C1] Handbook, page 3: 29 euros", "Source: revenue of $29 million",
     "There are three ways to save 29 euros:", "[C1] Rosalind Franklin"],
    "fragment": ["1."],
    "heading": ["# 2024 results", "**2024 results**"],
    "question": ["Do you want the 2023 or the 2024 model?", "Did it cost 29 euros?"],
    "transition": ["Based on the documents, here are 3 lamps:",
     "There are three ways to reset the device:", "Follow these 5 steps to clean it:"],
}  # fmt: skip
# Only references, whatever numbers are in them.
SOURCE_LINES = [
    "[1] Pricing page 2024, https://a.com/pricing",
    "- Employee Handbook.pdf (page 3)", "1. https://example.com/a",
    "- [Pricing 2024](https://a.com/pricing)", "**Source:** handbook.pdf, page 3",
    "Source: Annual Report 2023", "Sources: [C1], [C2]", "References: pricing.md and faq.md",
]  # fmt: skip
# Sentences with a name that the question does not hold, but no amount, number or date.
NAMED = [
    ("Please contact HR.", "boilerplate"),
    ("I'd recommend contacting your HR representative or manager directly.", "boilerplate"),
    ("For more information on leave, please contact your HR team.", "boilerplate"),
    ("You could also check with your IT department if you have any questions.", "boilerplate"),
    ("Good morning, Ada Lovelace!", "greeting"),
    ("Call the Acme repair service.", "claim"),
    ("Hi, I'm Aria, your virtual assistant!", "boilerplate"),
    ("The passages do not mention Ada Lovelace.", "claim"),
]
# A refusing sentence with a name but no figure.
NAMED_REFUSALS = [
    ("I'm sorry, I don't have information on leave, please contact HR.", "refusal"),
    ("I cannot say, but you may want to contact your HR department.", "refusal"),
    ("I don't have that information; for more details, contact HR.", "refusal"),
    ("I cannot say, but Ada Lovelace knew.", "claim"),
    ("I cannot tell you about Ada Lovelace.", "claim"),
]
HEAD_ROWS = [
    # text, has_value, has_figure, role
    ("| Plan | Price per month |", False, False, "heading"),
    ("| Acme Pro | Acme Basic |", True, False, "heading"),
    ("| Pro | $29 |", True, True, "claim"),
    ("|---|---|", False, False, "fragment"),
]


def role(text, *, refusing=False, has_value=False, has_figure=None):
    folded = fold(text).text
    kind, _ = block_kind(folded, False)
    return role_of(folded, kind, refusing=refusing, has_value=has_value, has_figure=has_figure)


def rows(table, *value):
    return [(text, *value, expected) for expected, texts in table.items() for text in texts]


def test_the_first_characters_tell_the_kind_and_a_fence_opens_and_closes_code():
    cases = [(text, before, (kind, after)) for text, before, kind, after in KINDS]
    assert differing(cases, block_kind) == []


def test_the_role_of_a_sentence():
    sources = {"boilerplate": SOURCE_LINES}
    cases = [*rows(BARE, False), *rows(VALUED, True), *rows(sources, False), *rows(sources, True)]
    assert differing(cases, lambda text, has_value: role(text, has_value=has_value)) == []


def test_a_name_alone_makes_no_claim_of_talk_around_the_answer_nor_of_a_refusal():
    assert differing(NAMED, lambda text: role(text, has_value=True, has_figure=False)) == []

    def refusing(text):
        return role(text, refusing=True, has_value=True, has_figure=False)

    assert differing(NAMED_REFUSALS, refusing) == []
    assert role("I cannot tell how much it costs.", refusing=True) == "refusal"
    text = "I cannot say, please contact HR for assistance."
    assert role(text, refusing=True, has_value=True, has_figure=True) == "claim"


def test_a_table_s_first_row_is_a_heading_without_a_figure_and_code_is_code():
    def head(text, has_value, has_figure):
        return role_of(
            text, "table_head", refusing=False, has_value=has_value, has_figure=has_figure
        )

    assert differing(HEAD_ROWS, head) == []
    assert role_of("print('It is so.')", "code", refusing=False, has_value=True) == "code"


SHAPES = [
    "please ", "please contact it or ", "contact hr for help about ", "for more help, ", "also, ",
    "i'm an ai ai ", "welcome to a ", "there are two ways in ", "[c1] ", "sources ", "a.pdf/",
    "i ", "i cannot, ", "no any ", "the passages ", "not not ", "i'm sorry, but ", "  ", "if ,",
    "the materials do not ", "i have nothing ", "'i cannot ", '" i cannot " ',
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.slow
def test_cost_grows_with_the_text_and_no_faster(shape):
    def seconds(chars):
        text = (shape * (chars // len(shape) + 1))[:chars]
        begin = time.process_time()
        for end in (":", ".", "?"):
            for refusing in (True, False):
                role_of(text + end, "prose", refusing=refusing, has_value=True, has_figure=False)
            role_of(text + end, "prose", refusing=False, has_value=False)
        leading_refusal(text)
        find_refusals(text, REFUSAL_PHRASES)
        return time.process_time() - begin

    small = min(seconds(10_000) for _ in range(3))
    large = min(seconds(40_000) for _ in range(3))
    assert large < 8 * small + 0.02  # four times the text; quadratic would be sixteen times
