"""Compares an answer with its passages, place by place.

Theory of operation. A text is a row of *slots*: content words, names, values, and marks (negators,
modals, quantifiers), each in its clause (`slots`). The passages' sentences, table rows and list
items are *units* that know their slots' neighbours and what stands above them (`source`). For a
slot of the answer, its *surroundings* are the words beside it, weighted by rarity and nearness; the
*likeness* of a place in the passages is the share of them that stand near it. The place that has
the same in the slot is compared with the place that has something else there (`comparing`): a
difference is an *edit* with a few figures (`model`), which the exact checks tell and `core/fast`
weighs.
"""
