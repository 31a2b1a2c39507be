"""What a reader sees on the page: Markdown with its marks, notes beside it, nothing hidden."""

import json

import pytest

from tests.browser.test_page import answer_text, ask, flagged_texts, send

sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect
pytestmark = pytest.mark.browser


def eventually(page, expression):
    """Wait until an expression is true; the page's own policy forbids Playwright's way."""
    for _ in range(100):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def box(locator):
    return locator.bounding_box()


# ------------------------------------------------------------------ Markdown


def test_markdown_is_shown_as_what_it_means_and_underlines_and_citations_work_inside(page):
    turn = ask(page, "markdown")
    text = turn.locator(".text")
    expect(text.locator("h4")).to_have_text("Passes")
    expect(text.locator("ol > li")).to_have_count(2)
    expect(text.locator("strong").first).to_have_text("sell today")
    expect(text.locator("table th")).to_have_text(["Pass", "Price"])
    expect(text.locator("blockquote")).to_contain_text("Theft insurance")
    expect(text.locator("pre code")).to_have_text("curl https://passes.example/day\n")
    expect(text).not_to_contain_text("**")
    expect(text).not_to_contain_text("##")
    item = turn.locator("ol > li").first
    flagged = item.locator(".flagged")
    assert "".join(flagged.all_text_contents()).startswith("A day pass costs $15")
    expect(flagged.locator(".value")).to_have_text("$15")
    expect(item.locator(".marker")).to_have_count(1)
    flagged.first.hover()
    expect(page.locator("#note")).to_contain_text("“$15”; the passage says “$12”")
    item.locator(".chip").click()
    expect(page.locator("#side .chosen h3")).to_have_text("C1 prices.md")


def test_passages_are_shown_as_markdown_with_the_evidence_marked(page):
    turn = ask(page, "list passage")
    turn.locator(".text .chip").first.click()
    side = page.locator("#side .chosen")
    expect(side.locator("li")).to_have_count(2)
    assert "".join(side.locator("mark").all_text_contents()) == "A day pass costs $12."


def test_parts_that_are_complete_stay_while_the_answer_streams(page, server):
    turn = send(page, "two parts")
    server.go_on()
    first = turn.locator(".text > *").first
    expect(first).to_contain_text("A monthly pass costs $39")
    expect(turn.locator(".text .chip")).to_have_count(1)
    eventually(page, "document.querySelectorAll('.text > *').length === 2")
    page.wait_for_timeout(500)  # the first part's sentence may settle behind its last token
    first.evaluate("node => { node.dataset.seen = 'yes'; }")
    server.go_on()
    expect(turn.locator(".actions")).to_be_visible()
    expect(first).to_have_attribute("data-seen", "yes")


# ------------------------------------------------------------------ what is loud, what is quiet


def test_a_contradiction_is_as_loud_as_an_unknown_price(page):
    contradicts = ask(page, "The right number with another unit")
    expect(contradicts.locator(".verdict .line:is(.warn, .refuse)")).to_have_count(1)
    expect(contradicts.locator(".flagged.warning")).to_have_count(1)
    style = "node => getComputedStyle(node).textDecoration"
    loud = contradicts.locator(".flagged").first.evaluate(style)
    unknown = ask(page, "faulty")
    assert unknown.locator(".flagged").first.evaluate(style) == loud


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_answer_that_declines_is_quiet_and_says_why_to_developers(server, new_page, theme):
    page = new_page(server.url, color_scheme=theme)
    turn = ask(page, "refusal")
    expect(turn.locator(".verdict")).to_have_count(0)
    turn.locator(".details > summary").click()
    expect(turn.locator(".details")).to_contain_text("Declined by")
    lightness = turn.locator(".backing").evaluate("node => getComputedStyle(node).backgroundColor")
    assert lightness == "rgba(0, 0, 0, 0)"  # no dark block on a light page


# ------------------------------------------------------------------ nothing hides anything


BOXES = "names => names.map(name => document.querySelector(name).getBoundingClientRect().toJSON())"


@pytest.mark.parametrize("width", [1600, 1280, 390, 320])
def test_the_note_covers_neither_the_answer_nor_its_verdict(server, new_page, width):
    page = new_page(server.url, viewport={"width": width, "height": 900})
    turn = ask(page, "faulty")
    if page.locator("#side").is_visible():
        page.locator("#side-close").click()
    turn.locator(".marker").click()
    expect(page.locator("#note")).to_be_visible()
    # At once: the page may scroll between two looks.
    note, bubble, verdict = page.evaluate(BOXES, ["#note", ".turn .bubble", ".turn .verdict"])
    for other in (bubble, verdict):
        apart = (
            note["x"] >= other["x"] + other["width"]
            or note["y"] >= other["y"] + other["height"]
            or note["y"] + note["height"] <= other["y"]
        )
        assert apart
    assert (width >= 1280) is (note["x"] > bubble["x"] + 400)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("height", [900, 500])
def test_sources_and_buttons_stand_above_the_input_when_an_answer_ends(server, new_page, height):
    page = new_page(server.url, viewport={"width": 390, "height": height})
    for question in ("sound", "markdown", "faulty"):
        turn = ask(page, question)
        eventually(page, "document.documentElement.scrollHeight - innerHeight - scrollY < 2")
        edge = box(page.locator("#composer"))["y"]
        last = box(turn.locator(".details"))
        assert last["y"] + last["height"] <= edge


def test_whoever_scrolled_up_is_left_where_he_is(server, new_page):
    page = new_page(server.url, viewport={"width": 390, "height": 500})
    ask(page, "markdown")
    turn = send(page, "slow")
    server.go_on()
    expect(turn.locator(".text")).to_contain_text("A day pass")
    page.mouse.move(200, 200)
    page.mouse.wheel(0, -5000)
    eventually(page, "scrollY === 0")
    server.go_on()
    expect(turn.locator(".actions")).to_be_visible()
    assert page.evaluate("scrollY") == 0


def test_what_is_taken_out_and_put_in_at_once_does_not_leave_the_end(server, new_page):
    page = new_page(server.url, viewport={"width": 390, "height": 500})
    ask(page, "markdown")
    turn = send(page, "slow")
    at_end = "document.documentElement.scrollHeight - innerHeight - scrollY < 2"
    grow = "height => document.querySelector('main').append(Object.assign("
    grow += "document.createElement('div'), { id: 'tall', style: `height: ${height}px` }))"
    page.evaluate(grow, 600)
    server.go_on()
    expect(turn.locator(".text")).to_contain_text("A day pass")
    eventually(page, at_end)
    page.evaluate(
        """() => {
            const tall = document.querySelector("#tall");
            tall.remove();
            scrollBy({ top: -600 }); // as the browser does it, where this is shown in between
            tall.style.height = "900px";
            document.querySelector("main").append(tall);
        }"""
    )
    page.wait_for_timeout(100)
    server.go_on()
    expect(turn.locator(".actions")).to_be_visible()
    eventually(page, at_end)


# ------------------------------------------------------------------ reloads and first questions


def test_the_conversation_survives_a_reload_and_goes_on(page, server):
    ask(page, "faulty")
    ask(page, "replaced")
    send(page, "early error")
    expect(page.get_by_role("alert")).to_be_visible()
    page.reload()
    turns = page.locator(".turn")
    expect(turns).to_have_count(3)
    expect(turns.nth(0).locator(".verdict .line")).to_have_class("line warn")
    expect(turns.nth(1).get_by_text("Show the original answer")).to_be_visible()
    expect(turns.nth(2).get_by_role("alert")).to_contain_text("cannot be reached")
    turns.nth(0).locator(".marker").click()
    expect(page.locator("#note")).to_contain_text("“$15”; the passage says “$12”")
    page.keyboard.press("Escape")
    ask(page, "sound")
    last = server.asked[-1]
    assert [message["content"] for message in last["history"][::2]] == ["faulty", "replaced"]
    assert last["session"] == server.asked[0]["session"]


def test_a_reload_in_mid_stream_keeps_the_question(page):
    turn = send(page, "slow")
    expect(turn.locator(".text")).to_be_visible()
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("before the answer ended")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_an_answer_that_nobody_checked_survives_a_reload(page):
    turn = send(page, "unchecked")
    expect(turn.locator(".text")).to_contain_text("A monthly pass costs $39")
    expect(page.locator("#stop")).to_be_hidden()
    page.reload()
    expect(page.locator(".turn .text")).to_contain_text("A monthly pass costs $39")


def test_half_a_character_and_an_entity_of_a_model_do_no_harm(page, server):
    ask(page, "half a character")
    turn = ask(page, "entities")
    assert server.asked[-1]["history"][1]["content"].endswith("Bye \ufffd")
    assert answer_text(turn).startswith("If x < 5 you pay $15")
    assert flagged_texts(turn)[-1].endswith("a day pass is $77 [C2].")


def test_a_conversation_goes_on_where_the_server_was_away_for_a_moment(new_page, server):
    page = new_page(server.url)
    ask(page, "faulty")
    page.route("**/api/config", lambda route: route.fulfill(status=503, body="starting"))
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    expect(page.locator(".turn")).to_have_count(1)
    ask(page, "sound")
    assert server.asked[-1]["session"] == server.asked[0]["session"]
    assert "preset" not in server.asked[-1]
    assert len(json.loads(page.evaluate("sessionStorage['streamguard.chat']"))["turns"]) == 2
    new_page.faults.clear()  # the answer of 503 itself


def test_a_new_conversation_forgets_the_old_one(page):
    ask(page, "faulty")
    page.get_by_role("button", name="New", exact=True).click()
    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator(".turn")).to_have_count(0)
    page.reload()
    expect(page.locator(".turn")).to_have_count(0)


def test_what_a_tab_keeps_is_never_too_much(page):
    ask(page, "sound")
    page.evaluate(
        """() => {
            const room = 2.5 * sessionStorage.getItem("streamguard.chat").length;
            let count = 0;
            try {
                for (;; count += 1) sessionStorage.setItem(count, "x".repeat(1000));
            } catch {
                while (room > 1000 * (count - Object.keys(sessionStorage).length)) {
                    sessionStorage.removeItem(Object.keys(sessionStorage).find(Number));
                }
            }
        }"""
    )
    for _ in range(4):
        ask(page, "sound")
    kept = json.loads(page.evaluate("sessionStorage.getItem('streamguard.chat')"))
    assert 0 < len(kept["turns"]) < 5
    page.evaluate("sessionStorage.setItem('streamguard.chat', 'no JSON')")
    page.reload()
    expect(page.locator("#welcome")).to_be_visible()


@pytest.mark.parametrize(("width", "is_open"), [(1280, True), (390, False)])
def test_the_documents_are_listed_and_open_beside_a_conversation_that_has_not_begun(
    server, new_page, width, is_open
):
    server.show_documents = True
    page = new_page(server.url, viewport={"width": width, "height": 800})
    expect(page.locator("#side")).to_be_visible(visible=is_open)
    opener = page.get_by_role("button", name="Documents")
    for shown in (False, True) if is_open else (True,):
        opener.click()
        expect(opener).to_have_attribute("aria-expanded", "true" if shown else "false")
        expect(page.locator("#side")).to_be_visible(visible=shown)
    expect(page.locator("#side li").first).to_have_text("prices.md4 passages")
