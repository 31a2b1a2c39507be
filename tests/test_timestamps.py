"""Days and times of ISO 8601 timestamps, as answers tell them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard import Context, StreamGuard
from streamguard.testing import feed_every_way
from streamguard.values.reader import read_anchors
from tests.cases.timestamps import APART, RIGHT, WRONG
from tests.kit.tables import differing

VALUES = {"unsupported_value", "contradicted_value"}


def severities(passage, answer):
    """Return how values are told of, however the answer is cut."""

    def read(pieces):
        guard = StreamGuard(Context(query="What happened?", chunks=[passage]))
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    found = feed_every_way(answer, read).findings
    return {one.severity for one in found if one.check in VALUES}


def test_the_day_and_the_time_of_a_timestamp_are_held():
    assert differing([(*each, set()) for each in RIGHT], severities) == []


def test_another_day_or_time_is_a_warning():
    assert differing([(*each, {"warning"}) for each in WRONG], severities) == []


def test_a_bounded_duration_does_not_follow_from_times_that_are_further_apart():
    assert differing([(*each, {"info"}) for each in APART], severities) == []


@given(st.datetimes(), st.sampled_from(["", "Z", "+05:30", "-08:00", "+0100"]))
def test_every_timestamp_is_a_day_and_a_time(moment, zone):
    written = f"at {moment.replace(year=2024, month=moment.month, day=1):%Y-%m-%dT%H:%M:%S}{zone},"
    day, time = read_anchors(written)
    assert day.key == f"2024-{moment:%m}-01"
    assert time.key == f"{moment:%H:%M:%S}".removesuffix(":00")
    assert written[day.start : time.end] == written[3:-1]
    assert (time.unit is None) is not bool(zone)


@pytest.mark.parametrize("text", ["2024-03-11T99:00Z", "2024-03-11Tuesday", "2024-03T10:00"])
def test_what_is_no_timestamp_is_no_time(text):
    assert not any(one.kind == "time" for one in read_anchors(text))
