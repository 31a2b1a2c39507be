"""Recorded verdicts of a language model, replayed through the judge's adapter."""

import json

import anyio
import pytest
from recorded_judge import RecordedJudge
from scores import judged
from scores.answers import Judged

from streamguard import Context, check_text

CHUNKS = [
    {"id": "C1", "text": "The Harbour plan costs £140 a month. It covers 12 boats."},
    {"id": "C2", "text": "Dogs are not allowed on the quay."},
]
RIGHT = "The Harbour plan costs £140 a month. Dogs are not allowed on the quay."
WRONG = "The Harbour plan costs £140 a month. Dogs may run about on the quay."


def entry(name, verdict, passage, quote):
    return {
        "id": name, "verdict": verdict, "confidence": 0.95, "passage": passage, "quote": quote,
    }  # fmt: skip


def recorded(answer, verdict):
    first, second = answer.split(". ")
    content = [
        entry("S1", "supported", "P1", "The Harbour plan costs £140 a month."),
        entry("S2", verdict, "P2", "Dogs are not allowed on the quay."),
    ]
    return {
        "answer_id": f"t-{verdict}",
        "sentences": [{"id": "S1", "text": f"{first}."}, {"id": "S2", "text": second}],
        "content": json.dumps({"verdicts": content}),
    }


def row(answer, label, verdict, twin):
    return {
        "id": f"t-{verdict}", "context": "t", "fold": 0, "label": label, "answer": answer,
        "question": "What about dogs?", "chunks": CHUNKS, "twin": f"t-{twin}",
        "error_span": None if label == "faithful" else (37, 68),
    }  # fmt: skip


ROWS = [
    row(RIGHT, "faithful", "supported", "contradicted"),
    row(WRONG, "error", "contradicted", "supported"),
]
RECORDED = [recorded(RIGHT, "supported"), recorded(WRONG, "contradicted")]


def replies(passages, sentences):
    judge = RecordedJudge(RECORDED[1], [chunk["text"] for chunk in CHUNKS])
    asked = {
        "passages": [{"id": f"P{n}", "text": text} for n, text in enumerate(passages, 1)],
        "sentences": [{"id": f"S{n}", "text": text} for n, text in enumerate(sentences, 1)],
    }
    body = {"messages": [{"role": "system"}, {"role": "user", "content": json.dumps(asked)}]}
    status, said = anyio.run(judge.post, body)
    assert status == 200
    verdicts = json.loads(json.loads(said)["choices"][0]["message"]["content"])["verdicts"]
    return verdicts, judge.unknown


def test_verdicts_take_the_ids_of_the_request():
    texts = [chunk["text"] for chunk in CHUNKS]
    verdicts, unknown = replies(texts[::-1], ["Dogs may run\nabout on the quay."])
    assert verdicts == [entry("S1", "contradicted", "P1", "Dogs are not allowed on the quay.")]
    assert unknown == []


def test_a_sentence_that_was_not_recorded_has_no_verdict_and_is_told():
    verdicts, unknown = replies([CHUNKS[0]["text"]], ["Cats may.", WRONG.split(". ")[1]])
    assert verdicts == [entry("S2", "contradicted", None, "Dogs are not allowed on the quay.")]
    assert unknown == ["Cats may."]


def test_the_adapter_hears_the_recorded_words():
    heard, unknown = judged.hear(ROWS[1], RECORDED[1])
    assert unknown == 0
    supports = [one.opinions[0].support for one in heard.result.sentences]
    assert supports[0] == pytest.approx(0.95)
    assert supports[1] == pytest.approx(0.025)


def test_the_figures_are_of_the_answers_that_were_recorded():
    other = {**ROWS[0], "id": "t-another", "fold": 3}
    rows = dict(judged.measure([*ROWS, other], RECORDED))
    assert rows["the judge's own word: answer AUROC"] == "1.000 [1.00, 1.00]"
    assert rows["sentences that were asked about and not recorded"] == "0"
    assert rows["fast verdict: right answers not PASS"] == "0.000 [0.00, 0.00]"


def test_right_answers_that_the_judge_clears_are_counted():
    context = Context(chunks=["A tour costs £7."])
    passed, flagged = (
        check_text(f"A tour costs {price}.", context=context) for price in ("£7", "£9")
    )
    fast = [Judged(one, flagged) for one in ROWS]
    heard = [Judged(ROWS[0], passed), Judged(ROWS[1], flagged)]
    rows = dict(judged.figures(fast, heard, 2))
    assert rows["fast verdict: right answers not PASS"] == "1.000 [1.00, 1.00]"
    assert rows["with the judge: right answers not PASS"] == "0.000 [0.00, 0.00]"
    assert rows["right answers flagged by the fast verdict: PASS with the judge"] == "1.000 of 1"
    assert rows["sentences that were asked about and not recorded"] == "2"
