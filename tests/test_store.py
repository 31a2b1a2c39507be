"""The side channel's memory: bounded in number and in time, and without text."""

import pytest

from streamguard.core.choices import ChoiceGuards
from streamguard.core.context import Context
from streamguard.server.results.store import ResultStore


def annotation(id="a" * 32):
    guards = ChoiceGuards(Context(query="Basic?", chunks=["The Basic plan costs $10."]))
    guards.feed({0: "The Pro plan costs $99. Ask Jane Miller."})
    return guards.close(id)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_an_unknown_id_has_no_result():
    assert ResultStore().get("a" * 32) is None


def test_a_running_stream_is_pending_until_its_result_is_put():
    store = ResultStore()
    made = annotation()
    store.open(made.id)
    assert store.get(made.id).state == "pending"
    assert store.get(made.id).result is None
    store.put(made)
    assert store.get(made.id).state == "complete"


def test_a_copy_holds_no_text_unless_asked_for():
    made = annotation()
    plain, whole = ResultStore(), ResultStore(store_text=True)
    plain.put(made)
    whole.put(made)
    stored = plain.get(made.id)
    assert stored == made.without_text()
    for word in ("Miller", "99", "costs"):
        assert word not in stored.result.model_dump_json(include={"findings", "uncovered_claims"})
    assert whole.get(made.id) == made


def test_the_first_result_of_an_id_counts():
    store = ResultStore()
    made = annotation()
    store.put(made)
    store.put(made.model_copy(update={"state": "partial"}))
    assert store.get(made.id).state == "complete"


def test_a_result_is_forgotten_when_its_time_is_over():
    clock = Clock()
    store = ResultStore(ttl_s=10, clock=clock)
    made = annotation()
    store.put(made)
    clock.now = 9.9
    assert store.get(made.id) is not None
    clock.now = 10.0
    assert store.get(made.id) is None
    assert len(store) == 0


@pytest.mark.parametrize("most", [0, 1, 3])
def test_over_the_number_the_oldest_result_goes_first(most):
    store = ResultStore(max_results=most)
    ids = [f"{number:032x}" for number in range(5)]
    made = annotation()
    for name in ids:
        store.put(made.model_copy(update={"id": name}))
    assert [name for name in ids if store.get(name)] == ids[5 - most :]
    assert len(store) == most


def test_pending_streams_do_not_expire():
    clock = Clock()
    store = ResultStore(ttl_s=1, clock=clock)
    store.open("b" * 32)
    clock.now = 100.0
    assert store.get("b" * 32).state == "pending"
