"""The whole chat in Chromium: sample documents, gate, embedded answerer, guard and page."""

import asyncio
import json
import threading
from contextlib import contextmanager

import pytest

from streamguard.core.closing import BANNERS
from streamguard.core.markers import STANDARD_REFUSAL
from streamguard.demo.chat_samples import DOCUMENTS, FAULTY, QUESTIONS
from streamguard.server.chat_settings import SCRIPTED
from tests.browser.test_page import AMBER, ask
from tests.chatting import PATIENCE_S, chatting, folder_store, policies_of

sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect
pytestmark = pytest.mark.browser

TWO_DOCUMENTS = QUESTIONS[5]
REPLACED = "How do I request vacation?" + SCRIPTED


@contextmanager
def served(store, **settings):
    """Run the chat server in a thread; give its base URL."""
    loop, started, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    urls = []

    async def run():
        async with chatting(store, **settings) as url:
            urls.append(url)
            started.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=[run()])
    thread.start()
    try:
        assert started.wait(PATIENCE_S)
        yield str(urls[0])
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE_S)
        loop.close()


@pytest.fixture(scope="module")
def samples():
    store = folder_store()
    yield store
    store.close()


@pytest.fixture(scope="module")
def stores(samples):
    """The samples, and two of their folders alone."""
    found = {"samples": samples}
    found |= {name: folder_store(DOCUMENTS / name) for name in ("bank", "api")}
    yield found
    for name in ("bank", "api"):
        found[name].close()


@pytest.fixture
def page(samples, new_page, tmp_path):
    feedback = tmp_path / "feedback.jsonl"
    with served(samples, scripts=FAULTY, questions=QUESTIONS, feedback=feedback) as url:
        yield new_page(url)


@pytest.mark.parametrize(
    ("documents", "question"),
    [
        ("samples", "What is the capital of France?"),
        ("samples", "Tell me about quantum computing"),
        ("bank", "What are the company's vacation policies?"),
        ("samples", TWO_DOCUMENTS),
    ],
)
def test_what_the_documents_do_not_answer_is_refused_in_amber(
    stores, new_page, documents, question
):
    with served(stores[documents]) as url:
        turn = ask(new_page(url), question)
        bubble = turn.locator(".bubble")
        expect(bubble.locator(".text")).to_have_text(STANDARD_REFUSAL)
        for name, value in AMBER.items():
            expect(bubble).to_have_css(name, value)
        expect(turn.locator(".headline")).to_have_text("✓PASSThe answer declines")
        expect(turn.locator(".label")).to_have_text(["Retrieval: insufficient"])


@pytest.mark.parametrize(
    ("documents", "question", "fact", "source"),
    [
        ("samples", "What are the vacation days?", "28 vacation days", "handbook/vacation.md"),
        ("api", "How do I configure the API?", "ferrule.toml", "configuration.md"),
    ],
)
def test_what_the_documents_answer_is_cited_at_high_confidence(
    stores, new_page, documents, question, fact, source
):
    with served(stores[documents]) as url:
        page = new_page(url)
        turn = ask(page, question)
        expect(turn.locator(".bubble")).to_have_class("bubble")
        expect(turn.locator(".text")).to_contain_text(fact)
        expect(turn.locator(".headline .status")).to_have_text("PASS")
        expect(turn.locator(".label")).to_have_text(["Retrieval: high"])
        expect(turn.locator(".flagged")).to_have_count(0)
        turn.locator(".text .chip").first.click()
        expect(page.locator("#side .chosen h3")).to_contain_text(source)
        expect(page.locator("#side .chosen mark")).to_contain_text(fact)


def test_half_an_answer_under_lenient_has_the_low_border_and_says_what_is_missing(page):
    page.get_by_label("Strictness").select_option("lenient")
    turn = ask(page, TWO_DOCUMENTS)
    expect(turn.locator(".bubble")).to_have_css("border", "1px solid rgba(234, 179, 8, 0.3)")
    expect(turn.locator(".badge")).to_contain_text("ℹ️ Low confidence")
    expect(turn.locator(".text")).to_contain_text("What is missing")
    expect(turn.locator(".label")).to_contain_text(["Retrieval: low"])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Hello", "Hello! Ask me anything"),
        ("What documents do you have?", "- handbook/vacation.md"),
    ],
)
def test_small_talk_is_answered_without_a_verdict(page, question, words):
    turn = ask(page, question)
    expect(turn.locator(".text")).to_contain_text(words)
    expect(turn.locator(".headline")).to_contain_text("Not judged")
    expect(turn.locator(".sources")).to_have_count(0)


def test_contradicting_sources_are_both_quoted_and_both_open(page):
    turn = ask(page, "How many days a week may I work from home?")
    expect(turn.locator(".text")).to_contain_text("up to 3 days a week")
    expect(turn.locator(".text")).to_contain_text("up to 2 days a week")
    names = turn.locator(".text .chip").evaluate_all("all => all.map(it => it.ariaLabel)")
    assert {name.rsplit(" ", 1)[1] for name in names} == {
        "handbook/remote-work.md",
        "handbook/office-guide.md",
    }


@pytest.mark.parametrize(
    ("question", "flag", "status"),
    [
        ("What does the Basic account cost per month?", "potential_hallucination", "WARN"),
        ("How tall is the Eiffel Tower?", "no_context_warning", "REFUSE"),
    ],
)
def test_each_banner_is_shown_with_the_verdict(page, question, flag, status):
    turn = ask(page, question + SCRIPTED)
    expect(turn.locator(f".banner.{BANNERS[flag].colour}")).to_contain_text(BANNERS[flag].text)
    expect(turn.locator(".headline .status")).to_have_text(status)
    expect(turn.locator(".flagged").first).to_be_visible()


def test_a_refusal_of_what_the_passages_hold_is_amber_and_says_so(page):
    turn = ask(page, "How many requests may a key send per minute?" + SCRIPTED)
    expect(turn.locator(".bubble")).to_have_css("color", AMBER["color"])
    expect(turn.locator(".label").first).to_have_text("The passages may hold an answer")


def test_replace_mode_withholds_what_is_not_supported(samples, new_page):
    replacing = policies_of(samples, on_refuse="replace")
    with served(samples, scripts=FAULTY, policies=replacing) as url:
        turn = ask(new_page(url), REPLACED)
        expect(turn.locator(".bubble")).to_contain_text(STANDARD_REFUSAL)
        turn.get_by_text("Show the original answer").click()
        expect(turn.locator(".original")).to_contain_text("Send a fax to the personnel office")


def test_feedback_is_kept_with_the_result(page, tmp_path):
    turn = ask(page, "What does the Basic account cost per month?" + SCRIPTED)
    turn.get_by_role("button", name="Good answer").click()
    expect(turn.locator(".answered")).to_contain_text("Stored")
    turn.locator(".marker").first.click()
    page.get_by_role("button", name="This was supported").click()
    expect(page.locator("#note .answered")).to_contain_text("Stored")
    lines = (tmp_path / "feedback.jsonl").read_text(encoding="utf-8").splitlines()
    kept = [json.loads(line) for line in lines]
    assert [record["kind"] for record in kept] == ["up", "was_supported"]
    assert kept[1]["sentence"] == 0
    assert "potential_hallucination" in json.dumps(kept[1])


def test_a_second_question_follows_the_first(page):
    ask(page, "What are the vacation days?")
    turn = ask(page, "What is the capital of France?")
    expect(page.locator(".turn")).to_have_count(2)
    expect(turn.locator(".bubble .text")).to_have_text(STANDARD_REFUSAL)


def test_a_follow_up_says_what_it_was_searched_for(page):
    first = ask(page, "What are the vacation days?")
    expect(first.locator(".searched")).to_have_count(0)
    turn = ask(page, "How do I request them?")
    searched = "What are the vacation days? How do I request them?"
    expect(turn.locator(".searched q")).to_have_text(searched)
    expect(turn.locator(".text")).to_contain_text("Request vacation in the staff portal")


def test_notes_and_details_name_passages_as_the_chips_do(page):
    turn = ask(page, "What does the Basic account cost per month?" + SCRIPTED)
    turn.locator(".marker").first.click()
    expect(page.locator("#note .finding").first).to_contain_text("nearest is “$4 per month” in C1.")
    page.keyboard.press("Escape")  # a note with several findings may lie over the details
    turn.locator(".details > summary").click()
    tables = turn.locator(".details table")
    expect(tables.filter(has_text="Findings")).to_contain_text("in C1.")
    expect(tables.filter(has_text="Coverage")).to_contain_text("C1")
    for text in tables.all_text_contents():
        assert "bank/accounts.md#" not in text
