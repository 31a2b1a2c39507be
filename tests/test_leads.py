"""Lists whose lead-ins affirm and deny the same: whose item is told of under the other one."""

from streamguard import Context, StreamGuard
from streamguard.testing import feed_every_way
from tests.kit.tables import differing

POLICY = """\
The following are not covered:
- lost keys
- damage by water above $500
- theft from unlocked cars

The following are covered:
- fire
- hail up to $2,000"""
FARE = """\
Included in the fare:
* one cabin bag
* 23 kg of luggage

Not included in the fare:
* meals
* seat selection (€12)
* lounge access"""
GATE = """\
You may not bring:
1. glass bottles
2. drones
3. umbrellas longer than 1 m

You may bring:
1. folding chairs
2. water in plastic bottles"""
RIGHT = [
    (POLICY, "Lost keys are not covered."), (POLICY, "Fire is covered, and so is hail."),
    (POLICY, "The policy does not cover theft from unlocked cars."),
    (POLICY, "The following are not covered:\n- lost keys\n- theft from unlocked cars"),
    (POLICY, "Covered:\n- fire\n- hail up to $2,000"),
    (FARE, "Meals are not included in the fare."),
    (FARE, "The fare includes one cabin bag and 23 kg of luggage."),
    (FARE, "Seat selection is not included and costs €12."),
    (FARE, "Not included:\n1. meals\n2. lounge access"), (GATE, "You may not bring drones."),
    (GATE, "You may bring folding chairs, but you may not bring glass bottles."),
    (GATE, "You may bring:\n- folding chairs\n- water in plastic bottles"),
]  # fmt: skip
WRONG = [
    (POLICY, "Lost keys are covered."), (POLICY, "The policy covers lost keys."),
    (POLICY, "Fire is not covered."), (POLICY, "Damage by water above $500 is covered."),
    (POLICY, "The following are covered:\n- fire\n- lost keys"),
    (POLICY, "The following are not covered:\n- lost keys\n- hail"),
    (FARE, "Meals are included in the fare."), (FARE, "The fare includes lounge access."),
    (FARE, "One cabin bag is not included."), (GATE, "You may bring drones."),
    (GATE, "You may not bring folding chairs."),
    (GATE, "You may bring:\n- folding chairs\n- glass bottles"),
]  # fmt: skip
MORE = [
    (POLICY, "Hail is covered up to $500."),
    (POLICY, "Hail is covered up to $3,000."),
    (GATE, "You may not bring umbrellas longer than 2 m."),
]  # fmt: skip
# One list alone, two of each, items told of in other words, a place that tells it so.
QUIET = [
    ("Not covered:\n- fire\n- keys", "Fire is covered."),
    (f"{FARE}\n\nNot included in the fare:\n* insurance", "Meals are included in the fare."),
    (FARE, "Meals cost €9."), (GATE, "Drones are fun."),
    (f"{POLICY}\n\nLost keys are covered for members.", "Lost keys are covered."),
]  # fmt: skip


def told(passage, answer):
    context = Context(query="What is said?", chunks=[passage])

    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    result = feed_every_way(answer, read)
    return result.status, {finding.check for finding in result.findings}


def test_an_item_told_of_as_the_other_list_s_are_is_found_and_another_is_not():
    rows = [(*each, "PASS") for each in RIGHT]
    assert differing(rows, lambda passage, answer: told(passage, answer)[0]) == []
    rows = [(*each, ("WARN", True)) for each in WRONG]

    def found(passage, answer):
        status, checks = told(passage, answer)
        return status, bool(checks & {"other_owner", "doubtful"})

    assert differing(rows, found) == []


def test_what_else_is_told_of_an_item_is_compared_as_ever():
    rows = [(*each, True) for each in MORE]
    found = differing(rows, lambda passage, answer: told(passage, answer)[0] in ("WARN", "REFUSE"))
    assert found == []


def test_nothing_is_said_where_the_lists_do_not_tell():
    rows = [(*each, False) for each in QUIET]

    def found(passage, answer):
        return "other_owner" in told(passage, answer)[1]

    assert differing(rows, found) == []


def test_very_many_items_are_read_in_bounds():
    items = "\n".join(f"- item number{number}" for number in range(500))
    passage = f"Not covered:\n{items}\n\nCovered:\n{items}x"
    assert told(passage, "The policy covers number7 items.")[0] in ("PASS", "WARN", None)
