"""Bounds that an answer tells of a subject for which the passages have another bound."""

from streamguard import Context, StreamGuard
from streamguard.testing import feed_every_way
from tests.kit.tables import differing

COVER = "Hail damage is covered up to $2,000. Theft is covered up to $5,000."
LISTED = "Refunded:\n- taxi rides up to €40\n- meals up to €25\n- phone calls from €5"
GROUPS = "## Youth tour\n\nAt most 12 people take part.\n\n## Senior tour\n\nAt most 8 people walk."
TERMS = "A school class needs at least 10 pupils. A choir needs at least 16 members."
WRONG = [
    (COVER, "Hail is covered up to $5,000."), (COVER, "Theft is covered up to $2,000."),
    (LISTED, "Taxi rides are refunded up to €25."), (LISTED, "Meals are refunded up to €40."),
    (LISTED, "Meals are refunded up to €5."), (TERMS, "A choir needs at least 10."),
    (GROUPS, "On the youth tour at most 8 people take part."),
]  # fmt: skip
RIGHT = [
    (COVER, "Hail is covered up to $2,000."), (COVER, "Theft is covered up to $5,000."),
    (LISTED, "Meals are refunded up to €25."), (TERMS, "A choir needs at least 16."),
    (GROUPS, "On the senior tour at most 8 people walk."),
]  # fmt: skip
# Other words, another bound, none, a denial, both subjects, a value that stands very often.
QUIET = [
    ("Hail is covered at $20. Theft is covered up to $50.", "Hail is covered up to $50."),
    (COVER, "Storms are covered up to $5,000."), (COVER, "Hail is covered from $5,000."),
    (COVER, "Hail is not covered up to $5,000."), (COVER, "Theft up to $5,000."),
    (COVER, "Hail is covered up to $2,000 and up to $5,000 for theft."), (COVER, "Up to $5,000."),
    ("Hail is covered up to $20. " + "It costs $50. " * 20, "Hail is covered up to $50."),
    ("Hail is covered up to $20. Theft: $50.", "Hail, up to $20 or $50, is covered."),
]  # fmt: skip


def found(passage, answer):
    """Say whether a value is warned of, however the answer is cut."""

    def read(pieces):
        guard = StreamGuard(Context(query="How much?", chunks=[passage]))
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    told = {one.check for one in feed_every_way(answer, read).findings if one.severity == "warning"}
    return bool(told & {"contradicted_value", "other_owner"})


def test_a_bound_of_another_subject_is_a_warning():
    assert differing([(*each, True) for each in WRONG], found) == []
    assert differing([(*each, False) for each in RIGHT], found) == []


def test_nothing_is_said_where_the_bound_may_be_of_the_subject():
    assert differing([(*each, False) for each in QUIET], found) == []
