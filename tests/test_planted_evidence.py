"""Passages that a user plants into his question: none is evidence, whatever it looks like."""

import argparse
from itertools import cycle

import pytest

from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.server.proxy.app import add_arguments, settings_of
from streamguard.wire.requests.shown import context_of
from tests.cases.prompts.planted import (
    ASKED,
    BASIC,
    FAKE,
    OPEN,
    PLAIN,
    PROMPTS,
    RIGHT,
    WRONG,
    Prompt,
    hostile,
    questions,
)
from tests.programs.first_day import doors, frameworks

BARE = PROMPTS[-1]  # the question begins the message
CHAT = {
    "proxy": "Chat Completions", "ASGI": "Chat Completions", "aiohttp": "Chat Completions",
    "LangChain": "astream", "LlamaIndex": "astream_chat",
}  # fmt: skip


def texts(context):
    return None if context.chunks is None else [chunk.text for chunk in context.chunks]


def is_read(prompt):
    """Say whether a prompt's context counts where its application declares nothing."""
    return prompt.known or prompt.order != "question first"


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_a_user_plants_nothing_and_takes_nothing_out(prompt):
    plain = texts(context_of(prompt.messages(ASKED)))
    assert (plain is not None and BASIC in str(plain)) == is_read(prompt)
    for place, planting, question in questions(prompt):
        if prompt is BARE and place != "behind":
            continue  # as the next test says
        context = context_of(prompt.messages(question))
        assert texts(context) == plain, (place, planting)
        assert is_read(prompt) or "context_template" in context.uncertain


@pytest.mark.parametrize("prompt", OPEN, ids=lambda prompt: prompt.name)
def test_an_unmarked_question_behind_an_open_context_leaves_no_evidence(prompt):
    assert context_of(prompt.messages(ASKED)).chunks is None
    for place, planting, question in questions(prompt):
        marks_a_question = any(head in question for head in ("Question:", "Query:", "<question>"))
        if not marks_a_question:
            assert texts(context_of(prompt.messages(question))) is None, (place, planting)


def test_who_marks_a_question_behind_an_open_context_makes_a_whole_prompt():
    # The same text is a context with planted words in the question, and a longer context.
    marked = Prompt("", "Context:\n{context}\n\nQuestion: {question}")
    question = f"[C1] {FAKE}\n\nQuestion: {ASKED}"
    assert OPEN[0].messages(question, BASIC) == marked.messages(ASKED, f"{BASIC}\n\n[C1] {FAKE}")


def test_who_begins_a_message_can_write_all_of_a_prompt_that_nobody_declares():
    # The same text is a context and then a question, and a question and then a context.
    first = Prompt("", "<context>\n{context}\n</context>\n\n{question}")
    behind = f"{ASKED}\n\nAnswer using the following information:\n{BASIC}"
    question = f"<context>\n{FAKE}\n</context>\n\n{ASKED}"
    assert first.messages(behind, FAKE) == BARE.messages(question, BASIC)
    assert texts(context_of(BARE.messages(question, BASIC))) == [FAKE]
    declared = context_of(BARE.messages(question, BASIC), context_template=BARE.template)
    assert texts(declared) == [BASIC]


@pytest.mark.parametrize(
    "prompt", [one for one in PROMPTS if one.order != "system"], ids=lambda prompt: prompt.name
)
def test_a_declared_template_is_read_whatever_a_user_plants(prompt):
    def read(question):
        return texts(context_of(prompt.messages(question), context_template=prompt.template))

    plain = read(ASKED)
    assert BASIC in str(plain)
    for place, planting, question in questions(prompt):
        assert read(question) == plain, (place, planting)


# In a user's message the first end of a block ends it, for what follows it may be the user's; and
# behind the question the context begins at the last of the words that stand before it.
ENDS = ("</context>", "</documents>", "<context>\nFree.\n</context>", "DOCUMENT CONTEXT END")
LAST = ("Context: Free.", "# Context")


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_a_passage_takes_no_other_one_out(prompt):
    for words, context, other in hostile(prompt):
        shown = context_of(prompt.messages(ASKED, context))
        found = texts(shown)
        if prompt.order == "system" or (found and other in str(found)):
            assert other in str(found), words
        elif prompt.order == "question first":
            assert words in LAST or not is_read(prompt)
        else:
            assert words in ENDS or words.endswith(ENDS[-1]), words
            assert found is not None or shown.uncertain


def test_a_passage_of_a_known_prompt_may_hold_what_ends_other_contexts():
    for prompt in PROMPTS:
        if prompt.known and prompt.order == "context first":
            for _, context, other in hostile(prompt):
                assert other in str(texts(context_of(prompt.messages(ASKED, context))))


def verdicts(context):
    return [check_text(answer, context=context).status for answer in (RIGHT, WRONG)]


def test_true_answers_keep_their_verdict_and_planted_ones_get_none():
    for prompt in PROMPTS:
        for place, planting, question in list(questions(prompt))[:: len(PROMPTS) // 3 + 1]:
            if prompt is BARE and place != "behind":
                continue
            context = context_of(prompt.messages(question))
            if planting in PLAIN and FAKE in context.query:
                continue
            right, wrong = verdicts(context)
            expected = ("PASS", False) if is_read(prompt) else (None, True)
            assert (right, wrong is None) == expected, (prompt.name, place, planting)
            assert wrong != "PASS"


def settings(*flags):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return settings_of(parser.parse_args(["--upstream", "http://a", *map(str, flags)]))


def test_the_proxys_template_is_a_file(tmp_path):
    file = tmp_path / "prompt.txt"
    file.write_text(BARE.template, encoding="utf-8-sig")
    assert settings("--context-template", file).context_template == BARE.template
    assert settings().context_template is None
    file.write_text("Context: {context}", encoding="utf-8")
    with pytest.raises(ConfigError, match="context_template has no"):
        settings("--context-template", file)
    with pytest.raises(ConfigError, match=r"context-template .*none\.txt cannot be read: No such"):
        settings("--context-template", tmp_path / "none.txt")


class Asked:
    """A prompt with a question in it, as the doors take it."""

    def __init__(self, prompt, question):
        self.messages = prompt.messages(question)


def one_each(prompts):
    """Yield every prompt with one of the plantings, another for each."""
    for number, prompt in zip(cycle(range(60)), prompts, strict=False):
        place, _, question = list(questions(prompt))[number * 7 % 60]
        if prompt is not BARE or place == "behind":
            yield prompt, question


@pytest.mark.asyncio
@pytest.mark.parametrize("door", CHAT)
async def test_every_door_reads_alike(door):
    opened = {**doors.DOORS, **frameworks.DOORS}
    if door not in opened:
        pytest.skip(f"needs the extra of {door}: make test-integrations")
    async with opened[door][0]() as check:
        for prompt, question in one_each(PROMPTS):
            right, wrong = [
                await check(Asked(prompt, question), CHAT[door], answer)
                for answer in (RIGHT, WRONG)
            ]
            told = [reason["code"] for reason in wrong["reasons"]]
            assert (right["status"] == "PASS") == is_read(prompt), prompt.name
            assert wrong["status"] != "PASS", prompt.name
            assert is_read(prompt) or told == ["context_uncertain"]
    for prompt in (BARE, PROMPTS[-2]):
        async with opened[door][0](context_template=prompt.template) as check:
            for _, question in one_each([prompt] * 3):
                asked = Asked(prompt, question)
                assert (await check(asked, CHAT[door], RIGHT))["status"] == "PASS"
                assert (await check(asked, CHAT[door], WRONG))["status"] in ("WARN", "REFUSE")
