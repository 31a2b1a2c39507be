import math
import pickle
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.index import blocks
from streamguard.core.index.content import MAX_SENTENCES, cut_blocks
from streamguard.core.index.evidence import BLOCK_CHARS, SLICE_CHARS, Evidence
from streamguard.core.model.types import Retrieval, RetrievedChunk
from streamguard.core.names.reading import read_names
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.values import anchors_in, read_anchors
from tests.kit.answers import PLANS


def index(*texts):
    evidence = Evidence(tuple(RetrievedChunk(text) for text in texts))
    evidence.build()
    return evidence


@pytest.mark.parametrize("lengths", [(1_000, 20_000), (60_000, 120_000)])  # packed from 40,000 on
def test_a_longer_text_is_expected_to_hold_more_before_it_is_indexed(lengths):
    texts = ["Fern and oak. " * (length // 14) for length in lengths]
    short, long = (Evidence((RetrievedChunk(text),)).held_bytes for text in texts)
    assert len(texts[0]) < short < long


def test_places_are_code_points_of_the_original_chunk():
    text = "Ｐｒｉｃｅ：\u00ad\u200b 😀 only $49 a month at Jane Miller’s shop."
    evidence = index(text)
    (anchor,) = read_anchors("$49 a year")
    place = evidence.anchor_place(evidence.find_anchor(anchor))
    assert text[place.start : place.end] == place.value
    assert place.value.startswith("$49")
    (name,) = read_names("with Sue Miller")
    found = evidence.name_place(evidence.find_name(name))
    assert text[found.start : found.end] == found.value == "Miller"
    evidence = index("Nothing of value.")
    (anchor,) = read_anchors("$59")
    assert evidence.anchor_place(evidence.find_anchor(anchor)) is None
    (name,) = read_names("with Jane Miller")
    assert evidence.name_place(evidence.find_name(name)) is None


def test_chunks_answer_to_their_id_and_their_number():
    evidence = Evidence(PLANS)
    assert evidence.labels == ("plans.md#basic", "plans.md#pro", "C3")
    for number, labels in {
        1: ("plans.md#pro", "C2"),
        2: ("c3", "C3", "3", "[C3]", "[3]"),
        None: ("C0", "C4", "C", "Cx", "", "pro"),
    }.items():
        assert {evidence.chunk_number(label) for label in labels} == {number}
    twice = Evidence((RetrievedChunk("a", id="x"), RetrievedChunk("b", id="x")))
    assert [twice.chunk_number(label) for label in ("x", "C2")] == [0, 1]
    assert twice.labels == ("x", "x.2")
    assert Evidence([RetrievedChunk("a", id=name) for name in ("x.2", "x", "x", "x.2")]).labels == (
        "x.2", "x", "x.3", "x.2.4"
    )  # fmt: skip
    assert [twice.chunk_numbers(label) for label in ("X", "x", "[x]", "C2", "y")] == [
        (), (0, 1), (0, 1), (1,), ()
    ]  # fmt: skip
    # A number is no place where chunks bear numbers.
    read = Context(prompt_context="[C1]\n\n[C2] Two.\n[C3] Three.").evidence
    assert [read.chunk_number(label) for label in ("C1", "C2", "3")] == [None, 0, 1]


@given(st.text(alphabet="ab. \n", max_size=12), st.integers(1, 800))
def test_blocks_cover_a_chunk_without_overlap(word, times):
    text = word * times
    blocks = list(cut_blocks(text, BLOCK_CHARS))
    assert all(0 < end - start <= BLOCK_CHARS for start, end in blocks)
    covered = "".join(text[start:end] for start, end in blocks)
    assert "".join(covered.split()) == "".join(text.split())
    assert blocks == sorted(blocks)


def test_a_text_without_a_space_is_cut_where_a_block_is_full():
    ends = [end - start for start, end in cut_blocks("x" * (BLOCK_CHARS + 1), BLOCK_CHARS)]
    assert ends == [BLOCK_CHARS, 1]


def test_a_long_chunk_is_indexed_in_slices_with_true_offsets():
    text = "Filler words stand here in a row. " * 200 + "The Basic plan costs $49."
    evidence = Evidence((RetrievedChunk(text),))
    slices = 1
    while not evidence.build_slice():
        slices += 1
    assert slices > len(text) / SLICE_CHARS
    (anchor,) = read_anchors("$49")
    place = evidence.anchor_place(evidence.find_anchor(anchor))
    assert text[place.start : place.end] == "$49"
    assert evidence.find_anchor(anchor, {0}).relation == "same"
    assert evidence.find_anchor(anchor, set()).relation == "none"
    assert evidence.build_slice()


def test_a_reader_that_fails_costs_its_block_and_is_told(monkeypatch):
    def broken(text):
        if "poison" in text:
            raise KeyError("poison")
        return anchors_in(text)

    monkeypatch.setattr(blocks, "anchors_in", broken)
    context = Context(chunks=["poison $49", "It costs $59 a month."])
    result = check_text("It costs $59 a month.", context=context)
    assert result.errors == ("evidence: KeyError ('poison')",)
    assert (result.status, result.flags) == ("WARN", ("check_error",))
    again = check_text("It costs $59 a month.", context=context)
    assert again == result


def test_context_takes_chunks_from_where_they_are_given():
    gate = Retrieval(chunks=(RetrievedChunk("gate"),))
    assert [chunk.text for chunk in Context(chunks=["a", RetrievedChunk("b")]).chunks] == ["a", "b"]
    assert Context(retrieval=gate).chunks[0].text == "gate"
    assert Context(chunks=["a"], retrieval=gate).chunks[0].text == "a"
    assert Context(prompt_context="[C1] One.\n[C2] Two.").chunks[1].id == "C2"
    assert Context().chunks is None
    assert Context().evidence is None
    Context().prepare()


def test_windows_bigrams_and_nearness_do_not_end_with_a_block():
    filler = "Filler words stand here in a row. " * 43
    text = f"{filler}Some more. Alpha meets beta. Gamma meets delta. {filler}"
    evidence = index(text)
    best = evidence.coverage(("alpha", "beta", "gamma", "delta"))
    assert best.share == 1.0
    assert text[best.start : best.end] == "Alpha meets beta. Gamma meets delta."
    assert evidence.tokens.held_pairs(("beta", "gamma")) == [True]
    assert evidence.keys.near("alpha", "delta", 20)
    cuts = [start for start, _ in cut_blocks(text, BLOCK_CHARS)]
    assert any(text.startswith("Gamma", start) for start in cuts), cuts


def test_the_window_of_frequent_keys_is_the_first_that_holds_most_of_them():
    rng = random.Random(3)
    words = ["alpha", "beta", "gamma", "delta", "omega", "kappa"]
    for _ in range(5):
        said = [rng.sample(words, rng.randint(1, 3)) for _ in range(MAX_SENTENCES * 4)]
        rare = rng.randrange(MAX_SENTENCES * 2, len(said))
        said[rare].append("zebra")
        evidence = index(" ".join(f"The {' '.join(each)}." for each in said))
        keys = ["zebra", *words]
        best = evidence.keys.best_window(keys, evidence.keys.of(keys), None)
        df = {key: sum(key in each for each in said) for key in keys}
        weights = {key: math.log((1 + len(said)) / (1 + df[key])) + 1 for key in keys}

        def total(first, said=(*said, ()), weights=weights):
            return sum(weights[key] for key in {*said[first], *said[first + 1]})

        assert min(df.values()) == 1
        assert sorted(df.values())[1] > MAX_SENTENCES
        share, first, last = best
        most = max(total(rare - 1), total(rare))  # a frequent key weighs what a rarer one named
        assert share == round(most / sum(weights.values()), 6)
        assert first <= rare <= last


def test_a_very_frequent_key_weighs_what_a_rarer_one_names():
    text = "The price is fixed. " * 700 + "The zebra has a price. " + "Any price. " * 100
    evidence = index(text)
    best = evidence.coverage(("pric", "zebra"))
    assert best.share == 1.0
    assert "zebra" in text[best.start : best.end]
    assert evidence.coverage(("pric",)).start == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"chunks": [RetrievedChunk(None)]}, r"chunks\[0\].text is a NoneType, expected a str"),
        ({"query": 5}, "query is a int, expected str or None"),
        ({"citations": "C1"}, "citations is a str, expected a sequence of str"),
        ({"citations": 1}, "citations is a int, expected a sequence of str"),
        ({"citations": [1]}, r"citations\[0\] is a int, expected a str"),
        ({"retrieval": {}}, "retrieval is a dict, expected Retrieval or None"),
    ],
)  # fmt: skip
def test_wrong_parts_of_a_context_are_named(arguments, words):
    with pytest.raises(ConfigError, match=words):
        Context(**arguments)


def test_what_is_replaced_is_read_anew():
    old = Context(prompt_context="[C1] Basic costs $10.", citations=iter(["C1"]))
    assert old.citations == ("C1",)
    assert [chunk.text for chunk in replace(old, query="?").chunks] == ["Basic costs $10."]
    new = replace(pickle.loads(pickle.dumps(old)), prompt_context="[C1] Basic costs $12.")
    assert [chunk.text for chunk in new.chunks] == ["Basic costs $12."]
    retrieved = replace(new, retrieval=Retrieval(chunks=["Basic is free."]))
    assert [chunk.text for chunk in retrieved.chunks] == ["Basic is free."]
    given = Context(chunks=["Basic costs $10."], prompt_context="[C1] Basic costs $12.")
    assert replace(given, prompt_context="[C1] other").chunks == given.chunks
