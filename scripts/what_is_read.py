"""Write docs/what_is_read.md: which forms of values and citations are read, run row by row.

python scripts/what_is_read.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from streamguard import Context, GuardrailsResult, RetrievedChunk, check_text
from streamguard.text.citation_forms import FORMS, Form

PAGE = Path(__file__).parent.parent / "docs/what_is_read.md"
READ, TWO, SAID = "read", "two readings", "unread, said"


class Row(NamedTuple):
    """A form: a sentence, what an answer says in it, what passages say, and a wrong answer.

    Several passages are several readings: each by itself makes the answer right.
    """

    form: str
    sentence: str
    right: str
    held: tuple[str, ...]
    wrong: str


def _row(form: str, sentence: str, right: str, *held: str, wrong: str) -> Row:
    return Row(form, sentence, right, held, wrong)


COSTS, LASTS, HAS = "The Orbit pass costs {}.", "The pass lasts {}.", "The Orbit van has {}."
OPENS, RATE, IS = "The office opens {}.", "The rate is {}.", "The box holds {}."
KEPT, ROSE, LIES = "The room is kept at {}.", "The rate rose by {}.", "It lies at {}."
IBAN = "DE89 3704 0044 0532"
HOLDS = "The mix fails in {} of all tests."
UUID = "550e8400-e29b-41d4-a716-44665544000"
VALUES = (
    _row("money", COSTS, "$48 a month", "48 dollars per month", wrong="$58 a month"),
    _row("money, code", COSTS, "EUR 9.99", "€9.99", wrong="EUR 9.89"),
    _row("magnitude", COSTS, "$1.2M", "$1,200,000", wrong="$1.3M"),
    _row("share", RATE, "35 %", "35 percent", wrong="45 %"),
    _row("unit", HAS, "500 MB of memory", "0.5 GB of memory", wrong="600 MB of memory"),
    _row("unit, other system", IS, "50 lb", "23 kg (50 lb)", wrong="70 lb"),
    _row("count in words", HAS, "twelve seats", "12 seats", wrong="eleven seats"),
    _row("fraction", LASTS, "1½ hours", "90 minutes", wrong="2½ hours"),
    _row("range", LASTS, "10 to 12 days", "10-12 days", wrong="10 to 14 days"),
    _row("day", OPENS, "on 3 May 2026", "on 2026-05-03", wrong="on 4 May 2026"),
    _row("weekday", OPENS, "on Wednesdays", "each Wednesday", wrong="on Thursdays"),
    _row("span of weekdays", OPENS, "on Wednesdays", "Mon-Fri", wrong="on Sundays"),
    _row("quarter", OPENS, "in Q3 2025", "in the third quarter of 2025", wrong="in Q4 2025"),
    _row("half of a year", OPENS, "in H1 2026", "in the first half of 2026", wrong="in H2 2026"),
    _row("time", OPENS, "at 5 p.m.", "at 17:00", wrong="at 6 p.m."),
    _row(
        "frequency",
        RATE,
        "30 requests a minute",
        "30 requests per minute",
        wrong="40 requests a minute",
    ),
    _row("version", "It needs version {}.", "2.4.1", "2.4.1", wrong="2.4.2"),
    _row("name with a figure", HAS, "an RX-70 radio", "an RX-70 radio", wrong="an RX-80 radio"),
    _row("telephone", "Call {}.", "+49 30 1234567", "030 1234567", wrong="+49 30 1234568"),
    _row("comma before three digits", IS, "1,250 kg", "1250 kg", "1.25 kg", wrong="1,350 kg"),
    _row("decimal comma", IS, "2,5 kg", "2.5 kg", wrong="2,7 kg"),
    _row("point before three digits", IS, "1.250 kg", "1250 kg", "1.25 kg", wrong="1.350 kg"),
    _row("spaces between thousands", COSTS, "€1 826,50", "€1,826.50", wrong="€1 862,50"),
    _row("apostrophes between thousands", IS, "1'826.5 kg", "1826.5 kg", wrong="1'862.5 kg"),
    _row("magnitudes of other languages", COSTS, "1,2 Mrd. €", "€1.2 billion", wrong="1,2 Mio. €"),
    _row("mil: thousand or million", COSTS, "€5 mil", "€5,000", "€5,000,000", wrong="€6 mil"),
    _row("lakh and crore", COSTS, "₹1.5 lakh", "₹1,50,000", wrong="₹1.6 lakh"),
    _row("万 億 亿 만", COSTS, "3万5000円", "35,000円", wrong="3万6000円"),
    _row("units of other languages", LASTS, "45 minutos", "45 minutes", wrong="54 minutos"),
    _row("rates of other languages", COSTS, "30 € par mois", "€30 a month", wrong="30 € par an"),
    _row("day with signs", OPENS, "on 2026年5月3日", "on 3 May 2026", wrong="on 2026年5月4日"),
    _row(
        "days of other languages", OPENS, "on 3. Mai 2026", "on 3 May 2026", wrong="on 4. Mai 2026"
    ),
    _row("times of other languages", OPENS, "at 9h30", "at 9:30", wrong="at 9h50"),
    _row("hours and minutes", LASTS, "2h30", "2 hours 30 minutes", wrong="2h50"),
    _row("count beside a share", IS, "35 parts", "35 parts", wrong="35 % of it"),
    _row(
        "number of a law, a line, a table", "See {}.", "Article 17", "Art. 17", wrong="Article 71"
    ),
    _row("part of a law", "See {}.", "Art. 6(1)(f)", "Article 6 (1) (f)", wrong="Art. 6(1)(b)"),
    _row("status", "The gateway answers {}.", "HTTP 503", "HTTP 503", wrong="HTTP 429"),
    _row("version of a name", "It needs {}.", "iOS 16", "iOS 16", wrong="iOS 18"),
    _row("temperature in words", KEPT, "minus 5 °C", "−5 °C", wrong="5 °C"),
    _row("temperature", KEPT, "−5 °C", "-5 degrees Celsius", wrong="−8 °C"),
    _row("dimensions", HAS, "a 20 × 30 cm door", "a 20 x 30 cm door", wrong="a 20 × 40 cm door"),
    _row("percentage points", ROSE, "2 percentage points", "2 pp", wrong="3 percentage points"),
    _row("range of versions", "It needs Python {}.", ">=3.9,<4", ">=3.9,<4", wrong=">=3.8,<4"),
    _row("time with its zone", OPENS, "at 15:00 UTC", "at 3 p.m. UTC", wrong="at 15:00 CET"),
    _row("range with a dash", LASTS, "10–12 days", "10 to 12 days", wrong="10–14 days"),
    _row("part", HAS, "3/4 of the seats", "three quarters of the seats", wrong="1/4 of the seats"),
    _row("ratio", "The ratio is {}.", "3:1", "3:1", wrong="4:1"),
    _row("ages", "The child was {}.", "aged 12", "12 years old", wrong="aged 13"),
    _row("odds", "The chance is {}.", "1 in 5", "1 in 5", wrong="1 in 6"),
    _row("odds in words", HOLDS, "one in six", "1 in 6", wrong="one in four"),
    _row("odds and percent", HOLDS, "one in five", "20 %", wrong="one in nine"),
    _row("score", "The club won {}.", "3-1", "3:1", wrong="2-1"),
    _row("per mille", RATE, "3 ‰", "0.3 %", wrong="3 %"),
    _row("basis points", RATE, "25 basis points", "0.25 pp", wrong="35 bps"),
    _row("ordinal", "It is the {} stop.", "3rd", "third", wrong="4th"),
    _row("ordinal in words", "It is the {} stop.", "third", "3rd", wrong="fifth"),
    _row("multiple", "The rate {}.", "tripled", "rose threefold", wrong="doubled"),
    _row("interval", "It rings {}.", "every 6 hours", "four times a day", wrong="every 8 hours"),
    _row("factor", "It is {} as fast.", "3×", "three times", wrong="4×"),
    _row("tolerance", KEPT, "±0.5 mm", "±0.5 mm", wrong="±0.8 mm"),
    _row("price of a unit", COSTS, "$0.02/request", "$0.02 per request", wrong="$0.03/request"),
    _row("rate of data", HAS, "100 Mbps", "100 Mbit/s", wrong="200 Mbps"),
    _row("dose", "Take {}.", "5 mg/kg", "5 mg/kg", wrong="6 mg/kg"),
    _row("coordinates", LIES, "52.5200° N", "52.5200° N", wrong="52.5300° N"),
    _row("order", "The order is {}.", "ORD-2024-00123", "ORD-2024-00123", wrong="ORD-2024-00132"),
    _row("UUID", "The id is {}.", f"{UUID}0", f"{UUID}0", wrong=f"{UUID}1"),
    _row(
        "network address", "The host is {}.", "192.168.1.10", "192.168.1.10", wrong="192.168.1.11"
    ),
    _row("hexadecimal", "The code is {}.", "0x80070005", "0x80070005", wrong="0x80070006"),
    _row("mail", "Write to {}.", "sales2@acme.com", "sales2@acme.com", wrong="sales3@acme.com"),
    _row(
        "link",
        "Open {}.",
        "https://acme.org/rates/",
        "www.acme.org/rates",
        wrong="https://acme.org/rate",
    ),
    _row("port of a link", "It uses {}.", "port 7003", "http://acme.org:7003", wrong="port 7004"),
    _row("host", "Open {}.", "docs.acme.org", "https://docs.acme.org/a", wrong="doc.acme.org"),
    _row("path", "Open {}.", "~/lab/run.cfg", "~/lab/run.cfg", wrong="~/labs/run.cfg"),
    _row("IBAN", "Pay to {}.", f"{IBAN}01300", f"{IBAN} 0130 0", wrong=f"{IBAN}01301"),
    _row("ISBN", "It is {}.", "978-3-16-148410-0", "978-3-16-148410-0", wrong="978-3-16-148410-1"),
    _row("Arabic digits", COSTS, "$٤٨", "$48", wrong="$٥٨"),
    _row("Arabic separators", COSTS, "$١٬٢٥٠٫٥٠", "$1,250.50", wrong="$١٬٢٥٠٫٦٠"),
    _row("Persian digits", COSTS, "$۴۸", "$48", wrong="$۵۸"),
    _row("Devanagari digits", COSTS, "₹४८", "₹48", wrong="₹५८"),
    _row("full-width digits", COSTS, "$４８", "$48", wrong="$５８"),
    _row("digits of other scripts", COSTS, "$௪௮", "$48", wrong="$௫௮"),
    _row("numerals", COSTS, "三百元", "300元", wrong="四百元"),
    _row("sign of money without a currency", COSTS, "₡48", "48 colones", wrong="₡58"),
    _row("magnitude without a power of ten", COSTS, "$9 zillion", "$9 million", wrong="$8 zillion"),
    _row("letters behind money", COSTS, "€5 kx", "€5", wrong="€6 kx"),
    _row("letters at money", COSTS, "€5kx", "€5", wrong="€6kx"),
    _row("powers of ten", IS, "1.2e-3 kg", "0.0012 kg", wrong="1.3e-3 kg"),
    _row("durations of ISO 8601", LASTS, "P30D", "30 days", wrong="P60D"),
    _row(
        "timestamp",
        OPENS,
        "on 3 May 2026 at 9:30",
        "on 2026-05-03T09:30:04.120Z",
        wrong="on 3 May 2026 at 9:40",
    ),
    _row("unit of no table", LASTS, "30zk", "30 days", wrong="40zk"),
)


def outcome(row: Row) -> str:
    """Return how the code reads a row's form; raise where it is wrong and nothing says so."""
    passages = [row.sentence.format(held) for held in row.held]
    results = [_check(row.sentence.format(row.right), passage) for passage in passages]
    if all(result.unread_text for result in results):
        assert all(result.status != "PASS" for result in results), row
        return f"{SAID}: `{', '.join(results[0].unread_text)}`"
    assert not any(one.findings or one.unread_text for one in results), (row, results)
    for passage in passages:
        assert _check(row.sentence.format(row.wrong), passage).findings, row
    return TWO if len(passages) > 1 else READ


def _check(answer: str, *passages: str) -> GuardrailsResult:
    return check_text(answer, context=Context(chunks=passages, language="en"))


# --- layout

HTML = (
    "<table><tr><th>Pass</th><th>Price</th></tr><tr><td>Orbit</td><td>$48</td></tr>"
    "<tr><td>Comet</td><td>$58</td></tr></table>"
)
HEADED = "| Pass | Price |\n|---|---|\n| Orbit | {} |"
# A form, an answer that is right in it, a wrong one, and what becomes of it.
LAYOUT = (
    ("prose", "The Orbit pass costs $48.", "The Orbit pass costs $58.", READ),
    ("list, table with a head", HEADED.format("$48"), HEADED.format("$58"), READ),
    ("table without a head", "| Orbit | $48 |", "| Orbit | $58 |", "read, and said: `table`"),
    ("JSON, whole or in a fence", '{"orbit_pass": "$48"}', '{"orbit_pass": "$58"}',
     "read by its fields"),
    ("inline code", "The Orbit pass costs `$48`.", "The Orbit pass costs `$58`.", READ),
    ("fenced code", "```\n$58\n```", None, "not read; alone it has no status"),
    ("thoughts in tags", "<think>Is it $58?</think>\nThe Orbit pass costs $48.", None,
     "no text of the answer"),
    ("a link's address", "The Orbit pass costs [$48](https://x.org/58).", None, "nobody's claim"),
)  # fmt: skip


def layout() -> Iterator[str]:
    """Yield a row for each layout, after its answers were checked."""
    for form, right, wrong, becomes in LAYOUT:
        result = _check(right, "The Orbit pass costs $48.")
        assert not result.findings, (form, result)
        assert bool(result.unread_text) == ("said" in becomes), (form, result)
        assert (result.status is None) == ("no status" in becomes), (form, result)
        assert bool(result.thoughts) == ("thoughts" in form), form
        if wrong is not None:
            assert _check(wrong, "The Orbit pass costs $48.").findings, form
        yield f"| {form} | {becomes} |"
    assert not _check("The Orbit pass costs $48.", HTML).findings
    assert _check("The Orbit pass costs $58.", HTML).findings
    yield "| a passage of HTML | read by its headings, lists and tables |"


# --- owners

# A passage in which Orbit has 48 and Comet has 31.
OWNERS = (
    ("headings", "# Orbit\nA pass is $48.\n# Comet\nA pass is $31."),
    ("short lines over paragraphs", "Orbit\nA pass is $48.\n\nComet\nA pass is $31."),
    ("nested list", "- Orbit\n  - Pass: $48\n- Comet\n  - Pass: $31"),
    ("labels", "Orbit: $48\nComet: $31"),
    ("records, parted by blank lines or none", "Name: Orbit\nPass: $48\nName: Comet\nPass: $31"),
    ("table", "| Name | Pass |\n|---|---|\n| Orbit | $48 |\n| Comet | $31 |"),
    ("comma-separated values", "Name,Pass,Seats\nOrbit,$48,1\nComet,$31,2"),
    ("table of a database's client",
     "Name | Pass | Seats\n---+---+---\nOrbit | $48 | 1\nComet | $31 | 2"),
    ("JSON by keys", '{"orbit": {"pass": "$48"}, "comet": {"pass": "$31"}}'),
    ("JSON by fields", '[{"name": "Orbit", "pass": "$48"}, {"name": "Comet", "pass": "$31"}]'),
    ("XML", "<a><n>Orbit</n><pass>$48</pass></a><a><n>Comet</n><pass>$31</pass></a>"),
    ("YAML by keys", "orbit:\n  pass: $48\ncomet:\n  pass: $31"),
    ("YAML by fields", "- name: orbit\n  pass: $48\n- name: comet\n  pass: $31"),
    ("YAML of several documents", "name: orbit\npass: $48\n---\nname: comet\npass: $31"),
    ("TOML, INI", "[orbit]\npass = $48\n[comet]\npass = $31"),
    ("environment", "ORBIT_PASS=$48\nCOMET_PASS=$31"),
    ("question and answer",
     "Q: What is an Orbit pass?\nA: $48.\n\nQ: What is a Comet pass?\nA: $31."),
    ("definitions of HTML", "<dl><dt>Orbit</dt><dd>$48</dd><dt>Comet</dt><dd>$31</dd></dl>"),
    ("chat", "Orbit 10:02: my pass is $48\nComet 10:03: my pass is $31"),
)  # fmt: skip


_ABOUT_OWNERS = "In each form a value that is told of the other owner is a warning, `other_owner`."


def owners() -> Iterator[str]:
    """Yield a row for each form, after an answer with the other owner's value was found."""
    for form, passage in OWNERS:
        assert not _check("The Orbit pass is $48.", passage).findings, form
        (found,) = _check("The Orbit pass is $31.", passage).findings
        assert (found.check, found.severity) == ("other_owner", "warning"), form
        lines = passage.replace("|", "\\|").replace("\n", "⏎")
        yield f"| {form} | `{lines}` |"
    told = "A pass is $48 with Orbit, and riders with Comet pay $31."
    assert not _check("Orbit riders pay $48, and Comet costs $31.", told).findings
    assert {one.check for one in _check("Orbit costs $31, and Comet $48.", told).findings} == {
        "other_owner"
    }
    yield f"| prose | `{told}` |"


# --- citations

TEXT = "The pass costs $48 a month."
PASSAGES = (
    RetrievedChunk(TEXT, id="handbook", source="https://x.org"),
    RetrievedChunk("It is valid for 30 days.", id="pricing-faq", source="plans.md"),
    RetrievedChunk("It takes 4 riders.", id="a1b2", source="https://x.org/a_(b)"),
)
_BY = {
    "number": "place",
    "index": "place from 0",
    "id": "id",
    "file": "file",
    "link": "address",
    "result": "the product's list",
}
_UNKNOWN = {"error": "`citation_unknown`", "unread": SAID, "text": "text"}


def citations() -> Iterator[str]:
    """Yield a row for each form of citations, after its example was read."""
    for form in FORMS:
        written = form.example.replace("\ue200", "⟨U+E200⟩").replace("\ue202", "⟨U+E202⟩")
        written = written.replace("\ue201", "⟨U+E201⟩")
        cells = (f"`{written}`", form.written_by, _BY[form.by], _cited(form))
        yield f"| {' | '.join(cells)} | {_UNKNOWN[form.unknown]} |"


def _cited(form: Form) -> str:
    """Return which of three passages a form's example cites."""
    result = check_text(f"{TEXT[:-1]} {form.example}.", context=Context(chunks=PASSAGES))
    numbers = [
        str(number)
        for number, chunk in enumerate(PASSAGES, 1)
        if any(chunk.id in sentence.cited_chunks for sentence in result.sentences)
    ]
    assert numbers or result.unread_text, form
    return ", ".join(numbers) or SAID


HEAD = """\
# What is read

<!-- Written by scripts/what_is_read.py. -->

Every row is run. *Read* agrees with its passage, and another value is found; of *two readings* \
the one that a passage holds counts, and only what fits neither is told. *Unread, said* stands in \
`sentences[].unread_text` with its kind, is counted in `result.unread_text` and by the metric \
`streamguard_unread_text_total{kind}`; the reason `unread_text` says that the status rests on it, \
and no PASS rests on an unread value.
"""
CITED = """\
The passages have the ids `handbook`, `pricing-faq`, `a1b2` and the sources `https://x.org`, \
`plans.md`, `https://x.org/a_(b)`. An id, file or address comes before a place. A mark ends no \
sentence and holds no value. A bracket that a passage holds as it stands (`rows[7]`, `[3, 12]`) is \
none.
"""


def page() -> str:
    """Return the page."""
    values = [
        f"| {row.form} | {row.right} | {' or '.join(row.held)} | {outcome(row)} |" for row in VALUES
    ]
    parts = (
        HEAD,
        "## Values\n\n| form | answer | passage | |\n|---|---|---|---|",
        *values,
        f"\n## Citations\n\n{CITED}",
        "| mark | written by | names | cites | where no passage answers |\n|---|---|---|---|---|",
        *citations(),
        "\n## Layout\n\n| form | |\n|---|---|",
        *layout(),
        f"\n## Owners\n\n{_ABOUT_OWNERS}\n\n| form | passage |\n|---|---|",
        *owners(),
    )
    return "\n".join(parts) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
