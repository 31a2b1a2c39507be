"""What looks like a value, a citation or a table's head and is not read is said, and is no PASS."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamguard import Annotation, Context, GuardrailsResult, Policy, StreamGuard, check_text
from streamguard.server.observe.metrics import Metrics
from streamguard.testing import feed_every_way
from tests.kit.tables import differing

CHUNKS = (
    "The Orbit pass costs $48 a month and is valid for 30 days.",
    "The Comet pass costs $96 a month and takes 4 riders.",
    "Lost passes are replaced for a fee of $15 within 7 days.",
)
RIGHT = "The Comet pass takes 4 riders. Lost passes are replaced within 7 days."
# A sentence, the words in it that are not read, and what they seem to be.
VALUES = [
    ("The Orbit pass costs $௪௮ a month.", "௪௮", "digits"),
    ("The Orbit pass costs ༤༨ dollars a month.", "༤༨", "digits"),
    ("The Orbit pass costs $፵፰ a month.", "፵፰", "digits"),
    ("The Orbit pass is valid for ៣០ days.", "៣០", "digits"),
    ("The Comet pass takes ౪ riders.", "౪", "digits"),
    ("The Comet pass costs $9 zillion a month.", "zillion", "magnitude"),
    ("The Comet pass costs $96 quintillion a month.", "quintillion", "magnitude"),
    ("The fee is $15 gazillion.", "gazillion", "magnitude"),
    ("The Orbit pass costs ₡48 a month.", "₡", "currency"),
    ("The Orbit pass costs 48 ₲ a month.", "₲", "currency"),
    ("The fee is ₲15 within 7 days.", "₲", "currency"),
    ("The fee is 三百元 within 7 days.", "三百", "digits"),
    ("The Orbit pass costs $48 kx a month.", "kx", "magnitude"),
    ("The Orbit pass costs $48kx a month.", "kx", "magnitude"),
    ("The Orbit pass costs 48mx $ a month.", "mx", "magnitude"),
    ("The fee is $15 squillion.", "squillion", "magnitude"),
    ("The Comet pass is valid for 30zk.", "zk", "unit"),
    ("The Comet pass takes 4 kZ.", "kZ", "unit"),
    ("The Comet pass takes 4e0 riders.", "4e0", "figure"),
    ("The Orbit pass is valid for P30D.", "P30D", "figure"),
    ("Lost passes are replaced within PT168H.", "PT168H", "figure"),
]
MARKS = [
    ("{} [web:3].", "[web:3]"), ("{} [T1].", "[T1]"), ("{} ⟦2⟧.", "⟦2⟧"), ("{} 〔2〕.", "〔2〕"),
    ("{} {{{{ref 2}}}}.", "{{ref 2}}"), ("{} {{cite:2}}.", "{cite:2}"), ("{}^2.", "^2"),
    ("{} <footnote id=2>.", "<footnote id=2>"), ("{} [#2].", "[#2]"), ("{} {{2}}.", "{2}"),
    ("{} \ue203note2\ue204.", "\ue203note2\ue204"), ("{} 【kb-2】.", "【kb-2】"),
    ("{} [kb-12, kb-13].", "[kb-12, kb-13]"), ("{} (Source: fees.pdf).", "(Source: fees.pdf)"),
    ("{} [@fees].", "[@fees]"), ("{} 【8†L3】.", "【8†L3】"),
    ("{} <ref id='zz'/>.", "<ref id='zz'/>"), ("{} [1.2.3, 1.4.1].", "[1.2.3, 1.4.1]"),
    ("{}[-1].", "[-1]"), ("{} [0].", "[0]"), ("{} [1f3a9bc].", "[1f3a9bc]"), ("{} [^p2].", "[^p2]"),
    ("{} [Data: Reports (1, 2); Entities (5); +more].",
     "[Data: Reports (1, 2); Entities (5); +more]"),
    ("{} [REF]2[/REF].", "[REF]2[/REF]"), ("{} (smith2024plans pages 3-4).",
     "(smith2024plans pages 3-4)"), ("{} (pqac-1a2b3c4d).", "(pqac-1a2b3c4d)"),
    ('{} <grok:render type="x"><argument name="citation_id">2</argument></grok:render>.',
     '<grok:render type="x"><argument name="citation_id">2</argument></grok:render>'),
    ('{}<span data-citation="2"></span>.', '<span data-citation="2"></span>'),
    ("{} [[D2]]().", "[[D2]]()"), ("{} (CONTEXT 2).", "(CONTEXT 2)"), ("{} (2).", "(2)"),
    ("{}②.", "②"), ("{}†.", "†"), ("{} {{{{2}}}}.", "{{2}}"), ("{} ^2^.", "^2^"),
    ("{} ⁽²⁾.", "⁽²⁾"), ("{} <note_ref>a-2</note_ref>.", "<note_ref>a-2</note_ref>"),
]  # fmt: skip
READ = [
    "It costs $48.00, i.e. 1.6 dollars a day, or 10² + 5 m² and ½ of it.", "See rows[7] or [sic].",
    "The Orbit pass – €48 / £48 / ¥480 / ₹48 – holds.", "He said “no” — twice [1].",
    "[4Fe-4S] is so.",
    "It is [0, 100] or {a, b}.", "A set {1, 2} and x^2 and 2^10.", "Use <b>bold</b> for 5 < 6.",
    "He (b. 1950) lives [in Rome].", "- 1. One\n- 2. Two", "① first ② second", "H₂O at 20 °C, 50 %",
    "Call +49 30 123456 at 5 p.m. on 3 May 2026.", "№ 5, § 823, Art. 5, 9h30", "५० and ٥٠",
    "It runs (1) on Linux and (2) on Windows.", "Call printf(3) or f(2).", "Set a[0] = b[1.5].",
    "The first ① and the second ② step.", "It is [sic] so [1999].", "A (b) or (c).",
    "It costs $48 pp, $15 pcm, €5 p.p. or $4 plus VAT.", "It is 3 mV, 20 dB or 7 kWh.",
    "He paid $48 by card and $15 my way.", "It has 4GB, 128gb and 35mm.",
    "```\nx[web:3] = ௪௮\n```", "`[web:3]`", "# 5 rules", "| a | b |\n|---|---|\n| 1 | 2 |",
]  # fmt: skip


def result_of(answer, **more):
    return check_text(answer, context=Context(query="What is it?", chunks=CHUNKS), **more)


def of_every_split(answer):
    context = Context(query="What is it?", chunks=CHUNKS)

    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    return feed_every_way(answer, read)


def unread(result, answer):
    return [
        (answer[one.start : one.end], one.kind)
        for sentence in result.sentences
        for one in sentence.unread_text
    ]


def test_a_value_that_is_not_read_is_said_and_no_pass_rests_on_it():
    rows = [(text, ([(words, kind)], True, True)) for text, words, kind in VALUES]

    def read(text):
        result = result_of(f"{text} {RIGHT}")
        said = "unread_text" in {reason.code for reason in result.reasons}
        return unread(result, f"{text} {RIGHT}"), said, result.status != "PASS"

    assert differing(rows, read) == []
    answer = "\n".join(text for text, *_ in VALUES)
    result = of_every_split(answer)
    assert unread(result, answer) == [(words, kind) for _, words, kind in VALUES]
    assert sum(result.unread_text.values()) == len(VALUES)


def test_a_mark_of_no_known_form_or_place_is_said_and_counts_as_a_citation():
    words = "The Orbit pass costs $48 a month"
    rows = [(text.format(words), ([(mark, "citation")], 1.0, set())) for text, mark in MARKS]

    def read(text):
        context = Context(query="What is it?", chunks=CHUNKS, citations_requested=True)
        result = check_text(text, context=context)
        checks = {finding.check for finding in result.findings}
        return unread(result, text), result.citation_density, checks

    assert differing(rows, read) == []
    answer = "\n".join(text for text, _ in rows)
    result = of_every_split(answer)
    assert result.unread_text == {"citation": len(MARKS)}
    assert result.status == "PASS"
    assert [reason.code for reason in result.reasons] == ["supported", "unread_text"]
    assert result.reasons[-1].message.startswith(f"Not all text was read (citation in {len(MARKS)}")


def test_a_row_with_values_in_place_of_a_table_s_head_is_said():
    rows = [
        ("| Orbit | $48 |\n| Comet | $96 |", {"table": 1}),
        ("| Pass | Price |\n| Orbit | $48 |", {}),
        ("| Orbit | 50 % |", {"table": 1}), ("| Year | 2024 | 2025 |\n|---|---|---|", {}),
    ]  # fmt: skip
    assert differing(rows, lambda text: of_every_split(text).unread_text) == []


def test_what_is_read_is_not_said_to_be_unread():
    assert differing([(text, {}) for text in READ], lambda text: result_of(text).unread_text) == []
    result = check_text("It is so [4Fe-1].", context=Context(chunks=["Clusters [Fe-1] are so."]))
    assert result.unread_text == {}
    tokens = Context(chunks=["The plug is a 30zk at $48 kx, of 4 kZ and 1e-4, for PT15M."])
    answer = "It is a 30zk of 4 kZ and 1e-4 at $48 kx, for PT15M."
    assert check_text(answer, context=tokens).unread_text == {}
    held = check_text("Clusters [Fe-1].", context=Context(chunks=["Clusters [Fe-1] are so."]))
    assert held.unread_text == {}


def test_places_survive_utf16_json_and_the_removal_of_text():
    answer = "\U0001f600 The Orbit pass costs $௪௮ a month."
    result = result_of(answer)
    (at,) = result.sentences[-1].unread_text
    (moved,) = result.in_utf16().sentences[-1].unread_text
    assert (moved.start, moved.end) == (at.start + 1, at.end + 1)
    assert result.without_text().sentences[-1].unread_text == (at,)
    assert GuardrailsResult.model_validate_json(result.model_dump_json()) == result


def test_other_reasons_and_policies_keep_their_word():
    cut_off = StreamGuard(Context(chunks=CHUNKS))
    cut_off.feed("The Orbit pass costs $48 a month [web:3].")
    result = cut_off.close("upstream_error")
    assert result.status == "WARN"
    assert [one.code for one in result.reasons] == ["incomplete", "supported", "unread_text"]
    wrong = result_of("The Orbit pass costs $59 or $௪௮ a month. " + RIGHT)
    assert wrong.status == "WARN"
    assert wrong.reasons[-1].code == "unread_text"
    literal = result_of("The Orbit pass [C1] costs $௪௮ a month.", policy=Policy.preset("literal"))
    assert literal.reasons[-1].code == "unread_text"
    assert literal.unread_text == {"digits": 1}


def test_a_metric_counts_the_places_by_kind():
    metrics = Metrics()
    for answer in ("It costs $௪௮ [web:3] or ₲5.", "It costs ₲5."):
        result = result_of(answer)
        metrics.answered(Annotation(id="1", state="complete", result=result), "plain", 0.1)
    told = metrics.unread.text({})
    name = "streamguard_unread_text_total"
    assert all(
        f'{name}{{kind="{kind}"}} {count}\n' in told
        for kind, count in (("digits", 1), ("citation", 1), ("currency", 2))
    )


RANKS = {"PASS": 0, None: 1, "WARN": 1, "REFUSE": 2}
_TAMIL = str.maketrans("0123456789", "௦௧௨௩௪௫௬௭௮௯")
_KHMER = str.maketrans("0123456789", "០១២៣៤៥៦៧៨៩")
REWRITTEN = {
    "Tamil": lambda number, sign: f"{sign}{number}".translate(_TAMIL),
    "Khmer": lambda number, sign: f"{sign}{number}".translate(_KHMER),
    "magnitude": lambda number, sign: f"{sign}{number} zillion",
    "letters": lambda number, sign: f"{sign}{number}kx",
    "letters behind": lambda number, sign: f"{sign}{number} {'kx' if sign else 'kZ'}",
    "currency": lambda number, sign: f"₡{number}",
}
SENTENCES = (
    ("The Orbit pass costs {} a month.", "$"), ("Lost passes cost a fee of {}.", "$"),
    ("The Comet pass takes 4 riders and costs {} a month.", "$"),
    ("The Orbit pass is valid for {} days.", ""), ("The Comet pass takes {} riders.", ""),
    ("Lost passes are replaced within {} days for a fee of $15.", ""),
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(SENTENCES),
    st.sampled_from([48, 96, 15, 30, 7, 4]) | st.integers(2, 400),
    st.sampled_from(sorted(REWRITTEN)),
    st.booleans(),
)
def test_no_result_gets_better_by_a_value_that_is_not_read(said, number, way, alone):
    sentence, sign = said
    rest = "" if alone else f" {RIGHT}"
    read = result_of(sentence.format(f"{sign}{number}") + rest)
    other = result_of(sentence.format(REWRITTEN[way](number, sign)) + rest)
    assert other.unread_text
    assert "unread_text" in {reason.code for reason in other.reasons}
    assert other.status != "PASS"
    # A lone wrong claim is REFUSE; of one that nobody read nobody knows.
    assert RANKS[other.status] >= min(RANKS[read.status], 1 if alone else 2)


@pytest.mark.parametrize(
    "shape", ["[a", "{", "{{ref ", "<note ", "⟦1", "【1", "\ue200a", "a^", "௪ "]
)
def test_hostile_texts_take_a_bounded_number_of_places(shape):
    assert sum(result_of(shape * 1_000 + ".").unread_text.values()) <= 100 * 50
