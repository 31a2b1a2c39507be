"""`streamguard.js` in a browser: spans become Ranges of what a page shows."""

import pytest

pytestmark = pytest.mark.browser

# Text nodes of several elements, an empty one, a comment, and characters of two units.
SHOW = """
const { rangesIn } = await import("/streamguard.js");
const root = document.createElement("div");
const inner = document.createElement("b");
inner.append("c\U0001f6b2", document.createTextNode(""), "d");
root.append("ab", document.createComment("x"), inner, "e");
document.body.append(root);
"""
TEXT = "abc\U0001f6b2de"


def evaluate(page, code):
    return page.evaluate(f"async () => {{ {SHOW} {code} }}")


def test_every_span_of_a_text_is_the_range_that_shows_it(server, new_page):
    page = new_page(server.url)
    spans = [{"start": start, "end": end} for start in range(8) for end in range(start, 8)]
    shown = evaluate(page, f"return rangesIn(root, {spans!r}).map(String)")
    units = TEXT.encode("utf-16-le")
    due = [units[2 * span["start"] : 2 * span["end"]] for span in spans]
    assert [text.encode("utf-16-le", "surrogatepass") for text in shown] == due
    outside = [{"start": start, "end": end} for start, end in [(-1, 2), (3, 2), (0, 8), (8, 8)]]
    assert evaluate(page, f"return rangesIn(root, {outside!r})") == [None] * 4


def test_a_range_within_one_node_can_be_surrounded(server, new_page):
    code = """
    const [range] = rangesIn(root, [{ start: 0, end: 2 }]);
    range.surroundContents(document.createElement("mark"));
    return root.querySelector("mark").textContent;
    """
    assert evaluate(new_page(server.url), code) == "ab"
