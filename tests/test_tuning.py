import gzip
import json
from argparse import ArgumentParser
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.commands import tune_gate
from streamguard.core.model.policy import LEVELS, MAX_THRESHOLD, Policy
from streamguard.errors import ConfigError, DecodeError
from streamguard.rag.folder import FolderStore
from streamguard.rag.tuning import Pair, candidates, pairs_of_passages, suggested


def pairs(relevant, others):
    return [Pair(figure, True) for figure in relevant] + [Pair(figure, False) for figure in others]


figures = st.floats(0.0, 1.0)


@given(
    st.lists(figures, min_size=30, max_size=40),
    st.lists(figures, min_size=100, max_size=110),
    st.sampled_from(sorted(LEVELS)),
)
def test_from_strict_to_lenient_nothing_that_passed_is_lost(relevant, others, metric):
    found = candidates(pairs(relevant, others), metric)
    assert len(found) == round(MAX_THRESHOLD[metric] / 0.01) + 1
    recalls = [candidate.recall for candidate in found]
    assert recalls == sorted(recalls)
    chosen = suggested(found)
    strict, moderate, lenient = (chosen[gate] for gate in ("strict", "moderate", "lenient"))
    assert strict.recall <= moderate.recall <= lenient.recall
    levels = tuple(candidate.threshold for candidate in chosen.values())
    assert Policy.load({"metric": metric, "confidence_levels": levels})


def test_passages_of_other_questions_are_the_rest():
    passages = [[f"own {question} {number}" for number in range(3)] for question in range(40)]
    found = list(pairs_of_passages(passages, lambda q, p: float(p // 3 != q)))
    assert sum(pair.relevant for pair in found) == 120
    assert sum(not pair.relevant for pair in found) > 700
    assert all(pair.relevant == (pair.figure == 0.0) for pair in found)
    # A passage that serves two questions is no other of either.
    found = list(pairs_of_passages([["same", "a"], ["same", "b"]], lambda q, p: 0.5))
    assert sum(not pair.relevant for pair in found) == 2


def run(*arguments):
    parser = ArgumentParser()
    tune_gate.add_arguments(parser)
    return tune_gate.run(parser.parse_args([str(argument) for argument in arguments]))


def subject(number):
    return f"subject{chr(97 + number // 26)}{chr(97 + number % 26)}"


@pytest.fixture
def own_passages(tmp_path):
    path = tmp_path / "answers.jsonl.gz"
    names = [subject(number) for number in range(40)]
    lines = [
        {"question": f"What is {name}?", "chunks": [f"It is {name}.", f"Once more {name} here."]}
        for name in names
    ]
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in [*lines, *lines])
    return path


@pytest.mark.parametrize(("embedding", "metric"), [("words", "similarity"), ("lexical", "cosine")])
def test_questions_with_passages_of_their_own_need_no_store(
    own_passages, capsys, embedding, metric
):
    assert run(own_passages, "--embedding", embedding) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"metric {metric}: 80 relevant pairs, ")
    assert f'metric = "{metric}"\nconfidence_levels = [' in out
    assert run(own_passages, "--embedding", embedding, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["relevant"] == 80
    assert set(found["suggested"]) == {"strict", "moderate", "lenient"}


def test_labelled_questions_are_asked_of_the_store(tmp_path, capsys):
    index, path = tmp_path / "index.sqlite", tmp_path / "questions.jsonl"
    lines = []
    with closing(FolderStore(index, create=True)) as store:
        for number in range(40):
            texts = [f"{subject(number)} is common.", "A common thing."]
            store.replace("documents", f"{number}.md", "", texts)
            asked = {"question": f"Is {subject(number)} common?", "relevant": [f"{number}.md#1"]}
            lines.append(json.dumps(asked))
    path.write_text("\n".join(lines))
    assert run(path, "--store", index) == 0
    out = capsys.readouterr().out
    assert out.startswith("metric similarity: 40 relevant pairs, 760 others")
    assert "strict: similarity_threshold" in out
    path.write_text(json.dumps({"question": f"Is {subject(0)} common?", "relevant": ["docs/0.md"]}))
    message = "relevant names no passage that was found: it has 'docs/0.md', the store '"
    with pytest.raises(ConfigError, match=message):
        run(path, "--store", index)


def test_a_wrong_file_is_refused_with_what_was_expected(own_passages, tmp_path):
    path = tmp_path / "questions.jsonl"
    mixed = '{"question": "x", "chunks": ["a"]}\n{"question": "y", "relevant": []}'
    for lines, message in (
        ("", "holds no questions"),
        ("{", "line 1 is not JSON"),
        ("[]", 'line 1: expected a "question" with either "relevant" or "chunks"'),
        ('{"question": "x"}', "line 1: expected"),
        ('{"question": "x", "chunks": [1]}', "line 1: expected"),
        ('{"question": "x", "chunks": [], "relevant": []}', "line 1: expected"),
        (mixed, "mixes labelled questions and questions with chunks"),
        ('{"question": "x", "chunks": ["a"]}', "1 relevant and 0 other pairs"),
        ('{"question": "x", "relevant": ["a"]}', "--store is missing"),
    ):
        path.write_text(lines)
        with pytest.raises((ConfigError, DecodeError), match=message):
            run(path)
    with pytest.raises(ConfigError, match="embedding is own, which only a store has"):
        run(own_passages, "--embedding", "own")
