"""A headless Chromium for the page's tests. They run only where a run names them:

    pytest tests/browser

`STREAMGUARD_BROWSER` names the Chromium to use, otherwise the one on the path is used.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests.browser.scripted import ScriptedChat

HERE = Path(__file__).parent
# Nothing but the loopback server is asked for anything.
QUIET = (
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-default-apps", "--disable-domain-reliability", "--disable-sync", "--no-first-run",
    "--no-pings",
)  # fmt: skip


def chromium_path():
    return os.environ.get("STREAMGUARD_BROWSER") or shutil.which("chromium")


def pytest_configure(config):
    config.addinivalue_line("markers", "browser: needs Chromium and Playwright")


def pytest_ignore_collect(collection_path, config):
    """Leave a plain `pytest` without browser tests: they take long and need Chromium."""
    named = [Path(config.rootpath, arg.split("::")[0]).resolve() for arg in config.args]
    return None if any(path == HERE or HERE in path.parents for path in named) else True


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium: set STREAMGUARD_BROWSER or install one")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser):
    """Open pages that fail the test on a script error, a refused resource or a foreign request."""
    contexts, faults = [], []

    def opened(url, ready="#preset option", **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        page.on(
            "console",
            lambda said: said.type == "error" and faults.append(f"{said.text} {said.location}"),
        )
        page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
        page.on("request", lambda it: url in it.url or faults.append(f"request: {it.url}"))
        page.goto(url)
        page.wait_for_selector(ready, state="attached")
        return page

    opened.faults = faults
    yield opened
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def server():
    with ScriptedChat().running() as running:
        yield running


@pytest.fixture
def page(server, new_page):
    return new_page(server.url)
