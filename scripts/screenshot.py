"""Take the README's screenshots of the chat page: docs/chat.png and its siblings.

    python scripts/screenshot.py [--to docs] [--chromium /usr/bin/chromium]

Needs Playwright for Python and a Chromium; the pictures in the repository were taken with the
fonts Inter and Noto Color Emoji installed. Starts `streamguard chat` on the sample documents.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

FAULTY = "What does the Basic account cost per month? (faulty answer)"
REFUSED = "What is the capital of France?"
DESKTOP = {"width": 1280, "height": 1000}
PHONE = {"width": 390, "height": 844}
SCALE = 1.5  # sharp on most screens, at some 150 kB a picture
PICTURES = (
    ("chat.png", "light", DESKTOP),
    ("chat-dark.png", "dark", DESKTOP),
    ("chat-phone.png", "light", PHONE),
    ("chat-phone-dark.png", "dark", PHONE),
)


def main() -> int:
    """Write the pictures; return the exit status."""
    parser = argparse.ArgumentParser(description="Take the screenshots of the chat page.")
    parser.add_argument("--to", type=Path, default=Path("docs"), metavar="FOLDER")
    parser.add_argument("--chromium", default=shutil.which("chromium"), metavar="FILE")
    args = parser.parse_args()
    if args.chromium is None:
        parser.error("no chromium on the path; name one with --chromium")
    args.to.mkdir(exist_ok=True)
    with chat_server() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=args.chromium, args=["--no-sandbox", "--disable-background-networking"]
        )
        for name, theme, size in PICTURES:
            take(browser, url, args.to / name, theme, size)
            sys.stdout.write(f"{args.to / name}\n")
        browser.close()
    return 0


@contextmanager
def chat_server() -> Iterator[str]:
    """Run `streamguard chat` on any free port; give its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "streamguard", "chat", "--listen", "127.0.0.1:0"]
        command += ["--feedback", str(Path(folder, "feedback.jsonl"))]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603
        try:
            yield address_in(server)
        finally:
            server.terminate()
            server.communicate()


def address_in(server: subprocess.Popen[str]) -> str:
    """Return the address that the server's log names; `SystemExit` where it ends before that."""
    seen = []
    for line in server.stderr or ():
        seen.append(line)
        try:
            return str(json.loads(line)["address"])
        except (ValueError, KeyError):
            continue
    raise SystemExit(f"the chat server did not start:\n{''.join(seen)}")


def take(browser: Browser, url: str, to: Path, theme: Any, size: Any) -> None:
    """Write one picture: on a desktop the passage is open, on a phone the note."""
    context = browser.new_context(
        viewport=size, color_scheme=theme, device_scale_factor=SCALE, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("#preset option", state="attached")
    ask(page, FAULTY)
    if size is DESKTOP:
        ask(page, REFUSED)
        page.locator(".flagged .chip").first.click()
    else:
        page.locator(".marker").first.click()
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    page.mouse.move(0, 0)
    page.wait_for_function("() => scrollY === 0")
    page.screenshot(path=to)
    context.close()


def ask(page: Page, question: str) -> None:
    """Ask a question and wait for its verdict."""
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.locator(".turn").last.locator(".actions").wait_for()


if __name__ == "__main__":
    sys.exit(main())
