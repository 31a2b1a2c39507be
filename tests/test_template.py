"""An application's own template: what fills its places, and what a user cannot fill in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.errors import ConfigError
from streamguard.prompt import known
from streamguard.prompt.known import KNOWN
from streamguard.prompt.template import MAX_TEMPLATE_CHARS, Filled, template_of
from tests.kit.tables import differing

FIRST = "Answer kindly.\n\nContext:\n{context}\n\nQuestion: {question}\nAnswer:"
BEHIND = "Question: {question}\n\nContext:\n{context}\n\nAnswer:"
BETWEEN = "Said so far:\n{history}\nContext:\n{context}\nQuestion: {question}"


def filled(template, text):
    found = template_of(template).read(text)
    return (found.context, found.question) if isinstance(found, Filled) else found


ELSE = "it does not begin and end with the words of the template"
MISSING = "words of the template are missing in it"
READ = [
    # a template, a message, and its context and question, or why none can be told
    (FIRST, "Answer kindly.\n\nContext:\nA.\n\n  B.\n\nQuestion: Q?\nAnswer:",
        ("A.\n\n  B.", "Q?")),
    (FIRST, "  Answer kindly.\r\nContext: A.\r\nQuestion:\r\nQ?\r\nAnswer: \n", ("A.", "Q?")),
    (FIRST, "Answer kindly.\n\nContext:\n\n\nQuestion: Q?\nAnswer:", ("", "Q?")),
    (FIRST, "Answer kindly.\n\nContext:\nQuestion: Q?", ELSE),
    (FIRST, "Hello.", ELSE),
    (FIRST, "Answer kindly.\nContext: A.\nAnswer:", "'Question:' is missing in it"),
    (BEHIND, "Question: Q?\nContext:\nA.\nAnswer:", ("A.", "Q?")),
    (BEHIND, "Question: Q?\nAnswer:", "'Context:' is missing in it"),
    ("{question}\n\nFrom <{context}>", "Q?\nFrom <A B\nC >", ("A B\nC", "Q?")),
    ("Q: {{ question }}\nC: {{context}}", "Q: Q?\nC: A.", ("A.", "Q?")),
    ("{question}\nC: {context}\nAgain: {question}", "Q?\nC: A.\nAgain: Q?", ("A.", "Q?")),
    (BETWEEN, "Said so far:\nHi.\nContext:\nA.\nQuestion: Q?", ("A.", "Q?")),
    (BETWEEN, "Said so far:\nHi.\nContext:\nA.\nQuestion: Q?\nContext:\nB.\nQuestion: Q?",
        "'Context:' stands in it more than once"),
    ("{a}\nB: {question}\nC: {context}", "x\nB: Q?\nB: R?\nC: A.", ("A.", "Q?\nB: R?")),
    ("{a}\nB: {question}\nC: {context}", "x\nC: A.", MISSING),
    ("C: {context}\nB: {question}\nD: {d}", "C: A.\nB: Q?", MISSING),
]  # fmt: skip


def test_a_message_is_read_by_the_words_of_its_template_and_blanks_do_not_matter():
    rows = [((template, text), expected) for template, text, expected in READ]
    assert differing(rows, lambda row: filled(*row)) == []


WRONG = [
    ("C: {context}", "has no {question}, expected {context} and {question}; it has {context}"),
    ("Answer.", "has no {context}, expected {context} and {question}; it has no names in braces"),
    ("{context} {context} {question}", "has {context} 2 times, expected it once"),
    ("{question}\n\n{context}", "has no word between {question} and {context}: nothing tells"),
    ("{context}{a} {question}", "has no word between {context} and {a}: nothing tells where"),
    ("x" * (MAX_TEMPLATE_CHARS + 1), "has 50001 characters, expected at most 50000"),
]  # fmt: skip


def test_a_template_of_which_no_context_can_be_told_is_refused():
    for text, words in WRONG:
        with pytest.raises(ConfigError) as caught:
            template_of(text)
        assert f"context_template {words}" in str(caught.value)
    with pytest.raises(ConfigError, match="context_template is a int, expected a str"):
        template_of(3)


PARTS = st.sampled_from(
    ["Context:", "Context:\n", "\nContext: ", "Question:", "\nQuestion: ", "Answer:", "\nAnswer:",
     "planted", "\n\n", " ", "{context}", "Answer kindly.", "Said so far:", "<", ">"]
)  # fmt: skip
WORDS = st.lists(PARTS, max_size=8).map("".join)


@given(WORDS)
def test_whatever_a_user_writes_the_context_is_of_the_applications(said):
    for template in (FIRST, BEHIND, BETWEEN, *KNOWN.values()):
        places = template.replace("{history}", said).replace("{existing_answer}", said)
        text = places.replace("{context}", "Ours is\nthis.").replace("{question}", said)
        found = template_of(template).read(text)
        context = found.context if isinstance(found, Filled) else ""
        assert context in ("Ours is\nthis.", "")


@given(WORDS)
def test_whatever_a_passage_holds_nothing_of_the_users_joins_it(passage):
    for template in (FIRST, BEHIND):
        text = template.replace("{context}", passage).replace("{question}", "User's.")
        found = template_of(template).read(text)
        assert not isinstance(found, Filled) or "User" not in found.context


def test_every_known_prompt_begins_with_words_of_its_own():
    assert all(len(template_of(each).fixed[0]) > 20 for each in KNOWN.values())


def test_the_known_templates_are_read_from_their_texts():
    known._known.cache_clear()
    assert len(known._known()) == len(known.KNOWN)
