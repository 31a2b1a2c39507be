"""Made-up conflicts and derivations: seeded, held-back parts apart, right ones right."""

import importlib
import sys
from collections import Counter
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def made_up():
    sys.path.insert(0, str(BENCHMARKS))
    names = ("cases", "conflicts", "conflicts_held_back", "derivations", "derivations_held_back")
    yield {name: importlib.import_module(f"made_up.{name}") for name in names}
    sys.path.remove(str(BENCHMARKS))


ROWS = [
    {
        "question": "How long does it keep?",
        "chunks": [
            f"Sort {n} of the cheese can be kept for 4 weeks in Lower Marsh and Upper Holm."
        ],
        "answer": f"Sort {n} of the cheese can be kept for 4 weeks in Lower Marsh.",
        "hallucinated": False,
    }
    for n in range(40)
]


@pytest.mark.parametrize("part", ["conflicts", "conflicts_held_back"])
def test_conflicts_come_in_the_same_order_each_time(made_up, part):
    assert list(made_up[part].cases(ROWS)) == list(made_up[part].cases(ROWS))


@pytest.mark.parametrize("part", ["conflicts", "conflicts_held_back"])
def test_a_conflict_differs_from_its_twin_inside_its_span(made_up, part):
    for case in made_up[part].cases(ROWS):
        assert case.clean != case.answer
        assert 0 <= case.start < case.end <= len(case.answer)
        assert case.clean.startswith(case.answer[: case.start])
        assert case.clean.endswith(case.answer[case.end :])


def test_every_kind_of_conflict_has_a_dozen_forms_and_some_held_back(made_up):
    for part, least in (("conflicts", 12), ("conflicts_held_back", 6)):
        forms = {(case.kind, case.form) for case in made_up[part].cases()}
        counts = Counter(kind for kind, _ in forms)
        assert set(counts) == set(made_up["cases"].KINDS)
        assert min(counts.values()) >= least, (part, counts)


def test_no_passage_or_form_is_in_both_parts(made_up):
    one, other = (list(made_up[part].cases(ROWS)) for part in ("conflicts", "conflicts_held_back"))
    exchanges = {"exchanged in one sentence", "another of the passages"}
    assert {case.form for case in one} & {case.form for case in other} <= exchanges
    assert not {case.chunks for case in one} & {case.chunks for case in other}
    assert {case.made_from for case in one} == {case.made_from for case in other}


def test_a_line_that_is_none_is_named(made_up, tmp_path):
    templates = importlib.import_module("made_up.templates")
    (tmp_path / "cases.txt").write_text("[negation one]\n\n? what\n")
    with pytest.raises(ValueError, match=r"cases.txt, line 3: '\? what'"):
        templates.read(tmp_path / "cases.txt")


@pytest.mark.parametrize("part", ["derivations", "derivations_held_back"])
def test_there_are_as_many_wrong_derivations_as_right_ones(made_up, part):
    found = list(made_up[part].derivations())
    assert found == list(made_up[part].derivations())
    assert Counter(case.is_right for case in found) == {True: 150, False: 150}
    for case in found:
        value = case.answer[case.start : case.end]
        assert value
        assert not any(f" {value} " in chunk for chunk in case.chunks), case


def test_everyday_cases_say_where_their_error_lies(made_up):
    bench = importlib.import_module("bench_everyday")
    cases = [*bench.read(bench.CASES), *bench.read(bench.HELD_BACK)]
    for case in cases:
        assert (case["kind"] == "clean") == (case["wrong"] is None), case
        assert case["wrong"] is None or case["answer"].count(case["wrong"]) == 1, case
    assert len({(case["question"], case["answer"]) for case in cases}) == len(cases)


def test_an_everyday_case_counts_as_found_where_its_sentence_is_warned_of(made_up):
    bench = importlib.import_module("bench_everyday")
    case = {"question": "How much?", "chunks": ["Pro costs $49. It has 5 seats."], "kind": "price"}
    found, missed = (
        bench.Judged(each, bench.judge(each))
        for each in (
            {**case, "answer": "Pro costs $94. It has 5 seats.", "wrong": "$94"},
            {**case, "answer": "Pro costs $49. It has 5 seats.", "wrong": "$49"},
        )
    )
    assert (found.warns, found.points_at_it, found.found) == (True, True, True)
    assert (missed.warns, missed.points_at_it, missed.found) == (False, False, False)


def test_what_is_no_case_is_refused_with_its_line(made_up, tmp_path):
    bench = importlib.import_module("bench_everyday")
    path = tmp_path / "cases.jsonl"
    path.write_text('{"question": "How much?"}\n')
    with pytest.raises(SystemExit, match="line 1 lacks answer, chunks, domain, kind, wrong"):
        bench.read(path)
    with pytest.raises(SystemExit, match="is missing"):
        bench.read(tmp_path / "nothing.jsonl")
