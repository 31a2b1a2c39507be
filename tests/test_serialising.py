"""An annotation as JSON, in parts and cut to fit into a stream."""

import json

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.choices import ChoiceGuards, skipped
from streamguard.core.model.result import Annotation
from streamguard.wire import serialising
from streamguard.wire.serialising import (
    DETAILS,
    MAX_ANNOTATION_BYTES,
    PART_ITEMS,
    in_band,
    json_parts,
    size_of,
)

CONTEXT = Context(
    query="What does the Basic plan cost?",
    chunks=["The Basic plan costs $10 per month.", "Ask Dana Whitfield </script> about “Pro” 😀."],
)
SENTENCES = (
    "The Basic plan costs $10 per month. ", "The Basic plan costs $59 per month. ",
    "Ask Dana Whitfield about Pro. ", "It is “all” good <b>😀</b>. ",
)  # fmt: skip


def made(sentences, choices=1):
    """Return the annotation of an answer of so many sentences."""
    guards = ChoiceGuards(CONTEXT)
    text = "".join(SENTENCES[number % len(SENTENCES)] for number in range(sentences))
    for choice in range(choices):
        guards.feed({choice: text})
    return guards.close("a" * 32)


SOME = [made(0), made(1), made(3 * PART_ITEMS), made(PART_ITEMS, 3), skipped("b" * 32)]
LONG = made(600)


@pytest.mark.parametrize("annotation", [*SOME, LONG])
def test_the_parts_are_the_whole_json(annotation):
    parts = list(json_parts(annotation))
    assert "".join(parts) == annotation.to_json()
    assert max(map(len, parts)) < MAX_ANNOTATION_BYTES
    without = annotation.without_text()
    assert "".join(json_parts(without)) == without.to_json()
    assert "".join(json_parts(annotation, text=False)) == without.to_json()
    results = annotation.choices or filter(None, [annotation.result])
    size = sum(len(each.sentences) + len(each.findings) for each in results)
    assert size_of(annotation) == size + (size // 3 if annotation.choices else 0)


def test_reports_without_findings_go_first_then_the_words_of_evidence_then_findings():
    whole = json.loads(LONG.to_json())["result"]
    flags = [each["flag"] for each in whole["findings"]]
    told = [(each["start"], each["end"]) for each in whole["sentences"] if each["findings"]]
    parts = ["sentences", "evidence", "findings", "result"]
    kept = ("status", "reasons", "flags", "scores", "text", "banners", "total_claims")
    assert in_band(LONG, len(LONG.to_json())) == LONG.to_json()  # it just fits
    sizes, seen, most = [], [], len(LONG.to_json()) - 1
    while True:
        line = in_band(LONG, most)
        assert len(line) <= most
        assert line.isascii()
        read = json.loads(line)
        Annotation.model_validate(read)
        sizes.append(len(line))
        if read["truncated"] not in seen:
            seen.append(read["truncated"])
        left = read["result"]
        if left is None:
            break
        assert [left[name] for name in kept] == [whole[name] for name in kept]
        spans = [(each["start"], each["end"]) for each in left["sentences"]]
        if "findings" in read["truncated"]:
            assert spans == []
        else:
            assert ([each["flag"] for each in left["findings"]], spans) == (flags, told)
        if "evidence" in read["truncated"]:
            assert left["uncovered_claims"] == []
            nearest = [each["nearest"] for each in left["findings"]]
            assert all(each is None or each["value"] is None for each in nearest)
            evidence = [each["evidence"] for each in left["sentences"]]
            assert all(each is None or each["operands"] == [] for each in evidence)
        else:
            assert left["findings"] == whole["findings"]
        most = len(line) - 1
    assert seen == [parts[:count] for count in range(1, 5)]
    assert len(sizes) > 6  # findings go by halves


@pytest.mark.parametrize("detail", DETAILS)
def test_detail_says_how_much_is_asked_for(detail):
    annotation = made(8)
    read = json.loads(in_band(annotation, detail=detail))
    sentences, findings = len(annotation.result.sentences), len(annotation.result.findings)
    found = len(read["result"]["sentences"]), len(read["result"]["findings"])
    told = sum(bool(each.findings) for each in annotation.result.sentences)
    assert 0 < told < sentences
    due, left = {"full": ((sentences, findings), 0), "findings": ((told, findings), 1),
                 "verdict": ((0, 0), 3)}[detail]  # fmt: skip
    assert (found, read["truncated"]) == (due, ["sentences", "evidence", "findings"][:left])
    none = skipped("b" * 32)
    assert in_band(none, detail=detail) == none.to_json()
    bare = json.loads(in_band(none, 10, detail))
    assert (bare["state"], bare["truncated"][-1]) == ("skipped", "result")


def test_cutting_reads_a_few_times_what_fits(monkeypatch):
    count = 0
    huge = LONG.result.model_copy(update={"sentences": LONG.result.sentences * 50})
    made_of = list(json_parts(LONG.model_copy(update={"result": huge})))
    whole = serialising.ascii_line

    def counting(part):
        nonlocal count
        count += len(part)
        return whole(part)

    monkeypatch.setattr(serialising, "ascii_line", counting)
    line = in_band(LONG.model_copy(update={"result": huge}), 65_536)
    assert len(line) <= 65_536
    assert sum(map(len, made_of)) > 5_000_000
    assert count < 20 * 65_536
