"""Multiples of a whole list, sums of two that are named, ports of links, settings in braces."""

from streamguard import Context, StreamGuard
from streamguard.testing import feed_every_way
from streamguard.values.reader import read_anchors
from tests.cases import settings
from tests.cases.reckoned import SCALED_RIGHT, SCALED_WRONG, SUMMED_RIGHT, SUMMED_WRONG
from tests.kit.tables import differing

VALUES = {"unsupported_value", "unsupported_price", "contradicted_value", "other_owner"}


def told(passage, answer, question="How much is it?"):
    """Say whether anything is told of a value, however the answer is cut."""

    def read(pieces):
        guard = StreamGuard(Context(query=question, chunks=[passage]))
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    return any(one.check in VALUES for one in feed_every_way(answer, read).findings)


def test_every_value_of_a_list_follows_by_the_factor_that_is_announced():
    asked = "How much is it for ten people?"
    assert differing([(*each, asked, False) for each in SCALED_RIGHT], told) == []
    assert differing([(*each, asked, True) for each in SCALED_WRONG], told) == []


def test_a_sum_takes_the_two_that_are_named():
    assert differing([(*each, False) for each in SUMMED_RIGHT], told) == []
    assert differing([(*each, True) for each in SUMMED_WRONG], told) == []


def test_ports_and_settings_are_of_their_own_owner():
    assert differing([(*each, False) for each in settings.RIGHT], told) == []
    assert differing([(*each, True) for each in settings.WRONG], told) == []


def test_the_port_of_a_link_is_a_number_by_itself():
    link, port = read_anchors("See https://shop.acme.org:8443/de for it.")
    assert (link.key, port.text, port.label) == ("shop.acme.org:8443/de", "8443", "port")
    assert [one.text for one in read_anchors("See https://acme.org/a:80 for it.")] == [
        "https://acme.org/a:80"
    ]
