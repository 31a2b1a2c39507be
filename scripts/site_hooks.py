"""Site hooks: README as front page, links that leave `docs/`, `llms.txt`, installing by name."""

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FROM_A_CLONE = re.compile(r"pip install (?:-e )?(?P<quote>'?)\.(?P<extras>\[[a-z,-]+\])?(?P=quote)")
CODE = r"^ *```.*?^ *```$|`[^`\n]*`"
LINK = re.compile(
    r"(?P<image>!?)\[(?P<words>[^\]]*)\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)"
)
FRONT = "README.md"


def on_files(files: Any, config: Any) -> Any:
    """Add README.md to the site as its front page."""
    from mkdocs.structure.files import File  # only MkDocs' own environment has it

    text = (ROOT / FRONT).read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=in_the_site(text, FRONT, None)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Return the page with links that lead somewhere on the site.

    With `published`, installing from a clone becomes installing by name.
    """
    path = page.file.src_uri
    repository = config["repo_url"]
    if path == "index.md":
        text = (ROOT / FRONT).read_text(encoding="utf-8")
        markdown = in_the_site(text, FRONT, repository)
    else:
        markdown = in_the_site(markdown, f"docs/{path}", repository)
    return by_name(markdown) if config["extra"]["published"] else markdown


def on_post_build(config: Any) -> None:
    """Write `llms.txt`: every page with its address and first sentence."""
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", "", "## Pages", ""]
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        address = page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        lines.append(f"- [{title(text)}]({address}/): {first_sentence(text)}".rstrip(": "))
    (Path(config["site_dir"]) / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def in_the_site(markdown: str, path: str, repository: str | None) -> str:
    """Return the page at `path` of the repository with the links that it needs on the site.

    A link to a file outside `docs/` leads into the repository, or is left as its words where no
    repository is known.
    """
    folder = posixpath.dirname(path)
    here = "" if path == FRONT else folder.removeprefix("docs").strip("/")

    def link(match: re.Match[str]) -> str:
        if ":" in match["target"]:
            return match[0]
        target = posixpath.normpath(posixpath.join(folder, match["target"]))
        if target == FRONT or target.startswith("docs/"):
            inside = "index.md" if target == FRONT else target.removeprefix("docs/")
            shown = posixpath.relpath(inside, here or ".")
        elif repository:
            shown = f"{repository.rstrip('/')}/blob/main/{target}"
        else:
            return match["words"]
        return f"{match['image']}[{match['words']}]({shown}{match['anchor'] or ''})"

    pattern = re.compile(f"{CODE}|{LINK.pattern}", re.MULTILINE | re.DOTALL)
    return pattern.sub(lambda each: each[0] if each["words"] is None else link(each), markdown)


def title(markdown: str) -> str:
    """Return the page's first heading."""
    found = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return found[1] if found else ""


def first_sentence(markdown: str) -> str:
    """Return the first sentence of the first plain paragraph, or nothing."""
    plain = re.sub(r"^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    for paragraph in plain.split("\n\n"):
        words = " ".join(paragraph.split())
        if words and words[0] not in "#|!<->":
            return re.split(r"(?<=[.!?]) ", LINK.sub(lambda each: each["words"], words))[0]
    return ""


def by_name(markdown: str) -> str:
    """Return the page with `pip install .` as `pip install streamguard-llm`, extras kept."""

    def named(match: re.Match[str]) -> str:
        extras = match["extras"]
        return f"pip install 'streamguard-llm{extras}'" if extras else "pip install streamguard-llm"

    return FROM_A_CLONE.sub(named, markdown).replace("In a clone, with Python", "With Python")
