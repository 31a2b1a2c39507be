"""What the documentation takes from the code is what the code says."""

import importlib.util

import pytest

import streamguard
from tests.documents import ROOT


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
    on, off = ({"extra": {"published": value}} for value in (True, False))
    assert hooks.on_page_markdown(page, off) == page
    assert hooks.on_page_markdown(page, on) == (
        "pip install streamguard-llm\n"
        "pip install 'streamguard-llm[openai]' fastapi\n"
        "pip install 'streamguard-llm[otel,speed]'\n"
    )
