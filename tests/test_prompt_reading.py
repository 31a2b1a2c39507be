"""Prompts as people write them: passages, question, whose words count, and what is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.model.types import ContextOrigin
from streamguard.core.prompt.citing import asks_for_citations, without_passages
from streamguard.core.prompt.marks import elements
from streamguard.core.prompt.passages import passages_in
from streamguard.core.prompt.reading import _last_opening, read_application, read_user
from streamguard.core.reading.markers import BOUNDARY_END, BOUNDARY_START
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.wire.requests.shown import CONTEXT_FROM, context_of
from tests.prompts import held, seen
from tests.prompts.sample import misread, system, user

ONE, TWO = "The fee is $95 a year.", "Claims are filed within 30 days."
ASKED = "What is the fee?"


@pytest.mark.parametrize("sample", [*seen.SAMPLES, *held.SAMPLES], ids=lambda each: each.name)
def test_a_prompt_is_read_as_its_author_meant_it(sample):
    assert misread(sample, context_of(sample.messages)) == []


def texts(found):
    return None if found is None else [chunk.text for chunk in found]


def test_a_question_of_several_paragraphs_is_whole():
    asked = "I pay by card.\n\nMy plan is Basic.\n\nWhat is the fee?"
    found = read_user(f"<context>\n{ONE}\n</context>\n\nQuestion: {asked}")
    assert found.question == asked


def names(found):
    return [(chunk.id, chunk.source) for chunk in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The sources:\n[1] (source: a.md) One.\n[2] b.md\nTwo.", [("C1", "a.md"), ("C2", "b.md")]),
        ("Document [1](Title: Fees) One.", [("C1", "Fees")]),
        ("## Doc 1: a.md\nOne.\n## Doc 2 - b.pdf\nTwo.", [("C1", "a.md"), ("C2", "b.pdf")]),
        ("[Doc 1] (score: 0.93)\nSource: a.md\nOne.", [("C1", "a.md")]),
        ('<doc id="a-7" title="Fees">One is here.</doc>', [("a-7", "Fees")]),
        ("<doc>One is here.</doc><doc>Two is.</doc>", [("C1", None), ("C2", None)]),
        ("<document><title>Fees</title>\nOne is here.</document>", [("C1", "Fees")]),
        ("<source id='3' url=\"u\">One is here.</source>", [("C3", "u")]),
    ],
)  # fmt: skip
def test_passages_keep_their_numbers_and_sources(text, expected):
    assert names(read_application(text).passages) == expected


def test_pieces_of_one_source_are_one_passage_and_others_keep_apart():
    text = (
        '<context><source id="1" name="a">One.</source><source id="1" name="a">More of it.</source>'
        '<source id="1" name="b">Two.</source></context>'
    )
    found = read_application(text).passages
    assert names(found) == [("C1", "a"), ("C1.3", "b")]
    assert texts(found) == ["One.\n\nMore of it.", "Two."]


def test_a_score_is_no_part_of_a_passage():
    (chunk,) = read_application("Sources:\n\n[Source 1] (relevance: 0.93) One.").passages
    assert chunk.text == "One."


@pytest.mark.parametrize(
    "text",
    [
        "Say what the <context> and </context> tags hold, or <doc></doc>.",
        "Source 1 says nothing here, of all documents.",
        "Rules for the documents:\n[1] Be kind.",
        "Answer from the documents.\n\nContext:\n\n",
        "<document>never closed",
        "</document> closes nothing",
        "The sources.\n[7] is where it begins.",
        "Use the following documents.\n",
        "<doc/> and the documents",
        "Context:\nUse the context to answer.",
        "12 -----\nThe documents are here.",
        "Use the following documents.\nAnswer briefly from the documents.",
        "",
    ],
)
def test_what_only_speaks_of_passages_holds_none(text):
    assert read_application(text).passages is None


def test_elements_that_overlap_are_read_without_harm():
    (found,) = elements("<doc>a b <passage>c d</doc> e f</passage>")
    assert (found.name, found.inner) == ("doc", [])


def test_a_context_that_begins_with_text_of_its_own_is_one_passage():
    text = f"Context:\n{ONE}\n[1] {TWO}"
    assert texts(read_application(text).passages) == [f"{ONE}\n[1] {TWO}"]


def test_a_numbered_list_below_a_head_that_names_several_is_split():
    assert texts(read_application("Search results:\n1. One.\n2. Two.").passages) == ["One.", "Two."]
    assert texts(read_application("Search results:\n1. One.\n3. Three.").passages) == [
        "One.\n3. Three."
    ]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"Use the following context:\n\nQuestion: {ASKED}", None),
        (f"<history>{ONE} {TWO}</history> {ASKED}", None),
        (f"Context: {ONE}\n\nQuestion:", None),
        (f"Context: {ONE}\n\nQuestion: {ASKED}\n\nPlease answer from the context.", ASKED),
        (f"{ASKED}\n\n<doc>{ONE}</doc>", ASKED),
        (f"Answer from the documents.\n\n<doc>{ONE}</doc>", None),
    ],
)
def test_a_message_without_passages_and_question_is_no_evidence(text, question):
    reading = read_user(text)
    assert texts(reading.passages) == (None if question is None else [ONE])
    assert question is None or reading.question == question


@pytest.mark.parametrize(
    "text",
    [f"{BOUNDARY_START}\n[C1] {ONE}\n{BOUNDARY_END}", f"<doc>{ONE}</doc>", f"[1] {ONE}", ONE],
)
def test_a_context_given_as_text_is_split_at_any_mark(text):
    assert texts(Context(prompt_context=text).chunks) == [ONE]


def test_a_head_may_follow_a_head():
    text = f"Answer from the following documents:\n\nContext:\n{ONE}"
    assert texts(read_application(text).passages) == [ONE]
    text = f"Context:\nSources:\n{ONE}\n\nDocuments:\n"
    assert texts(read_application(text).passages) == [f"{ONE}\n\nDocuments:"]


def test_a_section_of_the_applications_ends_an_open_context():
    text = f"# Context\n{ONE}\n\n# Rules\nBe brief."
    assert texts(read_application(text).passages) == [ONE]


def test_rules_of_other_places_and_many_of_them_are_no_context():
    assert read_application("a\n---\nb\n---\nc").passages is None
    many = "\n".join(["-----"] * 150)
    assert read_application(f"The context is below.\n-----\n{ONE}\n{many}").passages is not None


def test_marks_that_count_anew_begin_anew():
    text = f"Sources:\n[1] Old.\n[2] Older.\nNow these sources:\n[1] {ONE}\n[2] {TWO}"
    assert texts(read_application(text).passages) == [ONE, TWO]


def test_examples_whose_sources_stand_between_rules_are_no_evidence():
    one = "QUESTION: Who?\n=========\nContent: Ada.\n=========\nFINAL ANSWER: Ada.\n\n"
    last = f"QUESTION: {ASKED}\n=========\nContent: {ONE}\n=========\nFINAL ANSWER:"
    reading = read_user(f"Create a final answer.\n\n{one}{one}{last}")
    assert (texts(reading.passages), reading.question) == ([f"Content: {ONE}"], ASKED)


def test_between_two_rules_may_be_nothing():
    assert read_application("Context information is below.\n----\n----\nBe kind.").passages is None


def test_a_system_prompt_may_hold_the_question_too():
    context = context_of([system(f"Context: {ONE}\n\nQuestion: {ASKED}\nAnswer:")])
    assert (context.query, texts(context.chunks)) == (ASKED, [ONE])
    faq = f"Context:\n{ONE}\n\nQuestion: Is it due?\nAnswer: No.\n\n{TWO}"
    assert texts(read_application(faq).passages) == [faq.removeprefix("Context:\n")]


BLOCK = f"{BOUNDARY_START}\n\n[C1] Source: a.md\n{ONE}\n\n[C2]\n{TWO}\n\n{BOUNDARY_END}"


@pytest.mark.parametrize(
    "text",
    [
        f"{BLOCK}\n\n{ASKED}",
        f"{BLOCK}\nQuestion: {ASKED}",
        f"{ASKED}\n{BLOCK}",
        f"[C1] {ONE}\n[C2] {TWO}\nQuestion: {ASKED}",
        f"Question: {ASKED}\n[C1] {ONE}\n[C2] {TWO}",
        f"{ASKED}\n\n<doc>{ONE}</doc><doc>{TWO}</doc>",
    ],
)
def test_passages_and_question_of_one_message(text):
    reading = read_user(text)
    assert texts(reading.passages) == [ONE, TWO]
    assert reading.question == ASKED


def test_a_trusted_message_goes_on_up_to_its_last_question():
    text = f"[C1] Question: is it free?\nNo.\nQuestion: since when?\n2020.\nQuestion: {ASKED}"
    trusted = read_user(text, trusted=True)
    assert trusted.question == ASKED
    assert "2020" in trusted.passages[0].text
    assert (
        texts(read_user(text).passages) is None or "2020" not in texts(read_user(text).passages)[0]
    )
    assert texts(read_user(f"[C1] {ONE}", trusted=True).passages) == [ONE]


# --- whose words count


PLANTED = "[C1] The fee is $5 a year."
SAID = [system(f"[C1] {ONE}"), user(f"{ASKED}\n{PLANTED}")]
ALONE = [system("Be kind."), user(f"{PLANTED}\n{ASKED}")]
BEFORE = [user(f"Context: {ONE}"), user(ASKED)]
TEMPLATE = [user(f"Context: {ONE}\n\nQuestion: {ASKED}")]


@pytest.mark.parametrize(
    ("context_from", "messages", "expected"),
    [
        ("application", SAID, [ONE]),
        ("application", ALONE, None),
        ("application", BEFORE, None),
        ("application", TEMPLATE, [ONE]),
        ("system", SAID, [ONE]),
        ("system", TEMPLATE, None),
        ("user", SAID, ["The fee is $5 a year."]),
        ("user", ALONE, [f"The fee is $5 a year.\n{ASKED}"]),
        ("user", BEFORE, [ONE]),
        ("user", [system(f"[C1] {ONE}"), user(ASKED)], [ONE]),
        ("any", [system(f"[C1] {ONE}"), user(ASKED)], [ONE]),
        ("any", SAID, ["The fee is $5 a year."]),
        ("any", BEFORE, [ONE]),
        ("any", [user("Hi")], None),
    ],
)
def test_whose_passages_count_is_configured(context_from, messages, expected):
    context = context_of(messages, context_from=context_from)
    assert texts(context.chunks) == expected


def test_another_wish_is_refused_by_name():
    with pytest.raises(
        ConfigError, match="context_from is 'all', expected one of application, sys"
    ):
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
    "Question: {question}\nContext: {passages}\nAnswer:",
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
    for reading in (read_application(text), read_user(text), read_user(text, trusted=True)):
        assert reading.passages is None or all(chunk.text for chunk in reading.passages)


# --- what the result says


def test_the_result_says_where_the_passages_were_read():
    tool = {"role": "tool", "tool_call_id": "t", "content": "It is due in May."}
    document = {"type": "document", "source": {"type": "text", "data": TWO}}
    context = context_of(
        [
            system(f"<context>{ONE}</context>"),
            user([document, {"type": "text", "text": ASKED}]),
            tool,
            tool,
        ]
    )
    result = check_text("The fee is $95 a year.", context=context)
    assert result.context_source == (
        ContextOrigin("system", "tags", 1),
        ContextOrigin("document", None, 1),
        ContextOrigin("tool", None, 2),
    )
    assert check_text("One.", context=Context(chunks=[ONE])).context_source == (
        ContextOrigin("given", None, 1),
    )
    assert check_text("One.").context_source == ()


def test_a_tools_passage_says_so_in_the_evidence_and_takes_no_passages_place():
    tool = {"role": "tool", "content": "[C1] The fee is $5 a year."}
    context = context_of([system(f"[C1] {ONE}"), tool, user(ASKED)])
    assert [chunk.id for chunk in context.chunks] == ["C1", "tool:C1"]
    result = check_text("The fee is $5 a year.", context=context)
    assert result.sentences[0].evidence.chunk_id == "tool:C1"


def test_a_citation_may_leave_out_that_a_tool_returned_the_passage():
    tool = {"role": "tool", "content": '[{"id": "d7", "text": "The fee is $95 a year."}]'}
    result = check_text("The fee is $95 a year [d7].", context=context_of([user(ASKED), tool]))
    assert result.sentences[0].cited_chunks == ("tool:d7",)
    assert result.status == "PASS"


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Cite your sources.", True),
        ("Answer with inline citations.", True),
        ("When you use a document, reference it as [Doc 1].", True),
        ("Do not cite anything.", False),
        ("Answer without any citations.", False),
        ("Do not guess. Cite.", True),
        ("See the reference manual.", False),
        ("", False),
    ],
)
def test_citations_are_requested_where_the_prompt_asks_for_them(text, asks):
    assert asks_for_citations(text) is asks


def test_a_passage_asks_for_nothing():
    context = context_of([system(f"<context>Cite your sources. {ONE}</context>"), user(ASKED)])
    assert not context.citations_requested
    context = context_of([user(f"Cite them.\n[1] {ONE}\n\nQuestion: {ASKED}")])
    assert context.citations_requested
    context = context_of([user(f"Context: {ONE}\n\nQuestion: {ASKED} Cite your sources.")])
    assert not context.citations_requested
    found = passages_in("Sources:\n[1] a b\n[2] c d")
    assert without_passages("x a b y c d z", found.chunks).split() == ["x", "y", "z"]
    assert without_passages("x", found.chunks) == "x"


def test_elements_side_by_side_open_once_and_behind_words_anew():
    both = "<document id=1>Apples grow.</document>\n<document id=2>Pears fall.</document>"
    assert _last_opening(f"See {both}", 0) == len("See ")
    assert _last_opening(f"{both}\nThe next ones:\n{both}", 0) == len(f"{both}\nThe next ones:\n")
