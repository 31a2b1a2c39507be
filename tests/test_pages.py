"""Every block of README and documentation runs, every link leads somewhere."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib

import pytest

from streamguard.cli import COMMANDS, make_parser
from streamguard.settings import load_policy
from tests.kit.documents import MEASURED, PAGES, ROOT, blocks, prose

# What is no code of ours: other tests try it, or it only shows what is printed.
ELSEWHERE = {
    "docs/deploy.md": {"sh", "nginx", "yaml"},  # test_deploy.py
    "docs/tutorial.md": {"html", "markdown", "text", "console", "python"},  # test_tutorial.py
    "docs/guides/frameworks.md": {"python", "yaml"},  # test_examples.py and tests/integrations
    "docs/guides/web.md": {"html"},  # tests/browser
}
LANGUAGES = {"python", "json", "toml", "console", "js"}
# Of other programs only the name is known here.
PROGRAMS = {"pip", "curl", "docker", "uvicorn", "python3", ".", "mkdir", "cd", "bash"}


def of_language(language):
    return [
        page
        for page in PAGES
        if language not in ELSEWHERE.get(page, ())
        and any(block.language == language for block in blocks(page))
    ]


@pytest.mark.parametrize("page", of_language("python"))
def test_the_python_of_a_page_runs_from_its_first_block_to_its_last(page, capsys):
    names = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language == "python":
            exec(compile(block.text, page, "exec"), names)
    capsys.readouterr()


@pytest.mark.parametrize("page", of_language("json"))
def test_the_json_of_a_page_is_json(page):
    for block in blocks(page):
        if block.language == "json":
            assert json.loads(block.text)


@pytest.mark.parametrize("page", of_language("toml"))
def test_the_policies_of_a_page_can_be_loaded(page, tmp_path):
    for block in blocks(page):
        if block.language == "toml":
            assert tomllib.loads(block.text)
            file = tmp_path / "policy.toml"
            file.write_text(block.text)
            assert load_policy(str(file), environ={}).policy.name == "policy.toml"


@pytest.mark.parametrize("page", of_language("js"))
def test_the_javascript_of_a_page_can_be_parsed(page, tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    for block in blocks(page):
        if block.language == "js":
            file = tmp_path / "block.mjs"
            file.write_text(block.text)
            subprocess.run([node, "--check", str(file)], check=True)


def commands():
    for page in PAGES:
        for block in blocks(page):
            if block.language == "console":
                for line in block.text.splitlines():
                    if command := line.split("  #")[0].split(" # ")[0].removesuffix("&").strip():
                        yield pytest.param(command, id=f"{page}: {command[:40]}")


@pytest.mark.parametrize("line", list(commands()))
def test_a_command_exists_and_takes_its_flags(line):
    program, *words = shlex.split(line)
    if program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{words[0]}:", makefile, re.MULTILINE), line
    elif program.endswith("streamguard"):
        assert words[0] in COMMANDS
        make_parser(words[0]).parse_args(words)
    elif program in {"python", ".venv/bin/python"} and words[0].endswith(".py"):
        assert (ROOT / words[0]).exists(), line
    else:
        assert program in PROGRAMS, line


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_a_language_that_is_checked(page):
    given = {block.language for block in blocks(page)} - ELSEWHERE.get(page, set())
    assert given <= LANGUAGES | {"", "text"}  # these show frames, signatures, output


def titled():
    return [
        pytest.param(page, block, id=block.title)
        for page in PAGES
        for block in blocks(page)
        if block.title is not None and block.title.startswith("examples/")
    ]


@pytest.mark.parametrize(("page", "block"), list(titled()))
def test_an_example_on_a_page_is_the_file_that_runs(page, block):
    assert block.text == (ROOT / block.title).read_text(encoding="utf-8"), (
        "python scripts/reference.py writes it"
    )


def anchors(page):
    text = prose(page)
    found = set()
    for head in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head).lower())
        found.add(re.sub(r"[- ]+", "-", words.strip()))
    return found


def test_every_link_leads_to_a_file_and_a_heading():
    for page in [*PAGES, *MEASURED]:
        here = ROOT / page
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose(page))):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            there = (here.parent / file).resolve() if file else here
            assert there.exists(), f"{page} leads to {target}"
            if anchor:
                heads = anchors(str(there.relative_to(ROOT)))
                assert anchor in heads, f"{page} leads to {target}"


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_every_file_that_a_contributor_is_sent_to_exists(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`(?:python )?((?:streamguard|tests|scripts|docs|js)/[\w./]+)`", text)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_readme_is_short():
    text = PAGES["README.md"].read_text(encoding="utf-8")
    assert len(text.split()) <= 1_200
    for paragraph in re.split(r"\n\n|\n(?=- )", prose("README.md")):
        if not paragraph.startswith("|"):
            assert len(paragraph.split()) <= 90, paragraph


def test_the_readme_names_every_flag_that_is_raised():
    from streamguard.core.model.types import FLAGS

    table = prose("README.md").partition("## What it flags")[2].partition("\n## ")[0]
    named = set(re.findall(r"^\| (`[^|]+`) \|", table, re.MULTILINE))
    assert {flag for cell in named for flag in re.findall(r"`(\w+)`", cell)} == set(FLAGS)


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES:
        if page.startswith("docs/"):
            assert f" {page.removeprefix('docs/')}\n" in navigation, page
