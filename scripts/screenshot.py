"""Take the screenshots of the chat page: docs/chat.png and its siblings.

    python scripts/screenshot.py [--to docs] [--chromium /usr/bin/chromium]

Needs Playwright for Python and a Chromium; the pictures in the repository were taken with the
fonts Inter and Noto Color Emoji installed. Starts `streamguard chat` on the sample documents, once
with its embedded answerer, once with a model that says what stands here.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

FAULTY = "What does the Basic account cost per month? (faulty answer)"
REFUSED = "What is the capital of France?"
DESKTOP = {"width": 1280, "height": 1000}
LOW = {"width": 1280, "height": 620}  # for what is short
PHONE = {"width": 390, "height": 844}
SCALE = 1.5  # sharp on most screens, at some 150 kB a picture
LONG = (
    "Every full-time employee has 28 vacation days a year [C1]. For part-time employees the number"
    " is in proportion to their hours [C1]. In the first year you earn 2 vacation days per week"
    " until you have the full number [C1].\n\nUp to 5 vacation days can be moved to the next year"
    " [C2]. Days that were moved must be taken by 30 June [C2]. Whatever is left after that is paid"
    " out with the salary of July.\n\nRequest vacation in the staff portal at least 14 weeks ahead"
    " [C3]. Your manager answers within 5 working days [C3]. Agree with your team who takes over"
    " your tasks, and set an out-of-office message before you leave."
)
MARKDOWN = """## Vacation in short

1. **28 days** a year for everybody who works full time [C1].
2. Up to **8 vacation days** can be moved to the next year [C2].

| What | Until when |
|---|---|
| Days that were moved | 31 March |
| Your manager's answer | within 3 working days |

> Ask in the staff portal, at least `14 days` ahead [C3]."""
# What the model says, by a word of the question; nothing: it sends an error.
ANSWERS = {"tell me": LONG, "short": MARKDOWN, "how many": ""}
REFUSAL = {"error": {"message": "Rate limit reached for requests", "code": "rate_limit_exceeded"}}


def main() -> int:
    """Write the pictures; return the exit status."""
    parser = argparse.ArgumentParser(description="Take the screenshots of the chat page.")
    parser.add_argument("--to", type=Path, default=Path("docs"), metavar="FOLDER")
    parser.add_argument("--chromium", default=shutil.which("chromium"), metavar="FILE")
    args = parser.parse_args()
    if args.chromium is None:
        parser.error("no chromium on the path; name one with --chromium")
    args.to.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=args.chromium, args=["--no-sandbox", "--disable-background-networking"]
        )
        with chat_server() as url:
            for name, theme, size in (
                ("chat.png", "light", DESKTOP),
                ("chat-dark.png", "dark", DESKTOP),
                ("chat-phone.png", "light", PHONE),
                ("chat-phone-dark.png", "dark", PHONE),
            ):
                shown = overview if size is DESKTOP else note
                take(browser, url, args.to / name, shown, theme=theme, size=size)
            take(browser, url, args.to / "chat-note.png", note, size=LOW)
            declined = args.to / "chat-declined.png"
            take(browser, url, declined, partial(ask, question=REFUSED), size=LOW)
        with model() as upstream, chat_server("--upstream", upstream, "--model", "scripted") as url:
            for name, question, size in (
                ("chat-long.png", "Please tell me everything about vacation days.", DESKTOP),
                ("chat-markdown.png", "Vacation days a year in short?", DESKTOP),
                ("chat-error.png", "How many vacation days are there?", LOW),
            ):
                take(browser, url, args.to / name, partial(ask, question=question), size=size)
        browser.close()
    return 0


@contextmanager
def model() -> Iterator[str]:
    """Run a model's server that says what stands above; give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Scripted(BaseHTTPRequestHandler):
    """Answers Chat Completions by the words of the question."""

    def do_POST(self) -> None:
        """Stream the answer, or send an error where there is none."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = body["messages"][-1]["content"].rpartition("Question: ")[2].lower()
        answer = next(said for word, said in ANSWERS.items() if word in question)
        chunks = [
            {"choices": [{"index": 0, "delta": {"content": answer}, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        ]
        events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        self.send_response(200 if answer else 429)
        self.send_header("Content-Type", "text/event-stream" if answer else "application/json")
        self.end_headers()
        said = f"{events}data: [DONE]\n\n" if answer else json.dumps(REFUSAL)
        self.wfile.write(said.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing of requests."""


@contextmanager
def chat_server(*flags: str) -> Iterator[str]:
    """Run `streamguard chat` on any free port; give its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "streamguard", "chat", "--listen", "127.0.0.1:0", *flags]
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


def take(
    browser: Browser,
    url: str,
    to: Path,
    show: Callable[[Page], None],
    *,
    theme: Any = "light",
    size: Any = DESKTOP,
) -> None:
    """Write one picture of what `show` brings onto the page."""
    context = browser.new_context(
        viewport=size, color_scheme=theme, device_scale_factor=SCALE, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("#preset option", state="attached")
    show(page)
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    page.mouse.move(0, 0)
    page.wait_for_function("() => scrollY === 0")
    page.screenshot(path=to)
    context.close()
    sys.stdout.write(f"{to}\n")


def overview(page: Page) -> None:
    """Show a faulty answer with a passage open beside it, and a question that is declined."""
    ask(page, FAULTY)
    ask(page, REFUSED)
    page.locator(".flagged .chip").first.click()


def note(page: Page) -> None:
    """Show the note of an underlined sentence."""
    ask(page, FAULTY)
    page.locator(".marker").first.click()


def ask(page: Page, question: str) -> None:
    """Ask a question and wait for its verdict, or for what went wrong."""
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.locator(".turn").last.locator(".actions, [role=alert]").first.wait_for()


if __name__ == "__main__":
    sys.exit(main())
