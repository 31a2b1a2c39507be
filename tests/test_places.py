"""Lists of numbers by key and sets, whether or not their newest part is sealed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.text import places
from streamguard.text.places import Members, Places

KEYS = st.sampled_from([*"abcdefghij", 1, 2, ("a", "b")])


@pytest.fixture(autouse=True)
def sealed_often(monkeypatch):
    monkeypatch.setattr(places, "SEALED_AT", 3)


@given(st.lists(st.lists(KEYS, unique=True, max_size=4), max_size=30))
def test_each_key_has_the_numbers_it_was_given_once_each_and_in_order(added):
    found, expected = Places(), {}
    for number, keys in enumerate(added):
        found.add_to_each(keys[:2], number)
        for key in keys[2:]:
            found.add(key, number)
        for key in keys:
            expected.setdefault(key, []).append(number)
    for key in [*"abcdefghij", 1, 2, ("a", "b"), "absent"]:
        assert list(found.of(key)) == expected.get(key, [])
        assert list(found.of(key, 2)) == expected.get(key, [])[:2]
        assert (key in found) == (key in expected)


@given(st.lists(KEYS, max_size=40))
def test_keys_added_in_turn_have_the_numbers_of_their_places(keys):
    found = Places()
    for first in range(0, len(keys), 5):
        found.add_in_turn(keys[first : first + 5], first)
    for key in set(keys):
        assert list(found.of(key)) == [number for number, one in enumerate(keys) if one == key]


@given(st.lists(KEYS, max_size=40))
def test_a_set_holds_what_was_added(members):
    found = Members()
    for first in range(0, len(members), 4):
        found.update(members[first : first + 4])
    for member in [*"abcdefghij", 1, 2, ("a", "b"), "absent"]:
        assert (member in found) == (member in members)


def test_numbers_far_apart_are_kept_as_well():
    found = Places()
    for number in (1, 70_000, 70_001, 2_000_000, 2_000_001, 2_000_002):
        found.add("a", number)
    assert list(found.of("a")) == [1, 70_000, 70_001, 2_000_000, 2_000_001, 2_000_002]
    assert found.held_bytes < 2_000
    assert "a" in found
    assert "b" not in found


class Alike:
    def __hash__(self):
        return 7


def test_two_keys_with_one_hash_share_their_numbers_once_sealed():
    found, one, other = Places(), Alike(), Alike()
    found.add(one, 1)
    found.add(other, 2)
    assert list(found.of(one)) == [1]
    found.add("a", 2)
    assert list(found.of(one)) == [1, 2]


def test_sealed_members_are_found_and_others_are_not(monkeypatch):
    monkeypatch.setattr(places, "SEALED_AT", 4)
    members = places.Members()
    assert "a" not in members
    members.update("abcd")
    members.update("ef")
    members.seal()
    members.seal()
    assert all(each in members for each in "abcdef")
    assert "g" not in members
    assert members.held_bytes > 0
