"""What MkDocs changes on a page: how to install, once the package index has the package."""

import re
from typing import Any

FROM_A_CLONE = re.compile(r"pip install (?:-e )?(?P<quote>'?)\.(?P<extras>\[[a-z,-]+\])?(?P=quote)")


def on_page_markdown(markdown: str, config: dict[str, Any], **_: Any) -> str:
    """Return the page; with `published`, installing from a clone becomes installing by name."""
    if not config["extra"]["published"]:
        return markdown
    return by_name(markdown)


def by_name(markdown: str) -> str:
    """Return the page with `pip install .` as `pip install streamguard-llm`, extras kept."""

    def named(match: re.Match[str]) -> str:
        extras = match["extras"]
        return f"pip install 'streamguard-llm{extras}'" if extras else "pip install streamguard-llm"

    return FROM_A_CLONE.sub(named, markdown).replace("In a clone, with Python", "With Python")
