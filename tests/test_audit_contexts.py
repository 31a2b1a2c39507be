"""Contexts of an audit: held as long as there is room, and never mistaken for each other."""

import json
import random

from streamguard.audit import checking
from streamguard.audit.checking import Job
from streamguard.audit.contexts import Contexts
from streamguard.audit.run import Plan, audit
from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk

EACH = 10 + len("What of a?") + 100


def of(name, chars=10, **more):
    return Context(f"What of {name}?", [RetrievedChunk(name * chars, **more)])


def test_an_equal_context_is_the_one_that_was_seen_first_and_no_other():
    contexts, first = Contexts(), of("a", id="one")
    assert contexts.known(first) is first
    contexts.known(of("b"))
    assert contexts.known(of("a", id="one")) is first
    for other in (of("a", id="two"), Context("Why?", first.chunks), Context(first.query, None)):
        assert contexts.known(other) is other


def test_those_that_were_not_asked_for_the_longest_go_first():
    contexts = Contexts(max_chars=2 * EACH + 5)
    a, b, c = (of(name) for name in "abc")
    for each in (a, b, of("a"), c):
        contexts.known(each)
    assert contexts.known(of("a")) is a
    assert contexts.known(other := of("b")) is other
    long = of("d", 1_000)
    assert contexts.known(long) is long
    assert contexts.known(of("d", 1_000)) is long
    assert contexts.known(other := of("a")) is other


def test_verdicts_are_the_same_whatever_was_seen_before(tmp_path, monkeypatch):
    rng = random.Random(3)
    rows = [
        {"question": f"What does plan {n} cost?", "chunks": [f"Plan {n} costs ${n}."],
         "answer": f"Plan {n} costs ${n + said}."}
        for n in range(1, 9) for said in range(3)
    ]  # fmt: skip
    written = []
    for turn, held in enumerate((Contexts(), Contexts(max_chars=0), Contexts(max_chars=40))):
        monkeypatch.setattr(checking, "_CONTEXTS", held)
        for again in range(2):
            folder = tmp_path / f"{turn}-{again}"
            folder.mkdir()
            log = folder / "log.jsonl"
            order = rng.sample(rows, len(rows))
            log.write_text("".join(json.dumps(row) + "\n" for row in order))
            plan = Plan([str(log)], Job(str(folder / "out"), Policy(), whole=True), workers=1)
            audit(plan)
            [path] = (folder / "out/verdicts").iterdir()
            found = map(json.loads, path.read_text().splitlines())
            told = ((row["answer"], verdict) for row, verdict in zip(order, found, strict=True))
            written.append(sorted((said, _without_place(verdict)) for said, verdict in told))
    assert all(one == written[0] for one in written)


def _without_place(verdict):
    kept = {name: value for name, value in verdict.items() if name not in ("file", "line", "id")}
    return json.dumps(kept, sort_keys=True)
