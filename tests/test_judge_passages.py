"""What of the passages a judge is shown where not all of them have room."""

import json

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.verify import judge_passages
from streamguard.verify.judge_answer import verdicts_in
from streamguard.verify.judge_prompt import document

FILLER = "The weather was fine and nobody asked for anything that day. " * 10
LONG = f"{FILLER}\nRefunds take 14 days, unless a seat was added.\n{FILLER}"
CHUNKS = [FILLER, LONG, FILLER, "Joan Miller set it up.\n" + FILLER]


def claims(answer):
    guard = StreamGuard(Context(query="How long?", chunks=CHUNKS))
    guard.feed(answer)
    guard.close()
    return [claim.sentence for claim in guard.claims()]


def shown(answer, monkeypatch, chars, part_chars):
    monkeypatch.setattr(judge_passages, "MAX_PASSAGE_CHARS", chars)
    monkeypatch.setattr(judge_passages, "PART_CHARS", part_chars)
    read = claims(answer)
    return read, json.loads(document(read, read[0].scope))["passages"]


def test_all_passages_are_shown_where_they_have_room():
    read = claims("Refunds take 15 days.")
    parts, is_partial = judge_passages.parts_for(read, read[0].scope)
    assert [(part.name, part.text) for part in parts] == [
        (f"P{n}", text) for n, text in enumerate(CHUNKS, 1)
    ]
    assert not is_partial


def test_without_room_the_nearest_part_is_shown_first_then_what_is_cited(monkeypatch):
    _, passages = shown("Refunds take 15 days.", monkeypatch, 320, 300)
    assert len(passages) == 1
    assert "Refunds take 14 days" in passages[0]["text"]
    _, passages = shown("Refunds take 15 days [C4].", monkeypatch, 650, 300)
    assert {one["id"][:2] for one in passages} == {"P2", "P4"}
    assert "Refunds take 14 days" in passages[0]["text"]
    _, passages = shown("Refunds take 15 days.", monkeypatch, 650, 300)
    assert next(one["id"] for one in passages) == "P1.1"  # in their order


def test_a_quotation_from_a_part_has_its_place_in_the_passage(monkeypatch):
    read, _ = shown("Refunds take 15 days.", monkeypatch, 320, 300)
    entry = {
        "id": "S1", "verdict": "contradicted", "confidence": 0.9,
        "quotes": ["Refunds take 14 days"],
    }  # fmt: skip
    (verdict,) = verdicts_in(json.dumps({"verdicts": [entry]}), read, read[0].scope)
    (place,) = verdict.quotations
    assert (place.chunk_id, LONG[place.start : place.end]) == ("C2", "Refunds take 14 days")
    hidden = {**entry, "quotes": ["Joan Miller set it up"]}
    (verdict,) = verdicts_in(json.dumps({"verdicts": [hidden]}), read, read[0].scope)
    assert verdict.word is None
