"""The page against scripted answers: what a person sees, hears and can reach by keyboard."""

import json
import re
from itertools import groupby

import pytest

from tests.browser.scripts import FAULTY, HOSTILE_ANSWER, HOSTILE_PASSAGES, SCRIPTS, SOUND

sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect
pytestmark = pytest.mark.browser

AMBER = {
    "dark": {
        "background-color": "rgba(120, 53, 15, 0.5)",  # amber-900 at 50 %
        "border": "2px solid rgba(217, 119, 6, 0.5)",  # amber-600 at 50 %
        "color": "rgb(254, 243, 199)",  # amber-100
    },
    "light": {  # as quiet on a light page
        "background-color": "rgb(255, 251, 235)",  # amber-50
        "border": "2px solid rgba(217, 119, 6, 0.5)",
        "color": "rgb(113, 63, 18)",  # amber-900
    },
}
THEMES = ("light", "dark")
# Not finished, not checked, or not what a browser gives back as it is.
UNFINISHED = ("slow", "two parts", "cut", "refused", "early error", "unchecked", "half a character",
              "entities")  # fmt: skip


def send(page, question):
    page.fill("#question", question)
    page.press("#question", "Enter")
    return page.locator(".turn").last


def ask(page, question):
    """Ask, and wait for the verdict; return the turn."""
    turn = send(page, question)
    expect(turn.locator(".actions")).to_be_visible()
    return turn


def answer_text(turn):
    return turn.locator(".text[dir]").evaluate("node => node.textContent")


def flagged_texts(turn):
    """Return the text of each flagged sentence, which may stand in several elements."""
    parts = turn.locator(".flagged").evaluate_all(
        "all => all.map(node => [node.dataset.sentence, node.textContent])"
    )
    return ["".join(text for _, text in group) for _, group in groupby(parts, lambda it: it[0])]


def bare(text):
    """Return what Markdown leaves of a text: no spaces, no signs that mark something."""
    return re.sub(r"^\d\. |[\s\[\]*_`#|>-]", "", text, flags=re.MULTILINE)


# ------------------------------------------------------------------ streaming


def test_a_sentence_is_underlined_when_it_settles_not_at_the_end(page, server):
    turn = send(page, "slow")
    server.go_on()
    flagged = turn.locator(".flagged")
    expect(flagged).to_have_text(FAULTY)
    expect(turn.locator("article")).to_have_attribute("aria-busy", "true")
    expect(flagged).to_have_css("text-decoration-line", "underline")
    expect(turn.locator(".verdict")).to_have_count(0)
    flagged.hover()
    expect(page.locator("#note")).to_contain_text("“$15”; the passage says “$12”")
    expect(page.get_by_role("button", name="This was supported")).to_have_count(0)
    server.go_on()
    expect(turn.locator(".verdict")).to_be_visible()
    expect(turn.locator("article")).to_have_attribute("aria-busy", "false")
    expect(turn.locator(".flagged")).to_have_count(1)


@pytest.mark.parametrize("question", [name for name in SCRIPTS if name not in UNFINISHED])
def test_the_text_shown_is_the_answer_and_what_is_underlined_is_what_the_result_flags(
    page, question
):
    turn = ask(page, question)
    assert bare(answer_text(turn)) == bare(SCRIPTS[question].answer)
    with page.expect_download() as download:
        turn.get_by_role("button", name="Save JSON").click()
    record = json.loads(download.value.path().read_text(encoding="utf-8"))
    result = record["annotation"]["result"]
    units = record["answer"].encode("utf-16-le")
    due = [
        units[2 * it["start"] : 2 * it["end"]].decode("utf-16-le")
        for it in result["sentences"]
        if any(
            result["findings"][at]["severity"] == "warning"
            or result["findings"][at]["flag"] == "unsupported_claim"
            for at in it["findings"]
        )
    ]
    assert [bare(text) for text in flagged_texts(turn)] == [bare(text) for text in due]


def test_a_screen_reader_hears_each_sentence_its_reason_and_the_verdict(page):
    ask(page, "faulty")
    spoken = page.locator("#spoken")
    expect(spoken).to_have_attribute("aria-live", "polite")
    heard = spoken.locator("p").all_text_contents()
    assert heard[:2] == [SOUND, FAULTY]
    assert heard[2].startswith("Underlined: “$15”; the passage says “$12” (prices.md)")
    assert heard[-1].startswith("“$15”; the passage says “$12” (prices.md)")


# ------------------------------------------------------------------ bubbles and verdicts


@pytest.mark.parametrize("theme", THEMES)
def test_a_refusal_is_an_amber_bubble_with_a_warning_sign(server, new_page, theme):
    page = new_page(server.url, color_scheme=theme)
    turn = ask(page, "refusal")
    bubble = turn.locator(".bubble")
    for name, value in AMBER[theme].items():
        expect(bubble).to_have_css(name, value)
    expect(bubble.locator(".badge")).to_have_text(re.compile("^ Declined$"))
    expect(bubble.locator(".badge svg")).to_be_visible()
    expect(turn.get_by_role("button", name="This refusal is wrong")).to_be_visible()


def test_low_confidence_is_a_yellow_border_with_an_information_sign(page):
    turn = ask(page, "low")
    expect(turn.locator(".bubble")).to_have_css("border", "1px solid rgba(234, 179, 8, 0.3)")
    expect(turn.locator(".badge")).to_have_text(
        re.compile("^ The documents cover this only in part")
    )
    expect(turn.locator(".badge svg")).to_be_visible()


def test_an_answer_to_a_question_that_no_passage_fits_is_marked_as_such(page):
    badge = ask(page, "unfit").locator(".badge")
    expect(badge).to_have_text(re.compile("^ No passage fits this question"))


@pytest.mark.parametrize(("question", "look", "words"), [
    ("sound", "pass", "Checked: nothing contradicts the sources."),
    ("faulty", "warn", "“$15”; the passage says “$12” (prices.md)"),
    ("unsupported", "refuse", "No passage was retrieved for this answer."),
    ("silence", "none", "The model gave no answer."),
    ("greeting", "none", "Not checked: no passages were looked up."),
])  # fmt: skip
def test_the_verdict_is_one_line_that_says_what_was_found(page, question, look, words):
    turn = ask(page, question)
    line = turn.locator(".verdict .line")
    expect(line).to_have_count(1)
    expect(line).to_have_class(f"line {look}")
    expect(line).to_contain_text(words)
    expect(line.locator("svg")).to_be_visible()


def test_chips_are_of_the_passages_that_the_answer_rests_on_and_one_opens_the_others(page):
    turn = ask(page, "faulty")
    chips = turn.locator(".sources button")
    assert chips.all_text_contents() == ["C1 prices.md", "1 more passage"]
    chips.last.click()
    expect(page.locator("#side .chosen")).to_contain_text("insurance.md")
    expect(page.locator("#side .card")).to_have_count(2)


def test_passages_of_one_file_are_told_apart_by_their_headings(page):
    chips = ask(page, "sections").locator(".sources button")
    assert chips.all_text_contents() == ["C1 passes.md · Prices", "C2 passes.md · Times"]


def test_an_answer_that_declines_says_so_once_with_the_passage_that_came_nearest(page):
    turn = ask(page, "refusal")
    expect(turn.locator(".verdict")).to_have_count(0)
    expect(turn.locator(".nearest")).to_contain_text("insurance.md")
    expect(turn.locator(".nearest blockquote")).to_contain_text("Theft insurance")
    expect(turn.locator(".nearest button")).to_have_count(0)
    expect(turn.get_by_role("button", name="This refusal is wrong")).to_be_visible()


def test_a_needless_refusal_says_which_passage_would_have_answered(page):
    turn = ask(page, "needless")
    line = turn.locator(".verdict .line.warn")
    expect(line).to_contain_text("declines, though a passage says “A")


def test_of_a_long_nearest_passage_the_beginning_is_shown_and_a_button_shows_the_rest(page):
    nearest = ask(page, "far").locator(".nearest")
    text = nearest.locator("blockquote")
    expect(text).to_have_text(re.compile(r"^(A pass is never sold on board\. ){9}…$"))
    nearest.get_by_role("button", name="Show all of it").click()
    assert text.text_content() == "A pass is never sold on board. " * 40
    expect(nearest.locator("button")).to_have_count(0)


@pytest.mark.parametrize("question", ["sound", "faulty", "unsupported", "invented"])
def test_only_a_refusal_can_be_called_a_wrong_refusal(page, question):
    turn = ask(page, question)
    expect(turn.get_by_role("button", name="This refusal is wrong")).to_have_count(0)


def test_many_warnings_are_three_lines_and_a_count(page):
    turn = ask(page, "many")
    lines = turn.locator(".verdict .line.refuse, .verdict .line.warn")
    expect(lines).to_have_count(3)
    expect(turn.locator(".verdict .line.none")).to_have_text("2 more are underlined in the answer.")


def test_a_warnings_passage_is_one_click_away(page):
    turn = ask(page, "faulty")
    turn.locator(".verdict .chip").click()
    expect(page.locator("#side mark")).to_have_text("$12")


def test_figures_for_developers_are_shown_to_nobody_else(page):
    turn = ask(page, "refusal")
    expect(turn).not_to_contain_text("similarity_threshold")
    turn.get_by_text("For developers").click()
    expect(turn).to_contain_text("similarity_threshold: 0.42")


def test_passages_stand_beside_the_answer_until_the_reader_closes_them(server, new_page):
    page = new_page(server.url)
    side = page.get_by_role("complementary")
    ask(page, "sound")
    expect(side).to_contain_text("A monthly pass costs $39 per month")
    expect(page.locator("#question")).to_be_focused()
    page.locator("#side-close").click()
    ask(page, "faulty")
    expect(side).to_be_hidden()
    phone = new_page(server.url, viewport={"width": 390, "height": 844})
    ask(phone, "sound")
    expect(phone.get_by_role("complementary")).to_be_hidden()


def test_a_phone_shows_the_whole_title(server, new_page):
    page = new_page(server.url, viewport={"width": 320, "height": 640})
    title = page.locator("#title")
    expect(title).to_have_text("Harbourlight help desk")
    assert title.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_a_question_that_is_answered_wrongly_on_purpose_reads_as_a_question(page, server):
    page.get_by_role("button", name="What does a pass cost?").click()
    turn = page.locator(".turn").last
    expect(turn.locator(".question")).to_have_text(
        "What does a pass cost? answered wrongly on purpose"
    )
    assert server.asked[-1]["question"] == "What does a pass cost? (faulty answer)"


def test_the_second_verdict_is_in_the_result_alone(page):
    turn = ask(page, "invented")
    expect(turn.locator(".verdict .line.refuse").first).to_be_visible()
    turn.locator(".details > summary").click()
    turn.get_by_text("Full result as JSON").click()
    raw = json.loads(turn.locator(".details pre").inner_text())
    assert raw["result"]["scores"]["published"] == "FAIL"
    assert raw["result"]["scores"]["verdict"] is None
    tables = turn.locator(".details table")
    expect(tables.first).to_be_visible()
    expect(turn.locator(".verdict")).not_to_contain_text("FAIL")
    expect(tables.filter(has_text="FAIL")).to_have_count(0)


def test_replace_mode_shows_the_refusal_and_keeps_the_original_behind_a_disclosure(page):
    turn = ask(page, "replaced")
    expect(turn.locator(".bubble")).to_contain_text("I cannot answer this based on the provided")
    expect(turn.locator(".bubble")).to_have_css("color", AMBER["light"]["color"])
    original = turn.locator(".original .text")
    expect(original).to_be_hidden()
    turn.get_by_text("Show the original answer").click()
    expect(original).to_be_visible()
    assert bare(answer_text(turn)) == bare(SCRIPTS["replaced"].answer)
    expect(original.locator(".flagged.warning")).to_contain_text("Klingon among them.")


# ------------------------------------------------------------------ the note on a sentence


def test_hovering_shows_reason_and_nearest_evidence_until_the_pointer_leaves(page):
    turn = ask(page, "faulty")
    note = page.locator("#note")
    turn.locator(".flagged").hover()
    for said in ("Could not be verified", "“$15”; the passage says “$12”", "prices.md"):
        expect(note).to_contain_text(said)
    expect(note.locator(".finding")).to_have_count(1)
    expect(note.locator("blockquote")).to_have_count(0)  # said once is enough
    note.hover()
    expect(note).to_be_visible()
    page.mouse.move(5, 5)
    expect(note).to_be_hidden()
    turn.locator(".marker").click()
    note.locator(".chip").first.click()
    expect(page.locator("#side mark")).to_have_text("$12")
    expect(note).to_be_hidden()
    page.get_by_role("button", name="Close").click()
    expect(turn.locator(".marker")).to_be_focused()


def test_the_keyboard_reaches_the_reason_and_comes_back(page):
    turn = ask(page, "faulty")
    note, marker = page.locator("#note"), turn.locator(".marker")
    turn.locator(".flagged .chip").focus()
    page.keyboard.press("Tab")
    expect(marker).to_be_focused()
    expect(note).to_be_visible()
    expect(marker).to_have_accessible_name("Warning on this sentence: Could not be verified")
    expect(marker).to_have_accessible_description(re.compile("the passage says “\\$12”"))
    page.keyboard.press("Enter")
    expect(note).to_be_focused()
    for _ in ("evidence of the value", "feedback"):
        page.keyboard.press("Tab")
    expect(note.get_by_role("button", name="This was supported")).to_be_focused()
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(marker).to_be_focused()


def test_a_tap_opens_the_note_and_a_tap_elsewhere_closes_it(server, new_page):
    page = new_page(server.url, viewport={"width": 390, "height": 844}, has_touch=True)
    turn = ask(page, "faulty")
    turn.locator(".marker").tap()
    expect(page.locator("#note")).to_be_in_viewport(ratio=1)
    turn.locator(".question").tap()
    expect(page.locator("#note")).to_be_hidden()


def test_underlines_differ_by_more_than_colour(page):
    turn = ask(page, "Fluent, and made up")
    hint, warning = turn.locator(".flagged.info").first, turn.locator(".flagged.warning")
    expect(warning).to_have_css("text-decoration-style", "wavy")
    expect(hint).to_have_css("text-decoration-style", "dotted")
    sign = "node => getComputedStyle(node.querySelector('.marker'), '::before').content"
    assert [warning.evaluate(sign), hint.evaluate(sign)] == ['"!"', '"?"']


# ------------------------------------------------------------------ passages and documents


def test_a_citation_opens_its_passage_with_the_evidence_marked(page):
    turn = ask(page, "sound")
    chip = turn.locator(".text .chip").first
    expect(chip).to_have_accessible_name("[C1]: open passage from prices.md")
    chip.click()
    side = page.get_by_role("complementary")
    expect(side.locator(".chosen h3")).to_be_focused()
    expect(side.locator(".chosen h3")).to_have_text("C1 prices.md")
    expect(side.locator("mark")).to_have_text(
        "A monthly pass costs $39 per month and can be cancelled at any time."
    )
    page.keyboard.press("Escape")
    expect(side).to_be_hidden()
    expect(chip).to_be_focused()


def test_a_citation_of_a_passage_that_is_not_there_is_no_button(page):
    turn = ask(page, "The wrong document is cited, and one that does not exist")
    expect(turn.locator(".text .chip")).to_have_text(["[C2]"])
    expect(turn.locator(".text")).to_contain_text("[C7]")


# ------------------------------------------------------------------ details, copy, save


def test_the_details_hold_the_full_result(page):
    turn = ask(page, "faulty")
    turn.locator(".details > summary").click()
    tables = turn.locator(".details caption")
    expect(tables).to_have_text(
        ["Why", "Scores", "Retrieval and refusal", "Findings", "Sentences", "Read and looked up"]
    )
    expect(turn.locator(".details")).to_contain_text("“$15”; the passage says “$12”")
    turn.get_by_text("Full result as JSON").click()
    raw = json.loads(turn.locator(".details pre").inner_text())
    assert raw["object"] == "streamguard.result"
    assert raw["result"]["flags"] == ["potential_hallucination"]


def test_the_details_say_what_was_read_and_where_it_was_found(page):
    turn = ask(page, "faulty")
    turn.locator(".details > summary").click()
    found = turn.get_by_role("region", name="Read and looked up").get_by_role("row")
    value = found.filter(has=page.get_by_role("cell", name="$15", exact=True))
    expect(value).to_contain_text("in no passage; “$12” stands in its place, prices.md")
    expect(found.filter(has_text="cites").first).to_be_visible()
    sentences = turn.get_by_role("region", name="Sentences")
    expect(sentences.get_by_role("cell", name="fast").first).to_be_visible()


def test_where_the_server_explains_nothing_the_other_tables_stay(page):
    page.route("**/api/explain", lambda route: route.fulfill(body="no"))
    turn = ask(page, "faulty")
    turn.locator(".details > summary").click()
    expect(turn.locator(".details")).to_contain_text("What was read could not be looked up.")
    expect(turn.locator(".details caption")).to_have_count(5)


def test_copy_gives_the_answer_as_it_is_shown(server, new_page):
    page = new_page(server.url, permissions=["clipboard-read", "clipboard-write"])
    for question, expected in (
        ("sound", SCRIPTS["sound"].answer),
        ("replaced", "I cannot answer this based on the provided documents."),
    ):
        turn = ask(page, question)
        turn.get_by_role("button", name="Copy").click()
        expect(turn.locator(".answered")).to_have_text("Copied.")
        assert page.evaluate("navigator.clipboard.readText()") == expected


def test_the_markdown_file_says_the_verdict_and_holds_no_live_markup(page):
    turn = ask(page, "hostile")
    with page.expect_download() as download:
        turn.get_by_role("button", name="Save Markdown").click()
    assert download.value.suggested_filename == "answer-1.md"
    text = download.value.path().read_text(encoding="utf-8")
    assert text.startswith("# hostile\n\n\\<script\\>")
    assert "\\[the offer\\](javascript:" in text
    told = r"^\*\*(WARN|REFUSE): “.*(?:is in no passage|; the passage says)"
    assert re.search(told, text, re.MULTILINE)
    assert "- C2: https://docs.example/a?b=\\<c\\>" in text


# ------------------------------------------------------------------ feedback


def test_thumbs_and_a_comment_are_stored_with_the_result(page, server):
    turn = ask(page, "faulty")
    good, down = (turn.get_by_role("button", name=f"{word} answer") for word in ("Good", "Bad"))
    good.click()
    expect(turn.locator(".answered")).to_have_text("Stored with the result. Thank you.")
    down.click()
    expect(down).to_have_attribute("aria-pressed", "true")
    expect(good).to_have_attribute("aria-pressed", "false")
    turn.get_by_label("What was wrong?").fill("the price")
    turn.get_by_role("button", name="Send").click()
    expect(turn.locator(".comment")).to_have_count(0)
    (name,) = {record.pop("id") for record in server.feedback}
    assert re.fullmatch("[0-9a-f]{32}", name)
    said = [("up", None), ("down", None), ("down", "the price")]
    assert server.feedback == [
        {"label": label, "sentence": None, "comment": comment} for label, comment in said
    ]


def test_both_corrections_are_stored(page, server):
    refusal = ask(page, "refusal")
    refusal.get_by_role("button", name="This refusal is wrong").click()
    expect(refusal.locator(".answered")).to_have_text("Stored with the result. Thank you.")
    faulty = ask(page, "faulty")
    faulty.locator(".marker").click()
    page.get_by_role("button", name="This was supported").click()
    expect(page.locator("#note .answered")).to_have_text("Stored with the result. Thank you.")
    labels = [(record["label"], record["sentence"]) for record in server.feedback]
    assert labels == [("refusal_wrong", None), ("was_supported", 1)]


def test_feedback_that_is_not_stored_says_so(page, server, new_page):
    server.feedback_status = 507
    turn = ask(page, "sound")
    good = turn.get_by_role("button", name="Good answer")
    good.click()
    expect(turn.locator(".answered")).to_contain_text("could not be stored")
    expect(good).to_have_attribute("aria-pressed", "false")
    assert "507" in new_page.faults.pop()


# ------------------------------------------------------------------ when things go wrong


@pytest.mark.parametrize(("question", "words"), [
    ("error", "The model cannot be reached."),
    ("early error", "The model cannot be reached."),
    ("cut", "The server cannot be reached."),
    ("refused", "Too many chats are open."),
])  # fmt: skip
def test_what_went_wrong_is_said_and_can_be_tried_again(page, new_page, question, words):
    turn = send(page, question)
    expect(turn.get_by_role("alert")).to_contain_text(words)
    expect(page.locator("#send")).to_be_visible()
    turn.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text(words)
    expect(page.locator(".turn")).to_have_count(1)
    new_page.faults.clear()  # Chromium logs lost connections and 503


def test_stop_ends_the_answer_and_leaves_what_came(page, server):
    turn = send(page, "slow")
    server.go_on()
    expect(turn.locator(".flagged")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(turn.get_by_role("alert")).to_contain_text("Stopped.")
    expect(turn.locator(".text")).to_contain_text("A day pass")
    expect(page.locator("#send")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "question"


# ------------------------------------------------------------------ the conversation


def test_earlier_turns_and_the_strictness_go_with_the_question(page, server):
    ask(page, "sound")
    ask(page, "replaced")
    page.get_by_label("Strictness").select_option("lenient")
    ask(page, "greeting")
    first, _, last = server.asked
    assert (first["history"], first["preset"], last["preset"]) == ([], "moderate", "lenient")
    assert last["session"] == first["session"]
    assert [(each["role"], each["content"]) for each in last["history"]] == [
        ("user", "sound"),
        ("assistant", SCRIPTS["sound"].answer),
        ("user", "replaced"),
        ("assistant", "I cannot answer this based on the provided documents."),
    ]


def test_a_sample_question_is_asked_by_a_click(page):
    page.get_by_role("button", name="sound").click()
    expect(page.locator(".turn .question")).to_have_text("sound")
    expect(page.locator(".turn .actions")).to_be_visible()
    expect(page.locator("#welcome")).to_be_hidden()


def test_shift_and_enter_make_a_new_line_and_nothing_is_asked_twice(page, server):
    page.fill("#question", "slow")
    page.press("#question", "Shift+Enter")
    expect(page.locator("#question")).to_have_value("slow\n")
    page.press("#question", "Enter")
    page.fill("#question", "sound")
    page.press("#question", "Enter")
    expect(page.locator("#question")).to_have_value("sound")
    expect(page.locator(".turn")).to_have_count(1)
    assert [body["question"] for body in server.asked] in ([], ["slow"])


def test_the_theme_can_be_switched(server, new_page):
    page = new_page(server.url, color_scheme="light")
    for colour in ("rgb(250, 249, 247)", "rgb(20, 18, 17)", "rgb(250, 249, 247)"):
        expect(page.locator("body")).to_have_css("background-color", colour)
        page.get_by_role("button", name="Switch between light and dark").click()


@pytest.mark.parametrize("question", ["faulty", "hostile"])
def test_a_phone_never_scrolls_sideways(server, new_page, question):
    page = new_page(server.url, viewport={"width": 320, "height": 640})
    turn = ask(page, question)
    turn.locator(".details > summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


# ------------------------------------------------------------------ hostile text


def test_hostile_text_is_text_and_only_addresses_on_the_web_are_links(page):
    turn = ask(page, "hostile")
    assert bare(answer_text(turn)) == bare(HOSTILE_ANSWER)
    turn.locator(".details > summary").click()
    turn.get_by_text("Full result as JSON").click()
    turn.locator(".text .chip").first.click()
    expect(page.locator("#side .passage-text").first).to_contain_text("<iframe")
    expect(page).to_have_title("Harbourlight help desk")
    shown = page.locator("main, #side, #note")
    expect(shown.locator("script, img, iframe, b")).to_have_count(0)
    expect(turn.locator(".text a")).to_have_count(0)
    expect(page.locator(".turn")).to_have_count(1)
    links = page.locator("#side a")
    expect(links).to_have_count(1)
    expect(links).to_have_text(HOSTILE_PASSAGES[1].source)
    expect(links).to_have_attribute("href", "https://docs.example/a?b=%3Cc%3E")
    expect(links).to_have_attribute("rel", "noopener noreferrer nofollow")
    expect(page.locator("#side h3").first).to_contain_text("javascript:document.title")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Documents").click()
    expect(page.locator("#side a")).to_have_count(0)


def test_the_policy_lets_no_inline_script_run(page, new_page):
    page.evaluate(
        "() => { const it = document.createElement('script');"
        " it.textContent = 'document.title = \"owned\"'; document.body.append(it); }"
    )
    expect(page).to_have_title("Harbourlight help desk")
    assert "Content Security Policy" in new_page.faults.pop()


# ------------------------------------------------------------------ accessibility


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_serious_fault(server, new_page, theme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {"color_scheme": theme, "viewport": {"width": width, "height": 900}}
    page = new_page(server.url, reduced_motion="reduce", **options)

    def faults():
        found = axe.run(page).response["violations"]
        return [
            (it["id"], it["nodes"][0]["html"], it["nodes"][0].get("failureSummary"))
            for it in found
            if it["impact"] in ("serious", "critical")
        ]

    assert faults() == []
    for question in (
        "sound",
        "low",
        "far",
        "refusal",
        "unsupported",
        "replaced",
        "invented",
        "faulty",
    ):
        ask(page, question)
    page.get_by_text("Show the original answer").click()
    for details in page.locator(".details > summary").all():
        details.click()
    assert faults() == []
    page.locator(".marker").last.click()
    expect(page.locator("#note")).to_be_visible()
    assert faults() == []
    page.locator("#note .chip").first.click()
    assert faults() == []
