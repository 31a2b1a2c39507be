"""What is read of a judge's answer, in whatever form its server wrote it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.types import Verdict
from streamguard.core.sentence import Sentence
from streamguard.errors import DecodeError
from streamguard.verify import judge_passages, judge_prompt
from streamguard.verify.judge_answer import UNSAID, entries_in, verdicts_in

BASIC = "The Basic plan costs $10 per month, billed in advance."
REFUNDS = "Refunds take 14 days, unless a seat was added."
CHUNKS = [{"id": "plans", "text": BASIC}, {"id": "money", "text": REFUNDS}]
ANSWER = (
    "The Basic plan costs $12 per month [C1]. Refunds take 14 days [C1]. Joan Miller set it up."
)
RECORDED = Path(__file__).parent / "data" / "judge_version_1.jsonl"


def settled(answer=ANSWER, chunks=CHUNKS, query="What does Basic cost?"):
    guard = StreamGuard(Context(query=query, chunks=chunks))
    guard.feed(answer)
    guard.close()
    return [claim.sentence for claim in guard.claims()]


def entry(number, verdict, sure=0.9, quotes=("The Basic plan costs $10 per month",), **more):
    return {"id": f"S{number}", "verdict": verdict, "confidence": sure, "quotes": quotes} | more


def read(content, answer=ANSWER, chunks=CHUNKS):
    sentences = settled(answer, chunks)
    text = content if isinstance(content, str) else json.dumps({"verdicts": content})
    return verdicts_in(text, sentences, sentences[0].scope)


def test_a_verdict_has_its_word_and_the_places_of_its_quotations():
    first, second, third = read([
        entry(1, "contradicted", 0.96, ["costs $10 per month"]),
        entry(2, "supported", 0.8, ["Refunds take 14 days", "unless a seat was added"]),
        entry(3, "not_mentioned", 0.7, []),
    ])  # fmt: skip
    assert (first.word, first.confidence, first.contradiction) == ("contradicted", 0.96, 0.96)
    (place,) = first.quotations
    assert (place.chunk_id, BASIC[place.start : place.end]) == ("plans", "costs $10 per month")
    assert [one.value for one in second.quotations] == [
        "Refunds take 14 days", "unless a seat was added",
    ]  # fmt: skip
    assert second.message == "Passage 2 says: “Refunds take 14 days”, “unless a seat was added”"
    assert (third.word, third.confidence, third.quotations) == ("not_mentioned", 0.7, ())


WHOLE = json.dumps({"verdicts": [entry(1, "contradicted"), entry(3, "not_mentioned")]})
FORMS = [
    WHOLE,
    f"```json\n{WHOLE}\n```",
    f"Here is my comparison {{as asked}}:\n\n```\n{WHOLE}\n```\nAsk me for more.",
    f"<think>S1: {{the price}} differs. {WHOLE[:40]}</think>\n{WHOLE}",
    f"the price differs, I say supported</think>{WHOLE}",
    WHOLE[:-2],
    WHOLE[:-2] + ', {"id": "S2", "verdict": "supp',
    WHOLE.replace('"verdicts"', '"results"'),
    json.dumps(json.loads(WHOLE)["verdicts"]),
    json.dumps({"S1": entry(1, "contradicted"), "S3": entry(3, "not_mentioned")}),
    "\n".join(json.dumps(one) for one in json.loads(WHOLE)["verdicts"]),
    WHOLE.replace('"S1"', "1").replace('"S3"', '"sentence 3"'),
    WHOLE.replace("not_mentioned", "Not mentioned"),
]


@pytest.mark.parametrize("content", FORMS)
def test_an_answer_is_read_in_every_form(content):
    assert [one.word for one in read(content)] == ["contradicted", None, "not_mentioned"]


def test_entries_with_other_ids_count_in_their_order_where_there_is_one_for_each():
    renamed = [
        entry(1, "contradicted", id="first"),
        entry(2, "supported", id=None, quotes=["Refunds take 14 days"]),
        entry(3, "not_mentioned", id=True),
    ]
    assert [one.word for one in read(renamed)] == ["contradicted", "supported", "not_mentioned"]


@pytest.mark.parametrize(("content", "error"), [
    ("Sure! All is well.", "no JSON of the form asked for"),
    ('{"verdicts": 5}', "no JSON of the form asked for"),
    ('[{"id": "S1"}] {"a": [], "b": []} [1]', "no JSON of the form asked for"),
    ("<think>" + WHOLE, "no JSON of the form asked for"),
    ("<think>" * 100_000, "no JSON of the form asked for"),
    ("<think>" + WHOLE + "</think>", "no JSON of the form asked for"),
    ("[" * 100_000, "no JSON of the form asked for"),
    (json.dumps({"verdicts": [entry(9, "supported")] * 2}), "other sentences than S1 to S3"),
])  # fmt: skip
def test_what_cannot_be_read_is_an_error(content, error):
    with pytest.raises(DecodeError, match=error):
        read(content)


def test_a_judge_may_say_nothing():
    assert entries_in('{"verdicts": []}') == []
    assert read('{"verdicts": []}') == [Verdict()] * 3


@pytest.mark.parametrize(("given", "confidence"), [
    (0.96, 0.96), (1, 1.0), (96, 0.96), ("96 %", 0.96), ("0.96", 0.96), ("1%", 0.01),
    ("0,96", 0.96), ("High", 0.9), ("rather", UNSAID), (None, UNSAID), (True, UNSAID),
    (7, UNSAID), (-1, UNSAID), (float("nan"), UNSAID), ([], UNSAID),
])  # fmt: skip
def test_a_confidence_is_read_as_a_share_a_percentage_or_a_word(given, confidence):
    assert read([entry(3, "not_mentioned", given)])[2].confidence == pytest.approx(confidence)


UNBELIEVED = [
    ([entry(1, "contradicted", quotes=["The Basic plan costs $11"])], "that no passage holds"),
    ([entry(1, "contradicted", quotes=[])], "quotes nothing"),
    ([entry(1, "supported", quotes=None)], "quotes nothing"),
    ([entry(1, "supported", quotes=[5, " "])], "quotes nothing"),
    ([entry(1, "supported", quotes=["days"])], "about something else"),
    ([entry(1, "supported"), entry(1, "contradicted")], "two verdicts"),
    ([entry(1, "right")], "a verdict that is none"),
    ([entry(1, "miscited", quotes=["costs $10 per month"])], "what it says is not cited"),
]


@pytest.mark.parametrize(("entries", "why"), UNBELIEVED)
def test_a_judge_that_is_not_believed_says_nothing_of_the_sentence(entries, why):
    verdict = read(entries)[0]
    assert why in verdict.message
    assert verdict == Verdict(message=verdict.message)


def test_of_several_quotations_those_count_that_stand():
    quotes = [
        "costs $10 per month",
        "costs $12",
        "costs $10 per month",
        {"quote": "The Basic plan"},
    ]
    (verdict, *_) = read([entry(1, "contradicted", quotes=quotes)])
    assert [one.value for one in verdict.quotations] == ["costs $10 per month", "The Basic plan"]


def test_a_wrong_citation_is_told():
    claims = settled()
    shown = json.loads(judge_prompt.document(claims, claims[0].scope))["sentences"]
    assert [one.get("cites") for one in shown] == [["P1"], ["P1"], None]
    (_, verdict, other) = read([
        entry(2, "miscited", quotes=["Refunds take 14 days"]),
        entry(3, "miscited", quotes=["Refunds take 14 days"]),
    ])  # fmt: skip
    assert (verdict.word, verdict.quotations[0].chunk_id) == ("not_mentioned", "money")
    said = "The passage it cites does not say this. Passage 2 says: “Refunds take 14 days”"
    assert verdict.message == said
    assert other.word is None


def test_without_room_for_all_passages_nothing_is_missing(monkeypatch):
    monkeypatch.setattr(judge_passages, "MAX_PASSAGE_CHARS", 60)
    verdict = read([entry(3, "not_mentioned")])[2]
    assert verdict == Verdict(message="Passages that the judge was not shown may say it.")


def recorded():
    with RECORDED.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("row", recorded(), ids=lambda row: row["id"])
def test_answers_to_the_first_version_of_the_prompt_are_read_as_before(row):
    """The sentences are those of the recording: how answers are cut may change."""
    said = {one["id"]: one for one in json.loads(row["content"])["verdicts"]}
    texts = {one["id"]: one["text"] for one in row["chunks"]}
    (first, *_) = settled(row["answer"], row["chunks"], row["question"])
    earlier: list[Sentence] = []
    for number, shown in enumerate(row["sentences"]):
        scope = replace(first.scope, earlier=tuple(earlier))
        sentence = replace(first, index=number, text=shown["text"], scope=scope)
        earlier.append(sentence)
        entries = [{**said[shown["id"]], "id": "S1"}]
        (verdict,) = verdicts_in(json.dumps({"verdicts": entries}), [sentence], scope)
        assert verdict.word == entries[0]["verdict"]
        for place in verdict.quotations:
            assert texts[place.chunk_id][place.start : place.end] == place.value
        assert bool(verdict.quotations) == (verdict.word != "not_mentioned")
