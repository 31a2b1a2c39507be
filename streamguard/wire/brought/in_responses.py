"""Reads tool results and text annotations from events of OpenAI's Responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from streamguard.core.model.brought import Brought, CitedSpan
from streamguard.wire.brought.tool_passages import (
    Brings,
    ListReader,
    bounded,
    documents,
    names_of,
    of_tool,
    passage,
    passages_of,
    texts_of,
    whole_number,
)
from streamguard.wire.fields import field, text_at

_ANNOTATED = "response.output_text.annotation.added"
_PART_BEGINS, _ITEM_BEGINS = "response.content_part.added", "response.output_item.added"
_PART_ENDS, _ITEM_ENDS = "response.content_part.done", "response.output_item.done"
_CITATIONS = ("file_citation", "url_citation", "container_file_citation")
NAMES = ("file_id", "filename", "url", "title")  # of what an annotation cites


@bounded
def brought_in(frame: Any, listed: ListReader) -> Brings:
    """Yield the passages, citations and calls of a frame or response, all for choice 0.

    The last event repeats earlier tool results.
    """
    kind = text_at(frame, "type")
    at = _block(field(frame, "output_index"), field(frame, "content_index"))
    if not kind:
        yield from _of_response(frame, listed)
    elif kind == _ANNOTATED:
        yield from _annotated((field(frame, "annotation"),), at)
    elif kind == _PART_BEGINS:
        yield 0, Brought(opens=((at, 0),))
    elif kind == _PART_ENDS:
        yield from _annotated(listed(field(frame, "part"), "annotations"), at)
    elif kind in (_ITEM_BEGINS, _ITEM_ENDS):
        index = field(frame, "output_index")
        yield from _of_item(field(frame, "item"), index, listed, ended=kind == _ITEM_ENDS)


def _of_response(response: Any, listed: ListReader) -> Brings:
    further = 0
    for index, item in enumerate(listed(response, "output")):
        for number, part in enumerate(listed(item, "content")):
            yield 0, Brought(opens=((_block(index, number), further),))
            further += len(text_at(part, "text") or text_at(part, "refusal"))
        yield from _of_item(item, index, listed, ended=True)


def _of_item(item: Any, index: Any, listed: ListReader, *, ended: bool) -> Brings:
    kind = text_at(item, "type")
    if kind == "message":
        for number, part in enumerate(listed(item, "content") if ended else ()):
            yield from _annotated(listed(part, "annotations"), _block(index, number))
    elif (read := TOOLS.get(kind)) is not None:
        called = text_at(item, "id") or text_at(item, "call_id") or kind
        yield 0, read(item, called, listed) if ended else Brought(awaits=called)


def _annotated(annotations: tuple[Any, ...], block: str) -> Brings:
    """Yield the annotations that are citations; a file written by a tool is none."""
    cited = tuple(
        citation_of(each, block) for each in annotations if text_at(each, "type") in _CITATIONS
    )
    if cited:
        yield 0, Brought(citations=cited)


def citation_of(cited: Any, block: str = "") -> CitedSpan:
    """Return a citation of a file or page, with its words where the server sends them."""
    names = names_of(cited, NAMES)
    quoted = text_at(cited, "content") or text_at(cited, "quote")
    start, end = whole_number(cited, "start_index", "index"), whole_number(cited, "end_index")
    source = text_at(cited, "url") or text_at(cited, "filename") or None
    return CitedSpan(names, quoted, start, end, block=block, source=source)


def _block(output: Any, content: Any) -> str:
    return f"{output or 0}.{content or 0}"


def _of_mcp(item: Any, id: str, listed: ListReader) -> Brought:
    return of_tool("mcp", "" if field(item, "error") else field(item, "output"), id)


def _of_files(item: Any, id: str, listed: ListReader) -> Brought:
    """Return the passages of a file search; annotations refer to them by file."""
    chunks = []
    for number, found in enumerate(listed(item, "results"), 1):
        name, source = text_at(found, "file_id") or f"{id}/{number}", text_at(found, "filename")
        chunks += passage("file_search", text_at(found, "text"), name, source or None)
    return Brought(tuple(chunks), "file_search", returns=id)


def _of_search(item: Any, id: str, listed: ListReader) -> Brought:
    """Return the pages of a web search; most have an address and no text."""
    found = (*listed(item, "results"), *listed(field(item, "action"), "sources"))
    return Brought(tuple(documents("web_search", found)), "web_search", returns=id)


def _of_code(item: Any, id: str, listed: ListReader) -> Brought:
    logs = "\n".join(text_at(each, "logs") for each in listed(item, "outputs"))
    return of_tool("code", logs, id)


def _of_shell(item: Any, id: str, listed: ListReader) -> Brought:
    output = field(item, "output")
    if isinstance(output, list | tuple):
        found = listed(item, "output")
        output = "\n".join(text for each in found for text in names_of(each, ("stdout", "stderr")))
    return of_tool("code", output, id)


def _of_function(item: Any, id: str, listed: ListReader) -> Brought:
    output = field(item, "output")
    text = output if isinstance(output, str) else texts_of(listed(item, "output"))
    return Brought(tuple(passages_of("tool", text, text_at(item, "call_id") or id)), returns=id)


TOOLS: Mapping[str, Callable[[Any, str, ListReader], Brought]] = {
    "mcp_call": _of_mcp,
    "file_search_call": _of_files,
    "web_search_call": _of_search,
    "code_interpreter_call": _of_code,
    "shell_call_output": _of_shell,
    "local_shell_call_output": _of_shell,
    # Of servers that call the functions themselves.
    "function_call_output": _of_function,
    "custom_tool_call_output": _of_function,
}
