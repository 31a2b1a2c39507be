"""The dashboard in a real browser, over a database with known answers."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from streamguard.server.dashboard.app import make_app
from tests.browser.threads import in_thread
from tests.kit.kept_results import fill, id_of, sample
from tests.kit.serving import serving

SHOWN = "body[data-shown]"


def served(url, **settings):
    """Run the dashboard in a thread; gives its base URL."""
    return in_thread(serving(make_app(url, **settings)))


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('dashboard')}/results.db"
    # In a thread: the browser has a loop of its own in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(fill, url, *sample()).result()
    return url


@pytest.fixture(scope="module")
def base(database):
    with served(database) as found:
        yield found


@pytest.fixture
def page(base, new_page):
    return new_page(base, SHOWN)


def again(page, act):
    """Do what makes the page ask again; wait until it has shown the answer."""
    before = page.get_attribute("body", "data-shown")
    act()
    page.wait_for_function("before => document.body.dataset.shown !== before", arg=before)


def texts(page, selector):
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def painted(page, figure):
    """Say how many of a chart's pixels are neither clear nor grey."""
    return page.evaluate(
        """id => {
          const it = document.querySelector(`#${id} canvas`);
          const { data } = it.getContext("2d").getImageData(0, 0, it.width, it.height);
          let count = 0;
          for (let at = 0; at < data.length; at += 4) {
            const [r, g, b, a] = data.subarray(at, at + 4);
            if (a > 200 && Math.max(r, g, b) - Math.min(r, g, b) > 40) count += 1;
          }
          return count;
        }""",
        figure,
    )


def test_the_answers_of_the_time_are_counted_drawn_and_in_tables(page):
    tiles = dict(zip(texts(page, "#tiles dt"), texts(page, "#tiles dd"), strict=True))
    assert tiles["Answers"] == "31"
    for figure in ("status-days", "flag-days", "levels", "groundedness", "added-days"):
        assert painted(page, figure) > 50, figure
    rows = page.locator("#levels table tbody tr").all_text_contents()
    assert (rows[0], rows[3]) == ("high26", "insufficient5")
    charts = page.locator("figure canvas").count()
    assert charts == page.locator("figure details table").count() >= 5


def test_areas_have_words_reasons_and_examples(page):
    one, two = page.locator("#area-list > li").all()
    assert "invoice" in one.locator("h3").inner_text()
    assert "3 refused" in one.inner_text()
    assert "Where is the parking garage?" in two.inner_text()


def test_a_scope_is_asked_for_and_shown(page):
    assert texts(page, "select[name=model] option") == ["all", "small", "large"]
    again(page, lambda: page.select_option("select[name=model]", "large"))
    assert texts(page, "#tiles dd")[0] == "6"
    assert page.locator("#result-table tbody tr").count() == 6
    again(page, lambda: page.select_option("select[name=days]", "1"))
    assert texts(page, "#tiles dd")[0] == "0"
    assert "Nothing in this time." in page.locator("#status-days").inner_text()


def test_a_check_leads_to_its_results_and_one_of_them_to_its_sentences(page):
    page.click("#check-table button:has-text('unsupported_price')")
    page.wait_for_selector("#listed:has-text('with unsupported_price')")
    assert page.locator("#result-table tbody tr").count() == 6
    page.locator("#result-table tbody button").first.click()
    dialog = page.locator("#result")
    dialog.wait_for()
    said = dialog.locator("ol.said > li")
    assert "The Basic plan costs $12 per month [C1]." in said.nth(0).inner_text()
    assert "warning: unsupported_price" in said.nth(0).inner_text()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.click("#listed button:has-text('All results')")
    page.wait_for_function("() => document.querySelectorAll('#result-table tbody tr').length > 6")


def test_one_result_shows_its_feedback(page):
    page.click("#value-table button")
    page.wait_for_selector("#listed:has-text('with $12')")
    marked = page.locator("#result-table tbody tr").nth(4)  # of 105 to 100 the one with a comment
    marked.locator("button").click()
    page.wait_for_selector("#result h2")
    assert id_of(101) in page.locator("#result h2").inner_text()
    assert "page 3" in page.locator("#result-body").inner_text()


def test_a_token_is_asked_for_and_kept_out_of_the_address(database, browser):
    with served(database, token="t-1") as base:
        context = browser.new_context()
        page = context.new_page()
        page.goto(base)
        page.wait_for_selector("#entry:not([hidden])")
        assert "Bearer TOKEN" in page.locator("#said").inner_text()
        page.fill("#token", "t-1")
        page.keyboard.press("Enter")
        page.wait_for_selector(SHOWN)
        assert texts(page, "#tiles dd")[0] == "31"
        assert "t-1" not in page.url
        context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_serious_fault(base, new_page, theme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {"color_scheme": theme, "viewport": {"width": width, "height": 900}}
    page = new_page(base, SHOWN, **options)

    def check():
        found = axe.run(page).response["violations"]
        told = [(each["id"], each["nodes"][0]["html"]) for each in found
                if each["impact"] in ("serious", "critical")]  # fmt: skip
        assert told == []

    check()
    page.locator("#area-list button").first.click()
    page.wait_for_selector("#result[open]")
    check()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_theme_is_switched_and_the_charts_with_it(page):
    def ink():
        return page.evaluate("getComputedStyle(document.body).color")

    before = ink()
    again(page, lambda: page.click("#theme"))
    assert ink() != before
    assert painted(page, "status-days") > 50
