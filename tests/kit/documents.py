"""The documentation's pages and their code blocks."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    "README.md": ROOT / "README.md",
    "CONTRIBUTING.md": ROOT / "CONTRIBUTING.md",
    "SECURITY.md": ROOT / "SECURITY.md",
    **{str(path.relative_to(ROOT)): path for path in sorted((ROOT / "docs").rglob("*.md"))},
}
# Their links are followed; what they show is written by the benchmarks.
MEASURED = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "benchmarks").rglob("*.md"))]
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[a-z]*)(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block; `title` names the file that it is."""

    language: str
    title: str | None
    text: str


def blocks(page):
    """Return the fenced blocks of a page, with their own indentation taken off."""
    source = PAGES[page].read_text(encoding="utf-8")
    return [
        Block(
            match["language"],
            match["title"],
            re.sub(rf"^{match['indent']}", "", match["text"], flags=re.MULTILINE),
        )
        for match in _FENCE.finditer(source)
    ]


def prose(page):
    """Return the page's text without its blocks."""
    return _FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
