"""`streamguard explain`: what was read of an answer, where it was looked up, what followed."""

import json
import re
import sys
import unicodedata

import pytest

from streamguard import Context, Policy, check_text
from streamguard.commands import explained
from streamguard.commands.explained import explained_lines
from streamguard.core.explain.explanation import RULES, Explanation, FoundPlace
from streamguard.core.explain.lookups import found_place
from streamguard.core.explain.recorder import explain_text
from streamguard.core.model.types import Nearest, Quotation, Verdict
from streamguard.core.names.reading import read_names
from streamguard.finished import explain_text as explain_with
from streamguard.verify.verifier import Verifier
from tests.kit.commands import _here, run  # noqa: F401

PLANS = """\
# Plans

| Plan | Price per month | Data |
|------|-----------------|------|
| Basic | €19 | 5 GB |
| Plus | €29 | 20 GB |

Call Olga Berg in Oslo.

# Late

You pay 1.299 € by 3 May 2024."""
DELIVERY = "Parcels weigh at most 30 kg. They arrive within 4 days."
CHUNKS = [
    {"id": "plans.md#1", "text": PLANS, "source": "plans.md"},
    {"id": "C2", "text": DELIVERY},
]
CONTEXT = Context(query="What does Basic cost?", chunks=CHUNKS)
ANSWER = (
    "The Basic plan costs €24 a month [C1]. That is €228 a year, as 12 × €19."
    " It includes 5 GB, says Olga Berg."
)


def sentence(text, context=CONTEXT, **how):
    """Return the explanation of an answer's first sentence."""
    return explain_text(text, context=context, **how).sentences[0]


def value(text, **how):
    """Return the look-up of an answer's first value."""
    return sentence(text, **how).values[0]


def shown(answer, context=CONTEXT, **how):
    return "\n".join(explained_lines(explain_text(answer, context=context, **how)))


# --- what was read, and where it was found


def test_the_result_is_that_of_a_check_to_the_last_count():
    assert explain_text(ANSWER, context=CONTEXT).result == check_text(ANSWER, context=CONTEXT)


def test_a_value_in_a_table_is_found_by_heading_row_and_column():
    [place] = value("The Plus plan has 20 GB of data.").places
    assert (place.source, place.heading, place.row, place.column) == (
        "plans.md", "Plans", "Plus", "Data",
    )  # fmt: skip
    assert place.value == "20 GB"
    assert place.around == "| Plus | 20 GB |".replace("| 20", "| €29 | 20")
    assert PLANS[place.start : place.end] == "20 GB"


def test_a_value_that_no_passage_has_says_what_stands_in_its_place():
    found = value(ANSWER)
    assert (found.found, found.standing, found.places) == ("none", "near", ())
    assert (found.instead.value, found.instead.row) == ("€19", "Basic")


def test_a_derived_amount_has_its_reckoning_and_the_places_it_starts_from():
    count, found = sentence("Two parcels weigh at most 60 kg in total.").values
    assert (count.standing, found.standing) == ("casual", "reckoned")
    assert found.reckoning == "30 kg × Two = 60 kg"
    assert [place.around for place in found.operands] == ["Parcels weigh at most 30 kg."]
    assert "it follows: 30 kg × Two = 60 kg, from C2:" in shown("Two parcels weigh 60 kg in total.")


def test_all_readings_that_were_kept_are_told_and_which_one_counts():
    found = value("Late fees are 1,299 €.")
    told = [(one.said, one.found, one.counts) for one in found.readings]
    assert told == [("1299 EUR", "same", True), ("1.299 EUR", "same", False)]
    assert "read as 1299 EUR (this one counts) or 1.299 EUR" in shown("Late fees are 1,299 €.")
    days = value("You pay by 03/05/2024.").readings
    assert [(one.said, one.found) for one in days] == [
        ("2024-03-05", "none"),
        ("2024-05-03", "same"),
    ]


def test_a_number_with_another_unit_says_so():
    found = value("Parcels weigh at most 30 lb.", context=Context(chunks=["Up to 30 kg."]))
    assert found.found == "unit"
    assert found.places[0].value == "30 kg"
    told = shown("Parcels weigh at most 30 lb.", context=Context(chunks=["Up to 30 kg."]))
    assert "a passage has the number with another unit: C1: “Up to 30 kg.”" in told


@pytest.mark.parametrize(
    ("said", "reading"),
    [
        ("It costs €29 per user per month.", "29 EUR per user per month"),
        ("It takes 4-6 weeks.", "2,419,200 to 3,628,800 s"),
        ("It is in Article 17.", "article 17"),
        ("It needs iOS 16 or newer.", "iOS 16"),
        ("There are 18,260 tickets.", "18,260 tickets"),
        ("Come at 17:00 CET.", "17:00 CET"),
        ("A share of 2.50 % is due.", "2.5 %"),
        ("The code is ABC-1234.", "abc1234"),
    ],
)
def test_a_reading_is_canonical(said, reading):
    assert value(said).readings[0].said == reading


def test_the_place_in_the_sentences_own_evidence_comes_first():
    context = Context(chunks=["Storage: 5 GB.", "The Basic plan includes 5 GB of data."])
    places = value("The Basic plan includes 5 GB of data.", context=context).places
    assert [place.chunk_id for place in places] == ["C2", "C1"]


def test_a_name_is_held_by_a_passage_the_question_the_policy_or_nobody():
    context = Context(query="Does Rita Holm know?", chunks=CHUNKS)
    policy = Policy(allowed_names=("Clearpath Assistant",))
    text = "Then Olga Berg, Rita Holm, Clearpath Assistant and Zed Quill met."
    names = explain_text(text, context=context, policy=policy).sentences[0].names
    assert [(one.text, one.held_by) for one in names] == [
        ("Olga Berg", "passage"), ("Rita Holm", "question"),
        ("Clearpath Assistant", "policy"), ("Zed Quill", None),
    ]  # fmt: skip
    assert names[0].places[0].around == "Call Olga Berg in Oslo."


def test_a_name_held_by_its_initials_has_no_place():
    context = Context(chunks=["The North Atlantic Treaty met."])
    [name] = sentence("We met the NAT.", context=context).names
    assert (name.held_by, name.places) == ("passage", ())
    assert "in parts, or by its initials" in shown("So the NAT met.", context=context)


def test_a_citation_names_the_passages_that_answer_to_it():
    tags = sentence("Parcels weigh 30 kg [C2][C9].").citations
    assert [(tag.text, tag.passages) for tag in tags] == [("[C2]", ("C2",)), ("[C9]", ())]


def test_a_table_row_of_the_answer_is_read_like_a_sentence():
    answer = "| Plan | Data |\n|---|---|\n| Basic | 5 GB |\n| Plus | 30 GB |\n"
    rows = [one for one in explain_text(answer, context=CONTEXT).sentences if one.values]
    assert [one.kind for one in rows] == ["table_row", "table_row"]
    assert rows[0].values[0].places[0].row == "Basic"
    assert rows[1].values[0].found == "none"
    assert "table row" in shown(answer)


def test_an_answer_in_german_says_what_was_compared_of_it():
    context = Context(chunks=["Der Tarif Basis kostet im Monat 19 € und hat 5 GB."])
    answer = "Der Tarif Basis kostet im Monat 24 € und hat leider nur 5 GB."
    explanation = explain_text(answer, context=context)
    [one] = explanation.sentences
    assert (one.language, [each.found for each in one.values]) == ("de", ["none", "same"])
    assert "not English (de)" in shown(answer, context=context)


def test_without_passages_values_are_read_and_nothing_is_found():
    explanation = explain_text("It costs €24. See [C1].", context=Context())
    assert explanation.passages is None
    [found] = explanation.sentences[0].values
    assert (found.found, found.standing, found.places) == ("none", None, ())
    assert explanation.sentences[1].citations[0].passages == ()
    assert "no passages given" in shown("It costs €24.", context=None)


def test_what_was_not_read_is_told_with_its_words():
    text = shown("The fee is $15 gazillion [T1].", context=CONTEXT)
    assert "unread  gazillion  looks like a magnitude" in text
    assert "unread  [T1]       looks like a citation" in text


def test_surroundings_of_odd_places():
    table = "| Plan | Price |\n|---|---|\n| Basic | €19 | 5 GB |\n|| 7 |"
    context = Context(chunks=["- - -\n\nIt opens at 9:00.", table])
    context.prepare()
    evidence = context.evidence
    assert evidence.surroundings(Nearest(None, "C9", 0, 1)) is None
    assert found_place(Nearest("x", "C9", 0, 1), evidence) == FoundPlace("C9", 0, 1, "x", "C9")

    def around(words, chunk=1):
        at = evidence.texts[chunk].index(words)
        told = evidence.surroundings(Nearest(words, f"C{chunk + 1}", at, at + len(words)))
        return told.sentence.value, told.row, told.column

    assert around("€19") == ("| Basic | €19 | 5 GB |", "Basic", "Price")
    assert around("5 GB")[1:] == ("Basic", None)  # a cell without a head
    assert around("7")[1:] == (None, "Price")  # a row without a label
    assert around("Plan")[1:] == (None, None)
    assert around("---")[1:] == (None, None)
    assert around("9:00", 0) == ("It opens at 9:00.", None, None)


@pytest.mark.parametrize(
    ("passage", "name", "places"),
    [
        ("In March Apple's Tim Cook came. Tim Cook left.", "Tim Cook", ["Tim Cook"] * 2),
        ("The Bank of Oslo closed.", "Bank of Oslo", ["Bank of Oslo"]),
        ("The KÖLN-Bonn line runs.", "Köln Bonn", ["KÖLN-Bonn"]),
        ("The Bank closed. Oslo is cold.", "Bank of Oslo", []),
        ("The bank closed.", "Zed Quill", []),
    ],
)
def test_places_of_a_name_are_those_of_its_words_in_a_row(passage, name, places):
    context = Context(chunks=[passage])
    context.prepare()
    [read] = read_names(f"We met {name} there.")
    found = context.evidence.name_places(read)
    assert [place.value for place in found] == places
    assert all(passage[place.start : place.end] == place.value for place in found)


# --- scores, words and rules


def judge(sentences, scope):
    """Say of what names €24 that the first passage's first table row contradicts it."""
    at = PLANS.index("| Basic")
    quoted = Quotation("| Basic | €19 | 5 GB |", "plans.md#1", at, at + 22)
    return [
        Verdict(word="contradicted" if "€24" in one.text else "supported", confidence=0.9,
                quotations=(quoted,), message="As I read it.")
        for one in sentences
    ]  # fmt: skip


def test_a_judges_words_and_quotations_are_told():
    reader = Verifier(judge, name="judge gpt v2")
    explanation = explain_with(ANSWER, context=CONTEXT, scorers=[reader])
    checked = check_text(ANSWER, context=CONTEXT)
    assert explanation.result.sentences[0].judged == "contradicted"
    assert explanation.result.work.checks == checked.work.checks
    text = " ".join("\n".join(explained_lines(explanation)).split())
    assert "says judge gpt v2" in text
    assert "contradicted, confidence 0.90, quotes “| Basic | €19 | 5 GB |” (plans.md#1); As" in text


@pytest.mark.parametrize("preset", ["strict", "moderate", "lenient", "calibrated", "literal"])
def test_every_preset_names_the_rule_that_the_status_follows_from(preset):
    explanation = explain_text(ANSWER, context=CONTEXT, policy=preset)
    result = check_text(ANSWER, context=CONTEXT, policy=preset)
    assert explanation.result == result
    assert [(one.rule, one.code) for one in explanation.rules] == [
        (one.rule, one.code) for one in result.reasons
    ]
    assert all(one.about == RULES[one.rule] for one in explanation.rules)
    text = "\n".join(explained_lines(explanation))
    assert text.startswith(f"{result.status}  policy {preset}, 2 passages")
    assert f"rule {result.reasons[0].rule}" in text


def test_a_claim_says_what_it_is_weighed_by():
    assert "claim, support 0." in shown(ANSWER)
    assert "claim, not supported, support 0." in shown("A monthly pass costs $48 [C1].")
    assert ", 0.50 is enough, doubt 0." in shown(ANSWER)
    assert "is enough" not in shown("Das Paket wiegt leider 40 kg und kommt nicht an.")
    literal = shown("Parcels arrive within 4 days [C2].", policy="literal")
    assert "claim, coverage 1, more than 0.40 is enough" in literal


def test_checks_that_found_nothing_are_named():
    text = " ".join(shown(ANSWER).split())
    silent = text.partition("checks that found nothing: ")[2].split(", ")
    assert "citation_mismatch" in silent
    assert "unsupported_price" not in silent


# --- on a terminal


LONG = (
    f"{ANSWER} Zażółć gęślą jaźń and 価格は 29 ユーロです for 海 {'and on ' * 60}. "
    f"{'w' * 300} costs €7.\x1b[31m Der Preis ist 5 €.\n\n- **Plus**: 20 GB [C1]\n"
)


def columns(line):
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in line)
    return len(line) + wide - sum(unicodedata.combining(char) > 0 for char in line)


@pytest.mark.parametrize("answer", [ANSWER, LONG, "", "Hi!", "I cannot say."])
def test_no_line_is_wider_than_100_columns_and_none_obeys_the_answer(answer):
    lines = list(explained_lines(explain_text(answer, context=CONTEXT)))
    assert max(map(columns, lines)) <= explained.WIDTH
    assert not any("\x1b" in line or line != line.rstrip() for line in lines)


def test_an_answer_of_three_sentences_fits_a_screen():
    assert len(shown(ANSWER).splitlines()) <= 40


def test_colours_change_no_letter():
    explanation = explain_text(ANSWER, context=CONTEXT)
    bare, coloured = explained_lines(explanation), explained_lines(explanation, colour=True)
    for plain, dressed in zip(bare, coloured, strict=True):
        assert plain in dressed
        assert dressed == plain or dressed.endswith("\x1b[0m")


# --- the command


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "plans.md").write_text(PLANS, "utf-8")
    (folder / "delivery.txt").write_text(DELIVERY, "utf-8")
    return folder


def test_the_answer_is_a_file_standard_input_or_a_text(docs, tmp_path, capsys, monkeypatch):
    (tmp_path / "answer.txt").write_text(ANSWER, "utf-8")
    from_file = run(capsys, "explain", "answer.txt", "--docs", docs)
    as_text = run(capsys, "explain", ANSWER, "--docs", docs)
    assert from_file == as_text
    status, out, err = from_file
    assert (status, err) == (0, "")
    assert out.startswith("WARN  policy moderate, 3 passages")
    assert "\x1b" not in out


def test_colours_are_for_terminals_where_nobody_minds(docs, capsys, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    _, coloured, _ = run(capsys, "explain", ANSWER, "--docs", docs)
    assert coloured.startswith("\x1b[1;33mWARN  policy moderate")
    monkeypatch.setenv("NO_COLOR", "1")
    _, bare, _ = run(capsys, "explain", ANSWER, "--docs", docs)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == bare


def test_json_is_the_document_of_the_schema(docs, capsys):
    status, out, _ = run(
        capsys, "explain", ANSWER, "--docs", docs / "plans.md", "--json", "--question", "Basic?"
    )
    document = json.loads(out)
    assert (status, document["object"], document["question"]) == (
        0,
        "streamguard.explanation",
        "Basic?",
    )
    assert document["sentences"][0]["values"][0]["instead"]["row"] == "Basic"
    assert Explanation.model_validate_json(out).to_dict() == document


def test_passages_of_a_file_count_by_their_marks(tmp_path, capsys):
    (tmp_path / "chunks.txt").write_text("[C1] Basic costs €19.\n[C2] Plus costs €29.", "utf-8")
    status, out, _ = run(
        capsys, "explain", "Plus costs €29 [C2].", "--chunks", "chunks.txt",
        "--policy", "strict", "--citations-requested",
    )  # fmt: skip
    assert (status, out[:22]) == (0, "PASS  policy strict, 2")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["answr.txt"], "ANSWER 'answr.txt' is no file, expected a file, - or an answer of more"),
        (["docs"], "ANSWER 'docs' is a folder, expected"),
        (["a b", "--docs", ""], "--docs is empty, expected a folder or a file"),
        (["a b", "--docs", "nowhere"], "folder nowhere is not there, or is no folder"),
        (["a b", "--docs", "x.csv"], "file x.csv is no .md, .txt, .html or .pdf file"),
        (["a b", "--docs", "docs", "--chunks", "x.csv"], "--docs and --chunks are both given"),
        (["a b", "--docs", "docs", "--passages", "2"], "--passages is 2, expected a number of at"),
        (["a b", "--docs", "docs", "--question", "q", "--passages", "0"], "--passages is 0"),
        (["-", "--chunks", "-"], "ANSWER and --chunks are both -"),
        (["a b", "--policy", "harsh"], "policy is 'harsh', expected one of strict, moderate"),
        (["a b", "--set", "validation_enabled=false"], "validation_enabled is false, expected"),
        (["a b", "--judge", ""], "judge"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_one_line_that_says_what_is_allowed(
    argv, message, docs, tmp_path, capsys
):
    (tmp_path / "x.csv").write_text("1", "utf-8")
    status, out, err = run(capsys, "explain", *argv)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_passages_are_those_that_a_chat_would_show_in_its_order(docs, capsys):
    status, out, _ = run(
        capsys, "explain", "Parcels arrive within 4 days [C1].", "--docs", docs,
        "--question", "When do parcels arrive?", "--passages", "1", "--json",
    )  # fmt: skip
    document = json.loads(out)
    assert (status, document["passages"]) == (0, ["delivery.txt#1"])
    assert document["sentences"][0]["citations"][0]["passages"] == ["delivery.txt#1"]
    assert document["result"]["status"] == "PASS"


def test_a_document_that_cannot_be_read_is_named_and_the_others_count(docs, capsys):
    (docs / "broken.txt").write_bytes(b"\xff\xfe\xff")
    status, out, err = run(capsys, "explain", ANSWER, "--docs", docs)
    assert (status, "broken.txt: not read:" in err) == (0, True)
    assert "3 passages" in out


def test_a_folder_without_a_word_is_an_error(docs, capsys):
    for each in docs.iterdir():
        each.write_text(" ", "utf-8")
    status, _, err = run(capsys, "explain", ANSWER, "--docs", docs)
    assert status == 2
    assert err.endswith("holds no document that can be read\n")
