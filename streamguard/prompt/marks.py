"""The marks that set passages off in a prompt: tags, numbered lines, heads, rules.

Every pattern begins at a line or at a `<`, and has a bounded look-ahead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from streamguard.text.patterns import each_in_turns, lazy_re, sliced_re

# Names for one passage, and names for all of them: the nouns of the templates in docs/prompts.md,
# and their plain synonyms in a few languages.
_NOUN = (
    r"(?:sources?|documents?|docs?|passages?|contexts?|chunks?|excerpts?|snippets?|extracts?"
    r"|fragments?|articles?|(?:search[ \t])?results?|references?|quelle|dokument|abschnitt|extrait"
    r"|fuente|documento)"
)
_ALL = (
    r"(?:context(?:[ \t]information)?|knowledge(?:[ \t]base)?|background(?:[ \t]information)?"
    r"|documentation|evidence|documents|passages|excerpts|snippets|chunks|articles|sources|docs"
    r"|references|(?:search[ \t])results|kontext|contexte|contexto|contesto)"
)
_ADJECTIVE = (
    r"(?:the|relevant|retrieved|reference|supporting|provided|additional|source|given|following"
    r"|related|company|internal|our|useful|background)"
)
_MASS = r"(?:information|material|content|text|texts|data|facts|knowledge|documents?|notes)"
_QUESTION = r"(?:question|query|request|user[ \t]input|frage|pregunta|domanda|vraag)"
_ASKER = r"(?:the|my|current|user(?:'s)?|human|customer|latest|original|new|final|follow-?up)"
_FLAGS = re.IGNORECASE | re.MULTILINE


def _head(words: str) -> str:
    """Return the pattern of a line's beginning: `Words:`, `**Words:**`, `# Words`."""
    return (
        rf"^[ \t]{{0,40}}(?:{words}[ \t]{{0,4}}:|[*_]{{2}}{words}[ \t]{{0,4}}:?[*_]{{2}}:?"
        rf"|\#{{1,6}}[ \t]{{1,4}}{words}[ \t]{{0,4}}:?[ \t]*$)"
    )


CONTEXT_HEAD = sliced_re(
    _head(
        rf"(?:(?:{_ADJECTIVE}[ \t]){{0,3}}{_ALL}|(?:{_ADJECTIVE}[ \t]){{1,3}}{_MASS})"
        r"(?:[ \t]\([^()\n]{0,60}\))?"
    )
    + rf"|^[ \t]{{0,40}}\[{_ALL}\][ \t]*$"
    # Between rules, as in "--- BEGIN CONTEXT ---" or "=== Docs ===".
    rf"|^[ \t]{{0,40}}[-=*_~]{{2,40}}[ \t]{{0,4}}(?:(?:begin|start)(?:[ \t]of)?[ \t])?"
    rf"(?:{_ADJECTIVE}[ \t]){{0,2}}{_ALL}(?:[ \t](?:begin|start)s?)?"
    r"[ \t]{0,4}[-=*_~]{2,40}[ \t]*$",
    _FLAGS,
)
QUESTION_HEAD = sliced_re(
    _head(rf"(?:{_ASKER}[ \t]{{1,4}}){{0,2}}{_QUESTION}") + r"|^(?:human|user):", _FLAGS
)
# "Using the excerpts, answer: ..." asks on its own line, if it does not announce the excerpts.
ASKING_LINE = sliced_re(
    r"^(?=[^\n]{0,200}\b(?:using|based|from|according)\b)[^\n]{3,200}?\banswer"
    rf"(?:[ \t](?:the|this|following|user|{_QUESTION})){{0,4}}:",
    _FLAGS,
)
ANSWER_HEAD = sliced_re(
    _head(
        r"(?:(?:helpful|final|your|detailed|the|short)[ \t]{1,4}){0,2}"
        r"(?:answer|response|antwort|respuesta|assistant|ai)"
    )
    + r"|<answer>",
    _FLAGS,
)
# An announcing sentence: "Here are the relevant documents for the context:".
_WHERE = r"\b(?:following|below|here[ \t](?:is|are)|this|these|retrieved|relevant|using)\b"
_WHAT = (
    r"\b(?:context|documents?|docs|documentation|passages?|excerpts?|extracts?|sources?|information|results|knowledge"
    r"|snippets?|pieces|handbook|articles?)\b"
)
_NO_LEAD = (
    r"(?![^\n]{0,400}\b(?:rules?|guidelines|instructions|formats?|steps|examples?|conversation)\b)"
)
LEAD_LINE = sliced_re(
    rf"^(?=[^\n]{{0,400}}{_WHERE})(?=[^\n]{{0,400}}{_WHAT}){_NO_LEAD}"
    r"[^\n]{8,400}:[ \t]*$",
    _FLAGS,
)
# "Use the following pieces of context to answer the question at the end."
LEAD_SENTENCE = sliced_re(
    rf"^{_NO_LEAD}[^\n]{{0,400}}?\b(?:following|below)\b[^\n.]{{0,40}}?{_WHAT}[^\n]{{0,600}}$",
    _FLAGS,
)
SPEAKS_OF_SOURCES = sliced_re(
    rf"{_WHAT}|\bcit(?:e|es|ed|ing|ations?)\b|\bdocumentation\b|\bkontext\b", re.IGNORECASE
)
EXAMPLE_HEAD = sliced_re(r"\bexamples?\b[^\n]{0,30}:\s{0,4}$", re.IGNORECASE)
EXAMPLE = sliced_re(r"example", re.IGNORECASE)
# A heading of the application's own that ends the section below a context's heading.
SECTION_END = sliced_re(
    r"^(?:\#{1,6}[ \t]{1,4}|[-=*_~]{2,40}[ \t]{1,4})(?:instructions?|rules|guidelines|task|output"
    r"|answer|response|history|chat history|conversation|format)\b[^\n]{0,30}$",
    _FLAGS,
)
# A last paragraph that tells the model how to answer is no part of the last passage.
INSTRUCTION = sliced_re(
    r"(?=.{0,300}\b(?:answer|question|query|context|passages?|documents?|sources?|excerpts?"
    r"|search results?|cite|citations?)\b)"
    r"(?:answer|based on|using|given|use|cite|please|when|if|remember|instructions?|note|reply"
    r"|respond|find|only|never|always|do not|don't|provide|just|for each|keep)\b",
    re.IGNORECASE | re.DOTALL,
)

_MARK = sliced_re(
    rf"^[ \t>]{{0,40}}(?P<decor>\#{{1,6}}[ \t]{{1,4}}|[-=*_~]{{2,40}}[ \t]{{0,4}})?(?:"
    rf"[\[【](?:(?P<word>{_NOUN})[ \t]{{0,4}})?(?P<c>C)?(?P<n>\d{{1,6}})[\]】]"
    rf"|(?P<noun>{_NOUN})[ \t]{{0,4}}(?:no\.?|nr\.?|\#)?[ \t]{{0,4}}[\[(]?(?P<m>\d{{1,4}})\b[\])]?"
    rf"|(?P<bare>\d{{1,4}})(?=[ \t]{{0,4}}[-=*_~]{{2,40}}[ \t]{{0,4}}$)"
    rf")(?P<rest>[^\n]*)$",
    _FLAGS,
)
_LISTED = sliced_re(r"^[ \t]{0,8}(?P<n>\d{1,3})[.)][ \t](?P<rest>[^\n]*)$", re.MULTILINE)
CLOSING = sliced_re(
    rf"^[ \t]{{0,40}}(?:[-=*_~]{{2,40}}[ \t]{{0,4}}(?:\[?end|{_ALL}[ \t]ends?)|\[(?:/|end))"
    r"\b[^\n]{0,60}$",
    _FLAGS,
)
RULE = sliced_re(r"^[ \t]{0,40}((?P<sign>[-=*_~#`\"])(?P=sign){2,79})[ \t]*$", re.MULTILINE)

_CONTAINERS = (
    "context|contexts|documents|docs|sources|passages|chunks|excerpts|snippets|results"
    "|search_results|retrieved_context|retrieved_documents|retrieved_information|knowledge"
    "|knowledge_base|background|information|references|evidence|articles"
)
_ITEMS = "document|doc|source|passage|chunk|excerpt|snippet|result|search_result|article|item|entry"
_QUESTIONS = "question|query|user_query|user_question|user_input|user_message"
_CONTENTS = "document_content|document_contents|content|page_content|text|body"
_ABOUT = "title|name|url|id|metadata|document_metadata|file|filename|link|author|date"
_ASIDE = "histories|history|chat_history|conversation|instructions|instruction|example|examples"
CONTAINERS, ITEMS, QUESTIONS, CONTENTS, ABOUT, ASIDE = (
    frozenset(names.split("|"))
    for names in (_CONTAINERS, _ITEMS, _QUESTIONS, _CONTENTS, _ABOUT, _ASIDE)
)
_TAG = sliced_re(
    rf"<(?P<close>/?)(?P<name>{_CONTAINERS}|{_ITEMS}|{_QUESTIONS}|{_CONTENTS}|{_ABOUT}|{_ASIDE})"
    r"(?P<attributes>\s(?:\"[^\"\n]{0,300}\"|[^<>\"]){0,400}?)?(?P<alone>/?)>",
    re.IGNORECASE,
)
# Text between two tags that the instructions only mention.
_MENTIONED = lazy_re(r"\W*(?:and|or|tags?)?\W*", re.IGNORECASE)
_MENTIONED_CHARS = 40
_INDENT_CHARS = 80  # blanks before a tag that begins its line; guess


@dataclass(slots=True)
class Element:
    """A tag and its contents: `start` and `end` outside, `body` and `body_end` inside."""

    name: str
    attributes: str
    start: int
    body: int
    body_end: int
    end: int
    inner: list[Element] = field(default_factory=list)

    @property
    def holds_passages(self) -> bool:
        """Whether it is a passage, or holds passages."""
        return self.name in CONTAINERS or self.name in ITEMS


def elements(text: str, *, inline: bool = False) -> list[Element]:
    """Return the outermost known elements of `text`, each with its inner ones, in order.

    A tag opens one at a line's beginning, after another tag or after a colon: elsewhere the text
    only mentions it, unless `inline`. A closing tag ends the first open one of its name and all
    inside it, so a tag opened by a passage removes nothing. A tag that is never closed opens none.
    """
    opened: dict[str, re.Match[str]] = {}
    found: list[Element] = []
    for tag in _TAG.finditer(text) if "<" in text else ():
        name = tag["name"].lower()
        first = opened.get(name)
        if first is None and not (tag["close"] or tag["alone"]):
            if inline or _opens(text, tag.start()):
                opened[name] = tag
        elif first is not None and (tag["close"] or tag["alone"]):
            del opened[name]
            body, body_end = first.end(), tag.start()
            short = body_end - body < _MENTIONED_CHARS
            if not (short and _MENTIONED.fullmatch(text, body, body_end)):
                found.append(
                    Element(
                        name, first["attributes"] or "", first.start(), body, body_end, tag.end()
                    )
                )
    return _nested(found)


def asking_tags(text: str) -> Iterator[re.Match[str]]:
    """Yield the tags of `text` that precede a question, closed or not."""
    for tag in _TAG.finditer(text) if "<" in text else ():
        is_opening = not (tag["close"] or tag["alone"]) and _opens(text, tag.start())
        if is_opening and tag["name"].lower() in QUESTIONS:
            yield tag


def closes_alone(text: str) -> bool:
    """Return whether a line begins with the closing tag of passages or of a question."""
    if "</" not in text:
        return False
    closing = [tag for tag in _TAG.finditer(text) if tag["close"]]
    ending = [tag.start() for tag in closing if tag["name"].lower() not in ASIDE | ABOUT]
    return any(not text[text.rfind("\n", 0, at) + 1 : at].strip() for at in ending)


def _opens(text: str, at: int) -> bool:
    """Return whether a tag at this position may open an element."""
    before = text[max(0, at - _INDENT_CHARS) : at].rstrip(" \t")
    return not before or before[-1] in "\n\r:>"


def _nested(found: list[Element]) -> list[Element]:
    top: list[Element] = []
    around: list[Element] = []
    for element in each_in_turns(sorted(found, key=lambda each: (each.start, -each.end))):
        while around and around[-1].end <= element.start:
            around.pop()
        if around and element.end > around[-1].body_end:
            continue  # begins inside another and ends outside of it
        (around[-1].inner if around else top).append(element)
        around.append(element)
    return top


@dataclass(frozen=True, slots=True)
class PassageMark:
    """The line that opens a passage: its start, the mark's end, its end, its number.

    `style` is its spelling without the number; `heading`: the line is a heading, so its words name
    the passage.
    """

    start: int
    after: int
    line_end: int
    number: int
    style: str
    heading: bool


def marks(text: str) -> Iterator[PassageMark]:
    """Yield the numbered lines of `text` that may open a passage."""
    for found in _MARK.finditer(text):
        decor, rest = (found["decor"] or "").strip(), found["rest"].strip()
        noun = (found["noun"] or found["word"] or "").lower().rstrip("s")
        if found["noun"] and not decor and rest and rest[0] not in ":([-–—|*_=~":
            continue  # "Source 1 says that ..."
        if found["bare"] and not decor:
            continue
        number = int(found["n"] or found["m"] or found["bare"])
        brackets = "[n]" if found["n"] else "n"
        style = f"{decor[:1]}{noun}{(found['c'] or '').lower()}{brackets}"
        yield PassageMark(
            found.start(), found.start("rest"), found.end(), number, style, heading=bool(decor)
        )


def listed(text: str) -> list[PassageMark]:
    """Return the items of a list numbered from 1, where the text begins with one."""
    found = [
        PassageMark(
            item.start(), item.start("rest"), item.end(), int(item["n"]), "n.", heading=False
        )
        for item in _LISTED.finditer(text)
    ]
    expected = 1
    kept = []
    for item in found:
        if item.number == expected:
            kept.append(item)
            expected += 1
    return kept if kept and not text[: kept[0].start].strip() else []


def first_of_each(found: list[PassageMark]) -> list[PassageMark]:
    """Return the first mark of each number: a repeated one belongs to a passage's own text."""
    seen = set[int]()
    kept = []
    for mark in each_in_turns(found):
        if mark.number not in seen:
            seen.add(mark.number)
            kept.append(mark)
    return kept
