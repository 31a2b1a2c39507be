"""Scripted answers of the handbooks: the recorded judge, and how files are cited."""

import json
import re

from benchmarks.bench_page_answers import HANDBOOKS, marked, recorded_judge
from streamguard import Context, RetrievedChunk, check_text

NEWCOMERS = sorted((HANDBOOKS / "newcomers").iterdir())


def read(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_every_answer_is_judged_and_every_quotation_stands_in_its_handbook():
    assert len(NEWCOMERS) == 2
    for handbook in NEWCOMERS:
        texts = "\n".join(file.read_text("utf-8") for file in (handbook / "documents").iterdir())
        answers, judged = read(handbook / "answers.jsonl"), read(handbook / "judged.jsonl")
        for answer, verdicts in zip(answers, judged, strict=True):
            assert verdicts["question"] == answer["question"]
            said = re.sub(r" ?\{[\w.-]+\}", "", answer["answer"])
            for one in verdicts["sentences"]:
                assert one["text"] in said
                assert bool(one["quotes"]) == (one["verdict"] != "not_mentioned")
                assert [quote for quote in one["quotes"] if quote not in texts] == []


def test_the_judge_speaks_only_of_passages_that_hold_what_it_quoted():
    (answer,) = [
        one for one in read(NEWCOMERS[0] / "answers.jsonl") if "Pipit cost" in one["question"]
    ]
    documents = NEWCOMERS[0] / "documents"
    for name, word in (("day-boats.md", "contradicted"), ("breakdowns.md", "not_mentioned")):
        context = Context(query=answer["question"], chunks=[(documents / name).read_text("utf-8")])
        judge = recorded_judge(NEWCOMERS[0])
        result = check_text(answer["answer"], context=context, verifiers=[judge])
        assert [one.word for one in result.sentences[0].opinions] == [word]


def test_a_file_that_an_answer_cites_is_cited_as_a_whole():
    passages = [
        RetrievedChunk("Kayaks cost £20.", id="a#1", source="a.md"),
        RetrievedChunk("Canoes cost £30.", id="a#2", source="a.md"),
        RetrievedChunk("Rafts cost £40.", id="b#1", source="b.md"),
    ]
    for answer, said, status in (
        ("Canoes cost £30. {a.md}", "Canoes cost £30. (Source: a.md)", "PASS"),
        ("Rafts cost £40. {a.md}", "Rafts cost £40. (Source: a.md)", "WARN"),
        ("Rafts cost £40. {c.md}", "Rafts cost £40.", "PASS"),  # not among the passages
    ):
        assert marked(answer, passages) == said
        assert check_text(said, context=Context(chunks=passages)).status == status
