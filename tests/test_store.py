"""The side channel's memory: bounded in number, bytes and time, and without text."""

import gc
import threading
import tracemalloc

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.choices import ChoiceGuards, with_late_text
from streamguard.server.results import packing
from streamguard.server.results.packing import AT_ONCE
from streamguard.server.results.result_store import MAX_RESULTS_BYTES, ResultStore


def guards_of(text):
    guards = ChoiceGuards(Context(query="Basic?", chunks=["The Basic plan costs $10."]))
    guards.feed({0: text})
    return guards


def annotation(id="a" * 32):
    return guards_of("The Pro plan costs $99. Ask Jane Miller.").close(id)


def test_a_stream_is_pending_until_its_first_result_which_holds_no_text_unless_asked_for():
    made = annotation()
    plain, whole = ResultStore(), ResultStore(store_text=True)
    assert plain.get(made.id) is None
    plain.open(made.id)
    assert (plain.get(made.id).state, plain.get(made.id).result) == ("pending", None)
    for store in (plain, whole):
        store.put(made)
        store.put(made.model_copy(update={"state": "partial"}))
    stored = plain.get(made.id)
    assert stored == made.without_text()
    assert (stored.state, whole.get(made.id)) == ("complete", made)
    for store in (plain, whole):
        store.amend(with_late_text(made, 1))
        store.amend(with_late_text(annotation("b" * 32), 1))  # nobody put that
    assert (plain.get(made.id).state, plain.get("b" * 32)) == ("partial", None)
    assert whole.get(made.id) == with_late_text(made, 1)
    for word in ("Miller", "99", "costs"):
        assert word not in stored.result.model_dump_json(include={"findings", "uncovered_claims"})


def test_a_result_is_forgotten_when_its_time_is_over_and_a_pending_stream_is_not():
    now = [0.0]
    store = ResultStore(ttl_s=10, clock=lambda: now[0])
    made = annotation()
    store.put(made)
    store.open("b" * 32)
    now[0] = 9.9
    assert store.get(made.id) is not None
    now[0] = 10.0
    assert store.get(made.id) is None
    now[0] = 100.0
    assert store.get("b" * 32).state == "pending"


def test_over_the_number_the_oldest_result_goes_first():
    made = [annotation().model_copy(update={"id": f"{number:032x}"}) for number in range(5)]
    for most in (0, 1, 3):
        store = ResultStore(max_results=most)
        for each in made:
            store.put(each)
        assert [each for each in made if store.get(each.id)] == made[5 - most :]
        assert len(store) == most


# --- bytes


def told(store, name, sentences=3):
    """Keep a result of so many sentences and those themselves; return the annotation."""
    guards = guards_of("The Pro plan costs $99 a year. " * sentences)
    made = guards.close(name)
    store.open(name)
    for sentence in guards.settled(name):
        store.publish(sentence)
    store.put(made)
    return made


def test_over_the_bytes_the_oldest_result_goes_first_with_its_sentences():
    one = ResultStore()
    told(one, "a")
    store = ResultStore(max_bytes=one.held_bytes * 5 // 2)
    for name in "abc":
        told(store, name)
    assert store.get("a") is None
    assert store.feed("a") is None
    for name in "bc":
        assert store.get(name).state == "complete"
        assert len(list(store.feed(name).after(0))) == 3
    assert one.held_bytes * 2 - 10 < store.held_bytes <= one.held_bytes * 5 // 2


def test_sentences_of_running_streams_count_and_older_results_make_room_for_them():
    store = ResultStore(max_bytes=12_000)
    told(store, "a")
    guards = guards_of("The Pro plan costs $99 a year. " * 100)
    guards.close("b")
    store.open("b")
    for sentence in guards.settled("b"):
        store.publish(sentence)
        assert store.held_bytes <= 12_000
    assert store.get("a") is None
    kept = list(store.feed("b").after(0))
    assert 0 < len(kept) < store.feed("b").count == 100
    assert [number for number, _ in kept] == list(range(1, len(kept) + 1))


@pytest.mark.parametrize("sentences", [3, 2 * AT_ONCE])
def test_what_is_kept_is_what_was_put_packed_or_not(sentences):
    plain, whole = ResultStore(), ResultStore(store_text=True)
    made = told(plain, "a", sentences)
    assert plain.get_json("a").decode() == made.without_text().to_json()
    told(whole, "a", sentences)
    turns = 0
    while whole.pack_turn():
        turns += 1
    assert (turns > 2) is (sentences > 3)
    assert whole.get_json("a").decode() == made.to_json()
    assert whole.get("a") == made
    assert not plain.pending("a")


def test_a_result_that_is_asked_for_is_packed_by_one_thread_at_a_time(monkeypatch):
    store, left = ResultStore(), []
    packs = threading.Thread(target=lambda: left.append(store.pack_turn()))

    def parts(annotation, text):
        yield "{"
        packs.start()
        packs.join(0.1)  # while this one is at it
        yield "}"

    monkeypatch.setattr(packing, "json_parts", parts)
    told(store, "a", 2 * AT_ONCE)
    assert store.get_json("a") == b"{}"
    packs.join()
    assert left == [False]


def test_the_bytes_that_are_counted_are_those_that_are_held():
    made = told(ResultStore(), "a", 40)
    store = ResultStore(store_text=True)
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(100):
            name = f"{number:032x}"
            store.open(name)
            store.put(made.model_copy(update={"id": name}))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.8 < held / store.held_bytes < 1.2


def test_ten_thousand_answers_of_8_000_characters_fit():
    store = ResultStore()
    guards = ChoiceGuards(Context(chunks=["The Basic plan costs $10 per month, support included."]))
    text = "The Basic plan costs $10 per month. For the Pro plan it is $99, with support. " * 103
    guards.feed({0: text})
    store.put(guards.close("a"))
    while store.pack_turn():
        pass
    assert len(text) > 8_000
    assert 10_000 * store.held_bytes < MAX_RESULTS_BYTES
