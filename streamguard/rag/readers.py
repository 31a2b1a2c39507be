"""Reads the text of a document: Markdown and plain text directly, HTML and PDF with extras."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamguard.errors import DecodeError, StreamguardError
from streamguard.rag.extras import library

_TEXT_ENDINGS = frozenset({".txt", ".text"})
_HTML_ENDINGS = frozenset({".html", ".htm"})
_PDF_ENDINGS = frozenset({".pdf"})
# HTML comes out as Markdown headings and paragraphs.
MARKDOWN_ENDINGS = frozenset({".md", ".markdown"}) | _HTML_ENDINGS
_EXTRA = "documents"

_ARTICLES = ("article", "main", "section")
_NOT_READ = ("script", "style", "template", "noscript", "nav", "header", "footer", "svg")
# Elements inside a paragraph; text of any other element is a paragraph of its own.
_INLINE = frozenset(
    "a abbr b bdi bdo br cite code data dfn em i kbd mark q s samp small span strong sub sup time"
    " u var wbr".split()
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


class NoTextError(DecodeError):
    """A document was read and has no text."""


def readable(path: Path) -> bool:
    """Return whether the file's suffix is supported."""
    return path.suffix.lower() in MARKDOWN_ENDINGS | _TEXT_ENDINGS | _PDF_ENDINGS


def read_document(path: Path, data: bytes) -> str:
    """Return the text of a file's content; HTML headings become `#` lines.

    Raises `DecodeError` for content that does not match the file's suffix, `ConfigError` if the
    extra for it is not installed.
    """
    return _reader(path.suffix.lower())(data, path.name)


def _reader(ending: str) -> Callable[[bytes, str], str]:
    if ending in _HTML_ENDINGS:
        return _html
    return _pdf if ending in _PDF_ENDINGS else _text


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        seen = f"byte {exc.start} is {data[exc.start]:#04x}"
        raise DecodeError(f"{name} is not UTF-8: {seen}") from exc


def _html(data: bytes, name: str) -> str:
    soup = library("bs4", _EXTRA).BeautifulSoup(data, "html.parser")
    for element in soup(_NOT_READ):
        # An article's own header has its title; a page's is the same on every page.
        if element.name != "header" or element.find_parent(_ARTICLES) is None:
            element.decompose()
    for element in soup("br"):
        element.replace_with("\n")
    paragraphs: list[tuple[Any, list[str]]] = []
    for string in soup.strings:
        block = _block(string)
        # By identity: elements of the same content are equal.
        if not paragraphs or paragraphs[-1][0] is not block:
            paragraphs.append((block, []))
        paragraphs[-1][1].append(string)
    marked = (_marked(block.name, "".join(strings)) for block, strings in paragraphs)
    text = "\n\n".join(filter(None, marked))
    if not text:
        raise NoTextError(f"{name} holds no text")
    return text


def _block(string: Any) -> Any:
    """Return the paragraph element around the string."""
    element = string.parent
    while element.name in _INLINE and element.parent is not None:
        element = element.parent
    return element


def _marked(element: str, text: str) -> str:
    """Return a paragraph as Markdown."""
    if element == "pre" and text.strip():
        return f"```\n{text.strip()}\n```"
    line = " ".join(text.split())
    if line and element in _HEADINGS:
        return f"{'#' * int(element[1])} {line}"
    # A text's own "#" is no heading, and its "```" opens no block.
    line = f"\\{line}" if line.startswith(("#", "```", "~~~")) else line
    return f"- {line}" if line and element == "li" else line


def _pdf(data: bytes, name: str) -> str:
    pypdf = library("pypdf", _EXTRA)
    try:
        pages = pypdf.PdfReader(io.BytesIO(data)).pages
        texts = [page.extract_text() for page in pages]
    except (StreamguardError, MemoryError):
        raise
    except Exception as exc:  # damaged files raise errors of many kinds
        raise DecodeError(f"{name} cannot be read as PDF: {exc}") from exc
    if not any(text.strip() for text in texts):
        raise NoTextError(f"{name} holds no text; is it a scan?")
    return "\n\n".join(texts)
