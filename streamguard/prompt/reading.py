"""Reads one message of a prompt: its passages and question, and who wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streamguard.prompt import marks as m
from streamguard.prompt.boundary_lines import BOUNDARY_LINE, Form, Passage
from streamguard.prompt.extents import (
    behind_examples,
    first_opening,
    holds_words,
    marked,
    ruled_region,
    without_instructions,
)
from streamguard.prompt.known import fitting
from streamguard.prompt.passages import (
    ClosedBlock,
    FoundPassages,
    boundary_block,
    found_in_context,
    passages_in,
    tags_block,
    with_words_before,
)
from streamguard.prompt.questions import (
    asides,
    closed_spans,
    ending_question,
    question_in,
    questions,
    without_planted,
)
from streamguard.prompt.template import Filled, Template
from streamguard.text.patterns import each_in_turns, sliced_re
from streamguard.text.words import counted

_ENDS = frozenset(".:!;)>]}*_`#=-\"'”")  # of a sentence, a head or a heading; a question has others
_PARAGRAPHS = sliced_re(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class PromptReading:
    """The passages and the question read from a message.

    `passages` is None if the message has none that count as evidence. `form`: how the passages were
    marked. `rules`: the application's instructions next to them. `uncertain`: why apparent passages
    do not count, None without any.
    """

    passages: tuple[Passage, ...] | None
    form: Form | None
    question: str
    rules: str = ""
    uncertain: str | None = None


def read_application(text: str) -> PromptReading:
    """Read a message written by the application alone, such as a system prompt.

    A question counts if the text ends with it.
    """
    found = ending_question(text)
    part = text if found is None else text[: found[0]]
    question = "" if found is None else question_in(text[found[1] :])
    return _reading(text, passages_in(part), question)


def read_alone(text: str, template: Template | None = None) -> PromptReading:
    """Read instructions in a request without user messages.

    If they ask a question, the application filled in the user's, and they are read like a user's
    message.
    """
    found = questions(text, 0, asides(text), ours=False)
    return read_user(text, template) if found else read_application(text)


def read_user(text: str, template: Template | None = None) -> PromptReading:
    """Read a message in which an application may have put its context, and a user the question.

    The first block of passages counts if the question follows it: a marked question, or text after
    a block with a marked end. All text from the question on is the user's. If the question comes
    first, passages count if the message fits the application's `template` or a known framework's.
    """
    if template is not None:
        filled = template.read(text)
        if isinstance(filled, Filled):
            return _of_template(filled)
        return _unread(text, f"does not fit the declared template: {filled}")
    if (known := fitting(text)) is not None:
        return _of_template(known)
    return _first_block(text) or _unread(text, _UNDECLARED)


def read_trusted(text: str, template: Template | None = None) -> PromptReading:
    """Read a user's message that the application wrote completely.

    Passages count without a question too, and extend to the last one.
    """
    reading = read_user(text, template)
    if template is not None and reading.passages is not None:
        return reading
    begin = behind_examples(text)
    heads = questions(text, begin, closed_spans(text))
    if not heads:
        unread = reading.passages is None
        return _reading(text, passages_in(text), reading.question) if unread else reading
    opening = first_opening(text, begin)
    start, end = heads[-1]
    found = None if opening is None or opening > start else passages_in(text[:start], headed=True)
    if found is None:
        end = heads[0][1]
        found = passages_in(_without_answer(text[end:]), headed=True)
    return _reading(text, found, question_in(text[end:]))


def _of_template(filled: Filled) -> PromptReading:
    found = found_in_context(filled.context)
    return PromptReading(found.passages, found.form, question_in(filled.question), filled.rules)


_UNDECLARED = (
    "does not say which are the application's: no question is marked behind them. An application"
    " that puts its question first declares its template (context_template)"
)
_FURTHER_RULES = (
    "The last user message holds more than two rules of one kind in front of its question:"
    " the context may end at any of them."
)
_WITHIN_PASSAGE = (
    "The last user message holds words in front of, and behind, what looks like a whole context:"
    " nothing says which are passages."
)


def _unread(text: str, why: str) -> PromptReading:
    """Return a reading without passages, with the reason if the message seems to have some."""
    question = without_planted(text)
    opening = first_opening(text, behind_examples(text))
    found = None if opening is None else passages_in(text[opening:], headed=True)
    if found is None or not found.passages:
        return PromptReading(None, None, question)
    seen = f"{counted(len(found.passages), 'passage')} (form {found.form}) at character {opening}"
    message = f"The last user message seems to hold {seen}, but it {why}."
    return PromptReading(None, None, question, uncertain=message)


def _first_block(text: str) -> PromptReading | None:
    """Read a message whose context comes first; None if the question does, or nothing is marked.

    Only text before the first question counts. After a block with a marked end, the user's text may
    follow at once.
    """
    rest = text[behind_examples(text) :]
    heads = questions(rest, 0, asides(rest), ours=False)
    start = heads[0][0] if heads else len(rest)
    block = _marked_block(rest, start)
    if block is not None:
        behind = [head for head in heads if head[0] >= block.end]
        return _with_marked_end(text, rest, block, start, behind)
    opening = first_opening(rest[:start]) if heads else None
    if opening is None or _holds_a_question(rest[:opening]):
        return None
    found = passages_in(rest[:start], headed=True)
    if found is None or not found.passages:
        return None
    question = question_in(rest[heads[0][1] :])
    if found.form == "rules" and _has_further_rules(rest[:start]):
        return PromptReading(None, None, question, uncertain=_FURTHER_RULES)
    return _reading(text, found, question)


def _with_marked_end(
    text: str, rest: str, block: ClosedBlock, question_start: int, heads: Sequence[tuple[int, int]]
) -> PromptReading | None:
    """Read a message that begins with a block whose end is marked.

    The first question's head is at `question_start`; `heads` are those after the block.
    """
    before = rest[: block.start]
    found = with_words_before(before, block.found)
    if (
        _holds_a_question(before)
        or BOUNDARY_LINE.search(before) is not None
        or m.closes_alone(before)
    ):
        return None  # a question, or an end mark that the application did not open
    if heads:
        start, end = heads[0]
        if found is not block.found and (
            question_start < block.end or holds_words(rest[block.end : start])
        ):
            return PromptReading(None, None, question_in(rest[end:]), uncertain=_WITHIN_PASSAGE)
        return _reading(text, found, question_in(rest[end:]))
    behind = rest[block.end :]
    has_question = "?" in behind or holds_words(without_instructions(behind))
    if not (block.is_closed and has_question and _is_preamble(before)):
        return None
    if (own := passages_in(before, headed=True)) is not None and own.passages:
        return None  # the application's may be these, and the block of the user's question
    return _reading(text, block.found, question_in(behind))


def _holds_a_question(text: str) -> bool:
    """Return whether the last paragraph of `text`, before a context, has a line that asks."""
    *_, last = _PARAGRAPHS.split(text.strip())
    return any(line.rstrip().endswith("?") for line in last.split("\n"))


def _is_preamble(text: str) -> bool:
    """Return whether text before a context seems to be the application's."""
    *_, last = _PARAGRAPHS.split(text.strip())
    if not holds_words(last) or last.startswith("#") or m.INSTRUCTION.match(last):
        return True
    return last[-1] in _ENDS or m.SPEAKS_OF_SOURCES.search(last) is not None


def _marked_block(text: str, start: int) -> ClosedBlock | None:
    """Return the block with a marked end that begins the context before `start`.

    It ends with the first end line, or with the first run of tags without text between them. None
    if it is inside a passage opened by a numbered line, a rule, or an announcement (for tags that
    do not end all passages).
    """
    boundary = boundary_block(text, last_end=False)
    if boundary is not None and not (boundary.start < start and boundary.is_closed):
        boundary = None
    blocks = filter(None, (boundary, _first_tags(text, start)))
    block = min(blocks, key=lambda each: each.start, default=None)
    if block is None:
        return None
    before = text[: block.start]
    if not block.is_closed and with_words_before(before, block.found) is not block.found:
        return None
    marks = marked(text[: block.start], headed=True)
    ruled = ruled_region(text[:start])
    opened = [marks[0].after] if marks else []
    opened += [ruled[0]] if ruled is not None and ruled[0] < block.start < ruled[1] else []
    return None if any(holds_words(text[at : block.start]) for at in opened) else block


def _first_tags(text: str, start: int) -> ClosedBlock | None:
    """Return the first tag around passages, or the first passage tags without text between them.

    Tags inside a line count if they are closed before the question.
    """
    tagged = [each for each in m.elements(text) if each.holds_passages]
    if (not tagged or tagged[0].start > start) and start < len(text):
        inline = m.elements(text[:start], inline=True)
        tagged = [each for each in inline if each.holds_passages]
    if not tagged or tagged[0].start > start:
        return None
    run = tagged[:1]
    for following in tagged[1:]:
        if run[0].name in m.CONTAINERS or holds_words(text[run[-1].end : following.start]):
            break
        run.append(following)
    return tags_block(text, run)


def _has_further_rules(text: str) -> bool:
    """Return whether more than two rules of a kind separate the passages of `text`.

    The passages may end at any of these.
    """
    begin, _ = ruled_region(text) or (0, 0)
    line = text.rfind("\n", 0, begin) + 1
    rule = text[line:begin].strip()
    alike = [each for each in m.RULE.finditer(text, line) if each[1] == rule]
    return len(alike) > 2


def _without_answer(text: str) -> str:
    """Return `text` without a final head that introduces the answer."""
    *_, last = (None, *m.ANSWER_HEAD.finditer(text))
    return text if last is None or holds_words(text[last.end() :]) else text[: last.start()]


def _without(text: str, passages: Iterable[Passage]) -> str:
    """Return `text` without `passages`, which occur in it in this order."""
    kept, at = [], 0
    for passage in each_in_turns(passages):
        place = text.find(passage.text, at)
        if place >= 0:
            kept.append(text[at:place])
            at = place + len(passage.text)
    return " ".join((*kept, text[at:]))


def _reading(text: str, found: FoundPassages | None, question: str) -> PromptReading:
    rules = text.replace(question, " ", 1) if question else text
    if found is None:
        return PromptReading(None, None, question, rules)
    rules = _without(rules, found.passages)
    return PromptReading(found.passages, found.form, question, rules)
