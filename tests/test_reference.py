"""What the documentation takes from the code is what the code says."""

import importlib.util

import pytest

import streamguard
from tests.kit.documents import ROOT


def loaded(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = loaded("reference")


@pytest.mark.parametrize(("name", "text"), list(reference.pages().items()))
def test_a_written_page_is_up_to_date(name, text):
    assert (ROOT / name).read_text(encoding="utf-8") == text, "python scripts/reference.py"


def test_every_public_name_has_an_example():
    assert set(reference.examples()) == set(streamguard.__all__)


def test_installing_is_said_by_name_once_it_can_be():
    hooks = loaded("site_hooks")
    page = "pip install .\npip install '.[openai]' fastapi\npip install -e '.[otel,speed]'\n"
    assert hooks.by_name(page) == (
        "pip install streamguard-llm\n"
        "pip install 'streamguard-llm[openai]' fastapi\n"
        "pip install 'streamguard-llm[otel,speed]'\n"
    )


@pytest.mark.parametrize(
    ("path", "link", "shown"),
    [
        ("README.md", "[a](docs/wire.md#the-law)", "[a](wire.md#the-law)"),
        ("README.md", "![a](docs/chat.png)", "![a](chat.png)"),
        ("README.md", "[a](CHANGELOG.md)", "[a](https://host/us/blob/main/CHANGELOG.md)"),
        ("docs/guides/web.md", "[a](../wire.md)", "[a](../wire.md)"),
        (
            "docs/guides/web.md",
            "[a](../../README.md#in-your-code)",
            "[a](../index.md#in-your-code)",
        ),
        ("docs/wire.md", "[a](../js/README.md)", "[a](https://host/us/blob/main/js/README.md)"),
        ("docs/wire.md", "[a](https://elsewhere/x.md)", "[a](https://elsewhere/x.md)"),
        ("docs/wire.md", "[a](#here)", "[a](#here)"),
        ("docs/wire.md", "`[a](../js/README.md)`", "`[a](../js/README.md)`"),
    ],
)
def test_a_link_of_a_page_leads_somewhere_on_the_site(path, link, shown):
    hooks = loaded("site_hooks")
    assert hooks.in_the_site(link, path, "https://host/us/") == shown
    without = hooks.in_the_site(link, path, None)
    assert without == (link[1:2] if "blob" in shown else shown)


def test_a_link_in_a_block_of_code_stays():
    block = "```text\n[a](../js/README.md)\n```\n"
    assert loaded("site_hooks").in_the_site(block, "docs/wire.md", None) == block


def test_the_sites_list_for_language_models_names_every_page(tmp_path):
    hooks = loaded("site_hooks")
    hooks.on_post_build({"site_name": "s", "site_description": "d", "site_dir": str(tmp_path)})
    lines = (tmp_path / "llms.txt").read_text(encoding="utf-8").splitlines()
    pages = [*(ROOT / "docs").rglob("*.md")]
    assert len([line for line in lines if line.startswith("- [")]) == len(pages)
    assert "- [The wire](wire/): " in "\n".join(lines)
