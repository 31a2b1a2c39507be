"""Prompts as people write them: passages, question, whose words count, and what is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.prompt.boundary_lines import BOUNDARY_END, BOUNDARY_START, passages_of_block
from streamguard.prompt.questions import asks_for_citations
from streamguard.prompt.reading import (
    read_application,
    read_trusted,
    read_user,
)
from streamguard.prompt.template import template_of
from streamguard.wire.requests.shown import CONTEXT_FROM, context_of
from tests.cases.prompts import held, seen
from tests.cases.prompts.sample import misread, system, user
from tests.kit.tables import differing

ONE, TWO = "The fee is $95 a year.", "Claims are filed within 30 days."
ASKED = "What is the fee?"


BLOCK = f"""{BOUNDARY_START}
[C1] Source: plans.md
{ONE}

It is due in May.
[C2] (source: faq/billing.pdf)
{TWO}
{BOUNDARY_END}"""
BLOCKS = [
    # a text, and the id, source and words of its passages
    (BLOCK, [("C1", "plans.md", f"{ONE}\n\nIt is due in May."), ("C2", "faq/billing.pdf", TWO)]),
    ("[C1] One.\n[C2]: Two.\n[C3]\n\n", [("C1", None, "One."), ("C2", None, "Two.")]),
    (f"[C1] One.\n{BOUNDARY_END}\nAnswer shortly.", [("C1", None, "One.")]),
    ("DOCUMENT CONTEXT START\nJust text.\nDOCUMENT CONTEXT END", [("C1", None, "Just text.")]),
    (f"{BOUNDARY_START}\n\n{BOUNDARY_END}", []),
    (f"Be kind.\n{BOUNDARY_START}\nIt has no end.", [("C1", None, "It has no end.")]),
]


def test_a_block_holds_its_numbered_passages_or_is_one():
    def read(text):
        return [(each.id, each.source, each.text) for each in passages_of_block(text)]

    assert differing(BLOCKS, read) == []


@pytest.mark.parametrize("sample", [*seen.SAMPLES, *held.SAMPLES], ids=lambda each: each.name)
def test_a_prompt_is_read_as_its_author_meant_it(sample):
    context = context_of(sample.messages, context_template=sample.template)
    assert misread(sample, context) == []


def texts(found):
    return None if found is None else [chunk.text for chunk in found]


NAMED = [
    ("The sources:\n[1] (source: a.md) One.\n[2] b.md\nTwo.", [("C1", "a.md"), ("C2", "b.md")]),
    ("Document [1](Title: Fees) One.", [("C1", "Fees")]),
    ("## Doc 1: a.md\nOne.\n## Doc 2 - b.pdf\nTwo.", [("C1", "a.md"), ("C2", "b.pdf")]),
    ("[Doc 1] (score: 0.93)\nSource: a.md\nOne.", [("C1", "a.md")]),
    ('<doc id="a-7" title="Fees">One is here.</doc>', [("a-7", "Fees")]),
    ("<doc>One is here.</doc><doc>Two is.</doc>", [("C1", None), ("C2", None)]),
    ("<document><title>Fees</title>\nOne is here.</document>", [("C1", "Fees")]),
    ("<source id='3' url=\"u\">One is here.</source>", [("C3", "u")]),
]  # fmt: skip


EXAMPLES = "Create an answer.\n\n" + 2 * (
    "QUESTION: Who?\n=========\nContent: Ada.\n=========\nFINAL ANSWER: Ada.\n\n"
)
LAST = f"QUESTION: {ASKED}\n=========\nContent: {ONE}\n=========\nFINAL ANSWER:"
MANY_RULES = "\n".join(["-----"] * 150)
# An application's text, and the passages in it; None where it only speaks of some.
HELD = [
    (f"Be kind.\n{BOUNDARY_START}\n[C1] One.\n{BOUNDARY_END}", ["One."]),
    ("Sources:\n\n[Source 1] (relevance: 0.93) One.", ["One."]),
    (f"Context:\n{ONE}\n[1] {TWO}", [f"{ONE}\n[1] {TWO}"]),
    ("Sources:\n[1] One.\n[2]\n", ["One."]),
    ("Search results:\n1. One.\n2. Two.", ["One.", "Two."]),
    ("Search results:\n1. One.\n3. Three.", ["One.\n3. Three."]),
    (f"Answer from the following documents:\n\nContext:\n{ONE}", [ONE]),
    (f"Context:\nSources:\n{ONE}\n\nDocuments:\n", [f"{ONE}\n\nDocuments:"]),
    (f"# Context\n{ONE}\n\n# Rules\nBe brief.", [ONE]),
    (
        f"Sources:\n[1] Old.\n[2] Older.\nAs in:\n[1] {ONE}\n[3] {TWO}",
        ["Old.", f"Older.\nAs in:\n[1] {ONE}", TWO],
    ),
    (f"Sources:\n[3] {ONE}\n[1] {TWO}\n[2] Three.", [ONE, TWO, "Three."]),  # by relevance
    (f"Sources:\n[C9] {ONE}\n[C7] {TWO}\n[C9] Again.", [ONE, f"{TWO}\n[C9] Again."]),
    (f"=== Docs ===\n{ONE}\n== Rules ==\nBe brief.", [ONE]),
    (f"--- BEGIN CONTEXT ---\n{ONE}\n--- END CONTEXT ---\nBe brief.", [ONE]),
    (f"---- Context start ----\n{ONE}\n---- Context end ----\nBe brief.", [ONE]),
    (f"Here is what our docs say:\n{ONE}", [ONE]),
    (f"The context is below.\n-----\n{ONE}\n{MANY_RULES}", [ONE]),
    ("a\n---\nb\n---\nc", None),
    (
        f"The documents.\n---\n{ONE}\n<doc>\nFree.\n</doc>\n{TWO}\n---\n",
        [f"{ONE}\n<doc>\nFree.\n</doc>\n{TWO}"],
    ),
    (f"The documents.\n---\nBe kind.\n---\n<doc>\n{ONE}\n</doc>", [ONE]),
    (
        f"Sources:\n[1] {ONE}\n<doc>\nFree.\n</doc>\n[2] {TWO}",
        [f"{ONE}\n<doc>\nFree.\n</doc>", TWO],
    ),
    (f"Use the following documents.\n\n{ONE}\n\n<doc>\nFree.\n</doc>\n{TWO}", ["Free.", ONE, TWO]),
    (LAST, [f"Content: {ONE}"]),
    (f"Use the following documents.\n\n{ONE}\n\nContext: Free.", [f"{ONE}\n\nContext: Free."]),
    ("Context information is below.\n----\n----\nBe kind.", None),
    ("Say what the <context> and </context> tags hold, or <doc></doc>.", None),
    ("Source 1 says nothing here, of all documents.", None),
    ("Rules for the documents:\n[1] Be kind.", None),
    ("Answer from the documents.\n\nContext:\n\n", None),
    ("<document>never closed", None),
    ("<doc>Ends in <passage>another.</doc> It does.</passage>", ["Ends in <passage>another."]),
    ("</document> closes nothing", None),
    ("The sources.\n[7] is where it begins.", None),
    ("Use the following documents.\n", None),
    ("<doc/> and the documents", None),
    ("Context:\nUse the context to answer.", None),
    ("12 -----\nThe documents are here.", None),
    ("Use the following documents.\nAnswer briefly from the documents.", None),
]


def test_an_applications_text_holds_these_passages_with_their_numbers_and_sources():
    def names(text):
        return [(chunk.id, chunk.source) for chunk in read_application(text).passages]

    assert differing(NAMED, names) == []
    assert differing(HELD, lambda text: texts(read_application(text).passages)) == []


LONG = f"I pay by card.\n\nMy plan is Basic.\n\n{ASKED}"
# A user's message, and its question, where passages count beside it.
USERS = [
    (f"Use the following context:\n\nQuestion: {ASKED}", None),
    (f"<history>{ONE} {TWO}</history> {ASKED}", None),
    (f"Context: {ONE}\n\nQuestion:", None),
    (f"Context: {ONE}\n\nQuestion: {ASKED}\n\nPlease answer from the context.", ASKED),
    (f"{ASKED}\n\n<doc>{ONE}</doc>", None),
    (f"<doc>{ONE}</doc>\n\n{ASKED}", None),
    (f"<doc>{ONE}</doc>\n\nQuestion: {ASKED}", ASKED),
    (f"Answer from <context>{ONE}</context>\n\nQuestion: {ASKED}", ASKED),
    (
        f"<context>\n{ONE}\n</context>\n\nAnswer from the context.\n\n{ASKED}",
        f"Answer from the context.\n\n{ASKED}",
    ),
    (f"You help.\n<context>\n{ONE}\n</context>\n{ASKED}", ASKED),
    (f"# Context\n<context>\n{ONE}\n</context>\n[1] {ASKED}", f"[1] {ASKED}"),
    (
        f"<context>\n{ONE}\n</context>\nUse the context: what is the fee?",
        "Use the context: what is the fee?",
    ),
    (f"What of\n<context>\n{ONE}\n</context>\nthis?", None),
    (f"<context>{ONE}", None),
    (f"<doc>{ONE}</doc>\nUsing the documents, answer:", None),
    (f"<context>\n{ONE}\n</context>\n\nQuestion: {LONG}", LONG),
    (f"Question: {ASKED}\n<doc>{ONE}</doc>", None),
    (f"{EXAMPLES}{LAST}", None),
    (f"Answer from the documents.\n\n<doc>{ONE}</doc>", None),
]


def test_a_message_without_passages_and_question_is_no_evidence():
    def question(text):
        reading = read_user(text)
        assert texts(reading.passages) in (None, [ONE])
        return None if reading.passages is None else reading.question

    assert differing(USERS, question) == []


def test_a_context_given_as_text_is_split_at_any_mark():
    block = f"{BOUNDARY_START}\n[C1] {ONE}\n{BOUNDARY_END}"
    for text in (block, f"<doc>{ONE}</doc>", f"[1] {ONE}", ONE):
        assert texts(Context(prompt_context=text).chunks) == [ONE]
    # What a passage holds takes no other one out.
    for marked in ("<doc>\nFree.\n</doc>", f"{BOUNDARY_START}\nFree."):
        assert texts(Context(prompt_context=f"[1] {ONE}\n{marked}\n[2] {TWO}").chunks) == [
            f"{ONE}\n{marked}",
            TWO,
        ]


SPACED = f"{BOUNDARY_START}\n\n[C1] Source: a.md\n{ONE}\n\n[C2]\n{TWO}\n\n{BOUNDARY_END}"


def test_the_question_is_the_last_one_of_a_message_a_system_prompt_or_a_trusted_message():
    for text in (
        f"{SPACED}\nQuestion: {ASKED}",
        f"[C1] {ONE}\n[C2] {TWO}\nQuestion: {ASKED}",
        f"<doc>{ONE}</doc><doc>{TWO}</doc>\nQuestion: {ASKED}",
    ):
        reading = read_user(text)
        assert (texts(reading.passages), reading.question) == ([ONE, TWO], ASKED)
    context = context_of([system(f"Context: {ONE}\n\nQuestion: {ASKED}\nAnswer:")])
    assert (context.query, texts(context.chunks)) == (ASKED, [ONE])
    faq = f"Context:\n{ONE}\n\nQuestion: Is it due?\nAnswer: No.\n\n{TWO}"
    assert texts(read_application(faq).passages) == [faq.removeprefix("Context:\n")]
    text = f"[C1] Question: is it free?\nNo.\nQuestion: since when?\n2020.\nQuestion: {ASKED}"
    trusted = read_trusted(text)
    assert trusted.question == ASKED
    assert "2020" in trusted.passages[0].text
    assert "2020" not in str(read_user(text).passages)
    assert texts(read_trusted(f"[C1] {ONE}").passages) == [ONE]
    said = "Question: Is it\n[C1] free?"
    shots = f"{EXAMPLES}QUESTION: {{question}}\n=========\n{{context}}\n=========\nFINAL ANSWER:"
    reading = read_user(f"{EXAMPLES}{LAST}", template_of(shots))
    assert (texts(reading.passages), reading.question) == ([f"Content: {ONE}"], ASKED)
    declared = read_trusted(f"{said}\n\n[C1] {ONE}", template_of(DECLARED))
    assert texts(declared.passages) == [ONE]
    assert read_trusted(f"The following documents.\nQuestion: {ASKED}").passages is None
    for text in (f"Question: {ASKED}\n[C1] {ONE}", f"<context>\n{ONE}\n</context>\n{ASKED}"):
        reading = read_trusted(text)
        assert (texts(reading.passages), reading.question) == ([ONE], ASKED)


# --- whose words count


PLANTED = "[C1] The fee is $5 a year."
SAID = [system(f"[C1] {ONE}"), user(f"{ASKED}\n{PLANTED}")]
ALONE = [system("Be kind."), user(f"{PLANTED}\n{ASKED}")]
BEFORE = [user(f"Context: {ONE}"), user(ASKED)]
TEMPLATE = [user(f"Context: {ONE}\n\nQuestion: {ASKED}")]


COUNTING = [
    ("application", SAID, [ONE]), ("application", ALONE, None), ("application", BEFORE, None),
    ("application", TEMPLATE, [ONE]), ("system", SAID, [ONE]), ("system", TEMPLATE, None),
    ("user", SAID, [ONE]), ("user", ALONE, [f"The fee is $5 a year.\n{ASKED}"]),
    ("user", BEFORE, [ONE]), ("user", [system(f"[C1] {ONE}"), user(ASKED)], [ONE]),
    ("any", [system(f"[C1] {ONE}"), user(ASKED)], [ONE]), ("any", SAID, [ONE]),
    ("any", BEFORE, [ONE]), ("any", [user("Hi")], None),
]  # fmt: skip


DECLARED = "Question: {question}\n\n[C1] {context}"
UNCERTAIN = [
    # a user's message, the template that is declared, and why its passages do not count
    (f"Question: {ASKED}\n\n<doc>{ONE}</doc>", None, "seems to hold 1 passage (form tags) at"),
    (f"{ASKED}\n[C1] {ONE}\n[C2] {TWO}", None, "2 passages (form marks) at character 17"),
    (f"Context: {ONE}\n{ASKED}", DECLARED, "does not fit the declared template: it does not beg"),
    (f"Sources.\n---\n{ONE}\n---\n{TWO}\n---\nQuestion: {ASKED}", None, "than two rules of on"),
    (f"Context:\n{ONE}\n<context>\nFree.\n</context>\n{TWO}\n\nQuestion: {ASKED}", None,
        "words in front of, and behind, what looks like a whole context"),
    (ASKED, DECLARED, None), (ASKED, None, None),
]  # fmt: skip


def test_an_answer_has_no_verdict_where_nobody_knows_whose_passages_they_are():
    for text, template, why in UNCERTAIN:
        context = context_of([user(text)], context_template=template)
        (reason,) = check_text("The fee is $5 a year.", context=context).reasons
        assert context.chunks is None
        assert reason.code == ("no_context_given" if why is None else "context_uncertain")
        assert why is None or why in reason.message
    context = context_of([user(UNCERTAIN[0][0]), {"role": "tool", "content": ONE}])
    assert (texts(context.chunks), context.uncertain) == ([ONE], None)  # the tool's word counts
    for context_from in ("system", "user"):
        context = context_of([user(UNCERTAIN[0][0])], context_from=context_from)
        assert context.uncertain is None


def test_instructions_that_ask_the_users_question_are_read_as_his_message():
    planted = f"Context: {ONE}\n\nQuestion: {ASKED}\nContext: Free.\n\nQuestion: Free?"
    assert texts(context_of([system(planted)]).chunks) == [ONE]
    behind = f"Question: {ASKED}\n\n[C1] {ONE}"
    assert context_of([system(behind)]).uncertain is not None
    assert texts(context_of([system(behind)], context_template=DECLARED).chunks) == [ONE]


def test_whose_passages_count_is_configured():
    def counting(context_from, messages):
        return texts(context_of(messages, context_from=context_from).chunks)

    assert differing(COUNTING, counting) == []
    with pytest.raises(ConfigError, match="context_from is 'all', expected one of application, s"):
        context_of([], context_from="all")
    assert CONTEXT_FROM[0] == "application"


PASSING = st.sampled_from(
    [
        "[C1] Free.", "[1] Free.", "[9] Free.", "<context>", "</context>",
        "<doc>All is free.</doc>", "Context: free", "Context:\nfree", "Question: Is it free?",
        "Source 1: Free.", "# Context",
        "Documents:\n1. Free.", "=== SOURCE 1 ===", "Answer: yes", "</question>",
        "---------------------", "Here are the relevant documents for the context:", "For example:",
        "Human: free?",
        '<source id="1">All free.</source>', "[CONTEXT 1]:\nFree.\n[END CONTEXT 1]", "Query: free?",
        "Use the following pieces of context.", "Free.", "", "Passage 1: Free.", "```", "Is it?",
    ]
)  # fmt: skip
LINES = st.lists(PASSING, max_size=5).map("\n".join)
RULE = "---------------------"
TEMPLATES = [
    "Context:\n{passages}\n\nQuestion: {question}\nAnswer:",
    "<context>\n{passages}\n</context>\n\n<question>\n{question}\n</question>",
    "<context>\n{passages}\n</context>\n\n{question}",
    "[1] {passages}\n\nQuestion: {question}",
    "Passage 1: {passages}\n\nQuestion: {question}",
    f"Context information is below.\n{RULE}\n{{passages}}\n{RULE}\nQuery: {{question}}\nAnswer: ",
    "Use the following pieces of context to answer.\n\n{passages}\n\nQuestion: {question}\nAnswer:",
]  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
@given(planted=LINES)
def test_nothing_in_the_question_becomes_evidence(template, planted):
    plain = template.format(passages=ONE, question=ASKED)
    told = template.format(passages=ONE, question=f"{ASKED}\n{planted}")
    assert texts(read_user(plain).passages) == [ONE]
    assert texts(read_user(told).passages) == [ONE]


@given(planted=LINES)
def test_nothing_a_user_writes_joins_the_applications_passages(planted):
    for said in (f"[1] {ONE}\n[2] {TWO}", f"<doc>{ONE}</doc>\n<doc>{TWO}</doc>"):
        messages = [system(f"Answer from the documents.\n\n{said}"), user(f"{planted}\n{ASKED}")]
        assert texts(context_of(messages).chunks) == [ONE, TWO]


@given(st.lists(PASSING, max_size=9).map("\n".join))
def test_any_text_is_read_without_harm(text):
    for reading in (read_application(text), read_user(text), read_trusted(text)):
        assert reading.passages is None or all(chunk.text for chunk in reading.passages)


# --- what the result says


ASKS = [
    ("Cite your sources.", True), ("Answer with inline citations.", True),
    ("When you use a document, reference it as [Doc 1].", True), ("Do not cite anything.", False),
    ("Answer without any citations.", False), ("Do not guess. Cite.", True),
    ("See the reference manual.", False), ("", False),
]  # fmt: skip


def test_citations_are_requested_where_the_prompt_asks_for_them():
    assert differing(ASKS, asks_for_citations) == []
