"""Whose a value of the passages is: the tree of headings, sections, records, rows and fields.

Every value is a leaf; the nodes above it are its owners, from the field that it fills to the title
of its document. `outline` grows the tree while the passages are indexed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

from streamguard.core.reading.slots import CONTENT, Slot
from streamguard.text.places import Members, Places
from streamguard.values.weekdays import NAMES

NONE: Final = -1
ROOT: Final = 0
MOST_NODES: Final = 20_000  # of one set of passages; guess
_MOST_NAME: Final = 4  # slots of a field that names its record; guess
_MOST_QUESTION: Final = 20  # slots of one; guess
_MOST_NAMES: Final = 6  # fields of a record that may name it; guess
_NAMED_ABOVE: Final = 2  # owners of a field that it may name: "metadata: name:" names what is above
_MOST_BESIDE: Final = 60  # nodes of one owner that are looked at; guess
# Kinds of values by which no owner is told from another: "2.4.0 (2026-02-10)" is a version.
_STATED: Final = frozenset(["amount", "percent", "quantity", "date", "time"])
_CODES: Final = frozenset(["identifier", "version"])
_EMPTY: Final[frozenset[str]] = frozenset()
# Bytes of a node with its place below its owner, of a leaf and of a name; measured.
_NODE_BYTES: Final = 130
_LEAF_BYTES: Final = 70
_NAME_BYTES: Final = 180


class Label(NamedTuple):
    """Keys that name an owner, and its slots [first, end) among those of all passages."""

    keys: frozenset[str]
    first: int
    end: int


NO_LABEL: Final = Label(_EMPTY, 0, 0)


class RecordName(NamedTuple):
    """A name of a record: the labels that lead to one of its fields, and the words in it."""

    path: tuple[int, ...]
    label: Label


class Owners:
    """The owners of the values of all passages; grown node by node, then asked.

    A node is told by its number, which is larger than its owner's when it is added. A record has no
    label of its own: its fields name it.
    """

    def __init__(self) -> None:
        self._parents, self._labels = array("i"), array("I")
        self._spans = array("I")  # of each two: its label's first slot and end
        self._label_ids: dict[frozenset[str], int] = {_EMPTY: 0}
        self._label_keys: list[frozenset[str]] = [_EMPTY]
        # Nodes of each owner by their label, of records by less than 0 and the words that name
        # them; the only record by 0.
        self._children: dict[int, dict[int, int]] = {}
        self._repeated: set[tuple[int, int]] = set()  # owners with several nodes of a label
        self._fields: set[int] = set()  # nodes that their values fill by themselves
        self._leaf_places, self._leaf_nodes = array("I"), array("I")
        self._leaves: dict[int, list[int]] = {}
        self._names: dict[int, list[RecordName]] = {}
        self._with_key = Places()  # key of a label, or of what names a record -> nodes
        self.push(NONE, NO_LABEL)

    def __len__(self) -> int:
        """Count the nodes."""
        return len(self._parents)

    # --- Grown by the outline.

    def push(self, parent: int, label: Label) -> int:
        """Add a node below another one; return it."""
        node, known = len(self._parents), self._label_id(label.keys)
        self._parents.append(parent)
        self._labels.append(known)
        self._spans.extend((label.first, label.end))
        children = self._children.setdefault(parent, {})
        if not label.keys:
            children[0] = NONE if 0 in children else node
            return node
        if children.setdefault(known, node) != node:
            self._repeated.add((parent, known))
        self._with_key.add_to_each(label.keys, node)
        return node

    def child(self, parent: int, label: Label) -> int:
        """Return the node of a label below another one; add it where there is none."""
        known = self._label_ids.get(label.keys)
        found = None if known is None else self._children.get(parent, {}).get(known)
        return self.push(parent, label) if found is None else found

    def add_field(self, node: int) -> None:
        """Note that a node is a field that its values fill."""
        self._fields.add(node)

    def add_leaves(
        self, node: int, slots: Sequence[Slot], begin: int, label: frozenset[str] = _EMPTY
    ) -> None:
        """Add the values among slots that begin at `begin`, but for those that a label holds."""
        for place, slot in enumerate(slots, begin):
            if slot.anchor is not None and slot.key not in label:
                self._leaf_places.append(place)
                self._leaf_nodes.append(node)
                self._leaves.setdefault(node, []).append(place)

    def add_name(self, node: int, label: Label) -> None:
        """Note the words of a field: they may name the record that it is of."""
        if node == len(self) - 1:  # the numbers of a key rise
            self._with_key.add_to_each(label.keys, node)
        path: tuple[int, ...] = (self._labels[node],)
        owner = self._parents[node]
        for _ in range(_NAMED_ABOVE):
            names = self._names.setdefault(owner, [])
            if len(names) < _MOST_NAMES:
                names.append(RecordName(path, label))
            if len(names) == 1:
                beside = self._children.setdefault(self._parents[owner], {})
                beside.setdefault(-self._label_id(label.keys), owner)
            path = (self._labels[owner], *path)
            owner = self._parents[owner]
            if owner <= ROOT:
                break

    def move(self, nodes: Sequence[int], parent: int, begin: int) -> None:
        """Put nodes of one owner below another node, with its values from slot `begin` on."""
        before, moved = self._parents[nodes[0]], set[int]()
        for node in nodes:
            label = self._labels[node]
            moved.add(label)
            if self._children[before].get(label) == node:
                del self._children[before][label]
            self._parents[node] = parent
            self._children.setdefault(parent, {}).setdefault(label, node)
        self.move_leaves(before, parent, begin)
        names = self._names.pop(before, [])
        self._names[parent] = [name for name in names if name.path[0] in moved]
        self._names[before] = [name for name in names if name.path[0] not in moved]

    def move_leaves(self, node: int, other: int, begin: int) -> None:
        """Put a node's own values from slot `begin` on below another node, which has none."""
        kept = self._leaves.get(node, [])
        moved = [place for place in kept if place >= begin]
        if not moved:
            return
        self._leaves[node] = [place for place in kept if place < begin]
        self._leaves[other] = moved
        for place in moved:
            self._leaf_nodes[bisect_left(self._leaf_places, place)] = other

    def _label_id(self, keys: frozenset[str]) -> int:
        known = self._label_ids.setdefault(keys, len(self._label_keys))
        if known == len(self._label_keys):
            self._label_keys.append(keys)
        return known

    # --- Asked once all is read.

    @property
    def lists(self) -> Sequence[Places | Members]:
        """Its lists and sets: once it is whole, to be sealed."""
        return (self._with_key,)

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes."""
        names = _NAME_BYTES * sum(map(len, self._names.values()))
        held = _NODE_BYTES * len(self) + _LEAF_BYTES * len(self._leaf_places)
        return held + names + self._with_key.held_bytes

    def about(self, keys: frozenset[str]) -> frozenset[int]:
        """Return the nodes that some keys may name, and the records above them."""
        found: set[int] = set()
        for _, nodes in self._with_key.items(keys):
            for node in nodes:
                found.update(self.above(node)[: 1 + _NAMED_ABOVE])
        return frozenset(found)

    def node_of(self, place: int) -> int | None:
        """Return the node of a value, None where nothing owns it."""
        at = bisect_left(self._leaf_places, place)
        is_leaf = at < len(self._leaf_places) and self._leaf_places[at] == place
        return self._leaf_nodes[at] if is_leaf else None

    def above(self, node: int) -> list[int]:
        """Return a node and its owners, the nearest first."""
        found = []
        while node > ROOT:
            found.append(node)
            node = self._parents[node]
        return found

    def parent(self, node: int) -> int:
        """Return the owner of a node."""
        return self._parents[node]

    def label(self, node: int) -> Label:
        """Return the label of a node; that of a record has no keys."""
        first, end = self._spans[2 * node : 2 * node + 2]
        return Label(self._label_keys[self._labels[node]], first, end)

    def names(self, node: int) -> Sequence[RecordName]:
        """Return the names of a record, in the order of its fields."""
        return self._names.get(node, ())

    def leaves(self, node: int) -> Sequence[int]:
        """Return the values of a node, without those of the nodes below it."""
        return self._leaves.get(node, ())

    def is_field(self, node: int) -> bool:
        """Say whether a node is a field that its values fill."""
        return node in self._fields

    def beside(self, node: int) -> Sequence[int]:
        """Return the labelled nodes of a node's owner, the node among them; of many the first."""
        beside = self._children.get(self._parents[node], {})
        return [one for label, one in beside.items() if label > 0][:_MOST_BESIDE]

    def counterpart(self, path: Sequence[int], own: int, other: int) -> int | None:
        """Return the node to which the labels of a path below `own` lead below another owner.

        A label may repeat its owner's ("STAGING_PORT" below "staging"). A record is the one of the
        same name, or the only one. None where the path leads nowhere.
        """
        found: int | None = other
        for one in path:
            if found is None:
                return None
            found = self._step(found, one, self.label(own).keys, self.label(other).keys)
        return found

    def _step(
        self, parent: int, node: int, own: frozenset[str], other: frozenset[str]
    ) -> int | None:
        children, known = self._children.get(parent, {}), self._labels[node]
        pairs = {(parent, known), (self._parents[node], known)}
        if not known or not self._repeated.isdisjoint(pairs):
            names = self._names.get(node)
            named = children.get(-self._label_ids[names[0].label.keys]) if names else None
            only = children.get(0, NONE)
            return only if named is None and only != NONE else named
        if known in children:
            return children[known]
        rest = self._label_keys[known] - own
        for label, child in [*children.items()][:_MOST_BESIDE]:
            if label > 0 and rest and self._label_keys[label] - other == rest:
                return child
        return None


def label_of(slots: Sequence[Slot], begin: int) -> Label:
    """Return the label that some slots are: their words and codes, else all of them.

    "Retries, 5 by default" and "On Tuesday Ann wrote" are told by their words alone.
    """
    content = [slot for slot in slots if slot.kind in CONTENT]
    told = [slot for slot in content if _identifies(slot)]
    keys = frozenset([slot.key for slot in told or content])
    return Label(keys, begin, begin + len(slots))


def name_of(slots: Sequence[Slot], begin: int, *, asks: bool = False) -> Label | None:
    """Return the label of a field that may name its record; None of one that tells a value.

    `asks`: it is a question, which names the answers below it.
    """
    if asks and len(slots) <= _MOST_QUESTION:
        return label_of(slots, begin)
    if not 0 < len(slots) <= _MOST_NAME or any(slot.kind not in CONTENT for slot in slots):
        return None
    first = slots[0].anchor
    is_name = first is None or (first.kind in _CODES and len(slots) == 1)
    return label_of(slots, begin) if is_name else None


def _identifies(slot: Slot) -> bool:
    """Say whether a slot tells an owner from others, beside words."""
    anchor = slot.anchor
    if anchor is None:
        return slot.key not in NAMES  # of weekdays
    if anchor.kind == "number":
        return (anchor.label or anchor.named) is not None
    return anchor.kind not in _STATED
