"""Frameworks' prompts, recognised by all their fixed words.

They put the question first, or have marks that a passage may contain too. A prompt that begins with
the question itself is not among them: the user could write the words after it, so its application
must declare it.
"""

from __future__ import annotations

from functools import cache

from streamguard.prompt.template import Filled, Template, even, template_of

_HUB = (
    "You are an assistant for question-answering tasks. Use the following pieces of retrieved"
    " context to answer the question. If you don't know the answer, just say that you don't know."
    " Use three sentences maximum and keep the answer concise.\n"
    "Question: {question}\nContext: {context}"
)
_REFINED = (
    "We have provided an existing answer: {existing_answer}\n"
    "We have the opportunity to refine the existing answer (only if needed) with some more context"
    " below.\n------------\n{context}\n------------\n"
)
_RULE = "-" * 21
# Of two that fit a prompt the first counts: the longer one of the two. By framework, as of the
# releases that docs/prompts.md names; blanks and blank lines do not matter.
KNOWN = {
    "LangChain, hub rlm/rag-prompt": f"{_HUB}\nAnswer:",
    "LangGraph, agentic RAG": _HUB,
    "LangChain, stuff": "Use the following pieces of context to answer the question at the end. If"
    " you don't know the answer, just say that you don't know, don't try to make up an answer.\n"
    "{context}\nQuestion: {question}\nHelpful Answer:",
    "LlamaIndex, text QA": f"Context information is below.\n{_RULE}\n{{context}}\n{_RULE}\n"
    "Given the context information and not prior knowledge, answer the query.\n"
    "Query: {question}\nAnswer:",
    "LlamaIndex, tree summarize": "Context information from multiple sources is below.\n"
    f"{_RULE}\n{{context}}\n{_RULE}\nGiven the information from multiple sources and not prior"
    " knowledge, answer the query.\nQuery: {question}\nAnswer:",
    "LlamaIndex, refine": f"The original query is as follows: {{question}}\n{_REFINED}"
    "Given the new context, refine the original answer to better answer the query. If the context"
    " isn't useful, return the original answer.\nRefined Answer:",
    "LangChain, refine": f"The original question is as follows: {{question}}\n{_REFINED}"
    "Given the new context, refine the original answer to better answer the question. If the"
    " context isn't useful, return the original answer.",
}
# A template's first words may take up to this many times their length in a text, for blanks; guess.
_BLANKS = 2


@cache
def _known() -> tuple[Template, ...]:
    return tuple(map(template_of, KNOWN.values()))


def fitting(text: str) -> Filled | None:
    """Return the filled places of the first known template that `text` fits, None without one."""
    for template in _known():
        first = template.fixed[0]
        if even(text[: _BLANKS * len(first)]).startswith(first):
            filled = template.read(text)
            if isinstance(filled, Filled):
                return filled
    return None
