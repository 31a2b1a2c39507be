"""The whole chat in Chromium: sample documents, gate, embedded answerer, guard and page."""

import pytest

from streamguard.core.reading.markers import STANDARD_REFUSAL
from streamguard.demo.chat_samples import DOCUMENTS, FAULTY, QUESTIONS
from streamguard.server.chat.settings import SCRIPTED
from streamguard.verify.verifier import verifiers_of
from tests.browser.test_page import AMBER, ask
from tests.browser.threads import in_thread
from tests.kit.chatting import chatting, folder_store
from tests.kit.judges import Gate

sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect
pytestmark = pytest.mark.browser


def open_details(turn):
    """Show what is for developers, and wait for what the server is asked for it."""
    turn.locator("details.details > summary").first.click()
    expect(turn.locator("details.details caption", has_text="Read and looked up")).to_have_count(1)


def served(store, **settings):
    """Run the chat server in a thread; gives its base URL."""
    return in_thread(chatting(store, **settings))


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
def page(samples, new_page):
    with served(samples, scripts=FAULTY, questions=QUESTIONS) as url:
        yield new_page(url)


@pytest.mark.parametrize(
    ("documents", "question"),
    [("samples", "Tell me about quantum computing"), ("bank", "What are the vacation policies?")],
)
def test_what_the_documents_do_not_answer_is_refused_in_amber(
    stores, new_page, documents, question
):
    with served(stores[documents]) as url:
        turn = ask(new_page(url), question)
        bubble = turn.locator(".bubble")
        expect(bubble.locator(".text")).to_have_text(STANDARD_REFUSAL)
        for name, value in AMBER["light"].items():
            expect(bubble).to_have_css(name, value)
        expect(turn.locator(".verdict")).to_have_count(0)
        open_details(turn)
        expect(turn.locator(".details")).to_contain_text("insufficient")


@pytest.mark.parametrize(("documents", "question", "fact", "source"), [
    ("samples", "What are the vacation days?", "28 vacation days", "handbook/vacation.md"),
    ("api", "How do I configure the API?", "ferrule.toml", "configuration.md"),
])  # fmt: skip
def test_what_the_documents_answer_is_cited_at_high_confidence(
    stores, new_page, documents, question, fact, source
):
    with served(stores[documents]) as url:
        page = new_page(url)
        turn = ask(page, question)
        expect(turn.locator(".bubble")).to_have_class("bubble")
        expect(turn.locator(".text")).to_contain_text(fact)
        expect(turn.locator(".verdict .line")).to_have_class("line pass")
        expect(turn.locator(".flagged")).to_have_count(0)
        turn.locator(".text .chip").first.click()
        expect(page.locator("#side .chosen h3")).to_contain_text(source)
        expect(page.locator("#side .chosen mark").filter(has_text=fact)).to_have_count(1)


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
    expect(page.locator("#note .finding").first).to_contain_text("the passage says “$4 per month”")
    page.keyboard.press("Escape")  # a note with several findings may lie over the details
    open_details(turn)
    tables = turn.locator(".details table")
    expect(tables.filter(has_text="Findings")).to_contain_text("(accounts.md)")
    expect(tables.filter(has_text="Coverage")).to_contain_text("C1")
    for text in tables.all_text_contents():
        assert "bank/accounts.md#" not in text


def test_a_readers_word_comes_behind_the_verdict(samples, new_page, tmp_path):
    gate, feedback = Gate(), tmp_path / "f.jsonl"
    settings = {"feedback": feedback, "verifiers": verifiers_of([gate])}
    with served(samples, **settings) as url:
        page = new_page(url)
        ask(page, "What are the vacation days?")
        turn = page.locator(".turn").first
        waiting = turn.locator(".pending")
        expect(waiting).to_contain_text("slower reader is still at work")
        verdicts = turn.locator(".below > .verdict")
        expect(verdicts).to_have_count(1)
        # Nobody who asks on waits for it.
        second = ask(page, "How do I reset my password?")
        expect(second.locator(".actions")).to_have_count(1)
        gate.open()
        expect(page.locator(".pending")).to_have_count(0)
        expect(turn.locator("article")).to_have_attribute("aria-busy", "false")
        expect(verdicts).to_have_count(1)
        open_details(turn)
        said = turn.get_by_role("region", name="What readers say")
        expect(said.get_by_role("cell", name="Gate").first).to_be_visible()
        expect(said.get_by_role("cell", name="0.96").first).to_be_visible()


def test_a_server_that_ends_before_a_readers_word_leaves_the_verdict(samples, new_page):
    gate = Gate()
    with served(samples, verifiers=verifiers_of([gate])) as url:
        page = new_page(url)
        page.route("**/api/chat", lambda route: route.fulfill(**_cut_short(route.fetch())))
        gate.open()
        turn = ask(page, "What are the vacation days?")
        expect(turn.locator(".error")).to_contain_text("slower reader says did not come")
        expect(turn.locator(".below > .verdict")).to_have_count(1)
        expect(page.locator("#send")).to_be_visible()


@pytest.mark.parametrize("is_known", [True, False])
def test_a_page_loaded_anew_asks_for_a_readers_word(samples, new_page, is_known):
    gate = Gate()
    with served(samples, scripts=FAULTY, verifiers=verifiers_of([gate])) as url:
        page = new_page(url)
        ask(page, "What does the Basic account cost per month?" + SCRIPTED)
        pending = page.locator(".pending")
        expect(pending).to_have_count(1)
        note = page.locator(".turn .flagged").first.text_content()
        if not is_known:  # as by a server that was started anew
            page.route("**/streamguard/results/*", lambda route: route.fulfill(status=404))
        page.reload()
        turn = page.locator(".turn").first
        expect(turn.locator(".below > .verdict")).to_have_count(1)
        if is_known:
            expect(pending).to_contain_text("slower reader is still at work")
        gate.open()
        expect(pending).to_have_count(0)
        expect(turn.locator(".error")).to_have_count(0 if is_known else 1)
        assert turn.locator(".flagged").first.text_content() == note
        turn.locator(".marker").first.click()
        expect(page.locator("#note .finding").first).to_contain_text("passage says “$4 per month”")
        page.keyboard.press("Escape")
        open_details(turn)
        said = turn.get_by_role("region", name="What readers say")
        expect(said.get_by_role("cell", name="Gate")).to_have_count(2 if is_known else 0)
        if not is_known:
            new_page.faults.clear()  # of the 404


def _cut_short(response):
    """Return a response that says pending and then nothing more."""
    events = [one for one in response.text().split("\n\n") if '"type":"result"' not in one[:40]]
    kept = [one for one in response.text().split("\n\n") if one not in events][:1]
    pending = kept[0].replace('"state":"complete"', '"state":"pending"')
    body = "\n\n".join([*events[:-2], pending, ""])
    return {"headers": {"Content-Type": "text/event-stream"}, "body": body}
