"""Whose a value is in JSON, YAML, records and chats, and answers that tell it of another owner."""

from hypothesis import given
from hypothesis import strategies as st

from streamguard import Context, StreamGuard, check_text
from streamguard.core.owners.outline import _MOST_CELLS, _MOST_DEPTH, Outline
from streamguard.core.owners.tree import MOST_NODES
from streamguard.core.reading.slots import Slot
from streamguard.testing import feed_every_way
from streamguard.text.layout import Line
from tests.kit.tables import differing
from tests.test_evidence import index

JSON = '{"solo": {"price": 19, "storage_gb": 50}, "crew": {"price": 79, "storage_gb": 400}}'
ROWS = """[
  {"id": "P-11", "name": "Harbour", "spaces": 120, "opened": "1998-05-01", "tags": ["a", "b"]},
  {"id": "P-12", "name": "Station", "spaces": 480, "opened": "2006-09-15"}
]"""
DEEP = """{"zones": [{"name": "north", "limits": {"speed": 30, "noise": 55}},
 {"name": "south", "limits": {"speed": 50, "noise": 62}}]}"""
YAML = """replicas: 1
staging:
  timeout: 15s
  hosts:
    - name: blue
      port: 7001
production:
  timeout: 90s
  hosts:
    - name: green
      port: 7002
      weight: 3
    - name: red
      port: 7003
"""
MANIFESTS = """kind: Job
metadata:
  name: importer
spec:
  parallelism: 4
---
kind: Job
metadata:
  name: exporter
spec:
  parallelism: 9
"""
TOML = "[cache]\nsize = 256\nport = 6379\n\n[queue]\nsize = 1024\nport = 5672\n"
ENVIRONMENT = "TEST_DB_POOL=4\nTEST_RETRIES=2\nLIVE_DB_POOL=30\nLIVE_RETRIES=6\n"
CARDS = """Name: Dr. Mara Lindt
Room: 214
Hours: 8:30 to 11:30

Name: Dr. Jon Abebe
Room: 309
Hours: 13:00 to 17:30
"""
FAQ = """Q: How long may adult members borrow a book?
A: Adult members may keep it for 28 days.

Q: How long may junior members borrow a book?
A: Junior members may keep it for 14 days.
"""
CHAT = """ida 10:02: I will need 25 minutes for the migration
raj 10:03: then I take 70 minutes for the load test
ida 10:05: my part starts at 15:00
raj 10:06: mine at 16:45
"""
MAILS = """From: Nina Falk
Date: Mon, 2 March 2026
We can ship the chairs on 20 March for €1,900.

> From: Theo Brandt
> Date: Fri, 27 February 2026
> Our price for the chairs is €2,350.
"""
CHANGES = """## 3.1.0 (2026-04-20)
- Cache entries live for 45 minutes
## 3.0.0 (2026-02-02)
- Cache entries live for 20 minutes
"""
NESTED = """- Norway
  - Letter: €2.10, 3 days
  - Parcel: €14, 5 days
- Iceland
  - Letter: €2.80, 6 days
  - Parcel: €19, 9 days
"""
TERMS = "<dl><dt>Day ticket</dt><dd>Costs £6</dd><dt>Week ticket</dt><dd>Costs £21</dd></dl>"
XML = """<trains><train><name>Comet</name><leaves>07:12</leaves><track>3</track></train>
<train><name>Meteor</name><leaves>08:47</leaves><track>9</track></train>
<bus line="N1" seats="40"/><bus line="N2" seats="64"/></trains>"""
CLIENT = """+--------+--------+
| depot  | pallets|
+--------+--------+
| Alta   |    310 |
| Bodo   |    275 |
+--------+--------+
"""
PSQL = """depot | pallets | cost_usd
------+---------+---------
Alta  |     310 |     4400
Bodo  |     275 |     3900
"""
TITLES = "Fjord Lodge\nA night costs €120.\n\nHill Cabin\nA night costs €75.\n"
WROTE = """On Monday Eva wrote:
The deposit is 300 kroner.

On Friday Ola wrote:
The deposit is 450 kroner.
"""

RIGHT = [
    (JSON, "The crew plan costs 79 and has 400 GB of storage."),
    (JSON, "Solo costs $19."),
    (JSON, "Unlike crew at 79, solo costs 19."),
    (ROWS, "The Station car park has 480 spaces and opened on 15 September 2006."),
    (DEEP, "In the north zone the speed limit is 30."),
    (YAML, "In production the timeout is 90 seconds."),
    (YAML, "The green host uses port 7002, red uses 7003."),
    (MANIFESTS, "The exporter runs with a parallelism of 9."),
    (TOML, "The queue listens on port 5672."),
    (ENVIRONMENT, "The live DB pool is 30."),
    (CARDS, "Dr. Abebe sees patients from 13:00 to 17:30 in room 309."),
    (FAQ, "Junior members may keep a book for 14 days."),
    (CHAT, "Raj takes 70 minutes for the load test."),
    (MAILS, "Nina Falk offers the chairs for €1,900."),
    (CHANGES, "Since 3.1.0, which came out on 20 April 2026, cache entries live for 45 minutes."),
    (NESTED, "A parcel to Iceland costs €19 and takes 9 days."),
    (TERMS, "The week ticket costs £21."),
    (XML, "The Meteor leaves at 08:47 from track 9."),
    (CLIENT, "Bodo has 275 pallets."),
    (PSQL, "Bodo has 275 pallets, at $3,900."),
    (TITLES, "A night at the Hill Cabin costs €75."),
    (WROTE, "Ola wrote that the deposit is 450 kroner."),
]  # fmt: skip
WRONG = [
    (JSON, "The crew plan costs 19."), (JSON, "Crew has 50 GB of storage."),
    (ROWS, "The Station car park has 120 spaces."), (ROWS, "P-11 opened on 15 September 2006."),
    (DEEP, "In the north zone the speed limit is 50."),
    (DEEP, "Noise is limited to 55 in the south."),
    (YAML, "In production the timeout is 15 seconds."), (YAML, "The red host uses port 7002."),
    (MANIFESTS, "The exporter runs with a parallelism of 4."),
    (TOML, "The queue listens on port 6379."), (TOML, "The cache has a size of 1024."),
    (ENVIRONMENT, "The live DB pool is 4."), (ENVIRONMENT, "TEST_RETRIES is 6."),
    ("# test\nTEST_PORT=8100\n\n# live\nLIVE_PORT=9300\n", "The live port is 8100."),
    (CARDS, "Dr. Abebe is in room 214."), (CARDS, "Dr. Lindt sees patients from 13:00 to 17:30."),
    (FAQ, "Junior members may keep a book for 28 days."),
    (CHAT, "Raj takes 25 minutes for the load test."), (CHAT, "Ida's part starts at 16:45."),
    (MAILS, "Nina Falk offers the chairs for €2,350."),
    (CHANGES, "Since 3.1.0 cache entries live for 20 minutes."),
    (CHANGES, "3.0.0 came out on 20 April 2026."),
    (NESTED, "A parcel to Iceland costs €14."), (NESTED, "A letter to Norway costs €2.80."),
    (NESTED, "Letters to Iceland cost €19."),
    (TERMS, "The week ticket costs £6."),
    (XML, "The Meteor leaves at 07:12."), (XML, "Line N1 has 64 seats."),
    (CLIENT, "Bodo has 310 pallets."), (PSQL, "Alta cost $3,900."),
    (TITLES, "A night at the Hill Cabin costs €120."),
    (WROTE, "Ola wrote that the deposit is 300 kroner."),
]  # fmt: skip
# Nothing is said where the owner is not named, both are, the value stands elsewhere too, is denied
# or compared, or counts something else.
QUIET = [
    (JSON, "It costs 19."),
    (JSON, "From solo at 19 to crew."),
    (JSON, "Crew does not cost 19."),
    (JSON, "For crew 19 is the price before 79."),
    (
        "staging:\n  timeout: 15 s\nproduction:\n  retries: 4\n",
        "In production the timeout is 15 seconds.",
    ),
    (JSON, "Crew costs more than 19."),
    (JSON, "There are 19 crew members."),
    (f"{JSON}\n\nWith a voucher the price is 19.", "With a voucher crew costs 19."),
    ("first: 7 kg\nsecond: 9 kg\n", "Nothing of it weighs 7 kg in the second."),
    ("Speed: 30\nNoise: 55\n", "The noise comes from 30 cars."),
    ("## Eins\n\nIt takes 3 to 5 to 9 days.\n\n## Zwei\n\nIt takes 2 days.", "Zwei takes 5 days."),
    ("a:\n  b:\n    c: 41 kg\nd: 7 kg\n", "For d it is 41 kg."),
    ("rose:\n  net: 41 kg\nlily:\n  gross: 7 kg\n", "For lily it is 41 kg."),
    ("Speed: 30\nNoise: 55\n", "The noise is 30."),
    (
        "## Basic\n\nThe plan costs $49.\n\n## Refunds\n\nThey take $99 off.",
        "With Basic they take $99 off.",
    ),
    ('[{"x": 41}, {"x": 52}]', "The x of d is 41."),
]  # fmt: skip


def warned(passage, answer):
    """Say whether a value is warned of as another owner's, however the answer is cut."""
    context = Context(query="What is said?", chunks=[passage])

    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    found = feed_every_way(answer, read).findings
    return any((one.check, one.severity) == ("other_owner", "warning") for one in found)


def test_a_value_of_another_owner_is_a_warning_and_the_right_owner_s_is_none():
    assert differing([(*each, False) for each in RIGHT], warned) == []
    assert differing([(*each, True) for each in WRONG], warned) == []


def test_nothing_is_said_where_two_readings_fit():
    assert differing([(*each, False) for each in QUIET], warned) == []


def test_the_message_shows_both_owners_with_their_values_and_places():
    passages = ["# Alpine Hut\n\nA night costs €45.", "# Lake Hostel\n\nA night costs €32."]
    context = Context(query="What does a night cost?", chunks=passages)
    told = "A night at the Lake Hostel costs €45."
    (found,) = check_text(told, context=context).findings
    assert (found.check, found.flag) == ("other_owner", "unsupported_claim")
    assert told[found.start : found.end] == "€45"
    assert found.message == (
        "The passages give “€32” for Lake Hostel (C2, “Lake Hostel”), and “€45” for Alpine Hut"
        " (C1, “Alpine Hut”)."
    )
    assert found.nearest.value == "€32"


def test_an_owner_in_another_block_of_a_long_passage_is_found():
    shops = [f'"shop{one}{two}": {{"rent": {1000 + 26 * n + m}}}'
             for n, one in enumerate("abcdefgh") for m, two in enumerate("klmnopqrst")]  # fmt: skip
    passage = "{" + ", ".join(shops) + "}"
    assert warned(passage, "shopak has a rent of 1001.")
    assert not warned(passage, "shophk has a rent of 1182.")


PARTS = """
    { } [ ] "name": "price": "Basic" 49 99 , <plan> </plan> <a b="1"/> - # ## ** --- === | +--+ : =
    Basic Team costs name: price: Q: A: $49 $99 2.4.0 Anna How much? . x = 5 [server] > 14:00
""".split()
texts = st.lists(st.sampled_from([*PARTS, "\n", "\n\n", "\n  ", "\n    "]), max_size=40).map(
    " ".join
)


@given(texts, texts)
def test_no_text_raises_and_a_misplaced_value_stands_below_another_owner(passage, answer):
    for found in check_text(answer, context=Context(query="x", chunks=[passage])).findings:
        assert found.message
    owners = index(passage).source.owners
    for node in range(1, len(owners)):
        assert owners.parent(node) >= 0
        assert all(owners.node_of(place) == node for place in owners.leaves(node))


def test_nodes_depth_and_cells_are_bounded():
    deep = "[" * 300 + '{"a": 41}' + "]" * 300
    owners = index(deep).source.owners
    assert max(len(owners.above(node)) for node in range(len(owners))) < _MOST_DEPTH + 5
    steps = "\n".join(f"{' ' * at}- step{at}" for at in range(75))
    owners = index(steps).source.owners
    assert max(len(owners.above(node)) for node in range(len(owners))) < _MOST_DEPTH + 5
    head = f"| shop | {' | '.join(f'fee{at}' for at in range(9))} |"
    rows = "\n".join(
        f"| s{at} | {' | '.join(str(10 * at + n) for n in range(9))} |" for at in range(99)
    )
    owners = index(f"{head}\n|{'---|' * 10}\n{rows}").source.owners
    assert len(owners) < _MOST_CELLS + 99


def test_very_many_nodes_are_left_out():
    outline, word = Outline(), Slot("", "word", 0, 1, 0)
    outline.begin_chunk()
    for at in range(MOST_NODES + 99):
        outline.add([Line("label", 0, 1, 1)], [word._replace(key=f"k{at}")], at, has_values=False)
    assert MOST_NODES < len(outline.owners) < MOST_NODES + 9
    outline.add_row([word], at)
    outline.add_row([word], at)
    assert len(outline.owners) < MOST_NODES + 9


# Lines that own nothing, or end what is open: none of these values is told of another owner.
ODD = [
    "## The\n\nIt is 41.", "{\n---\n}\na: 41", "# A\n\n---\n\nb: 41", "}\n]\n41",
    "# Aster\n\n- rose\n\n---\n\n41",
    "- it\n- so: 41\n- the\n  41", f"- {'long words in a line ' * 9}41",
    "The: 41\nA: 52", "- a:\n- b: 41\n  41 of them", "- a: b: 41",
    "Name: Ada\nRoom: 1\nRoom: 41\nName: Bob\nRoom: 3\nName: Cid",
    "- only: words here\n  more: 41\n- only: 41\n  more: 52", "| a |\n| b | 41 |\n| 41 | 52 |",
    "Name: one two\nName: three\nName: 41", '<a><b x="41"/>52</a>', '{"a": "x", "b": 41, "a": "y"}',
    "a:\n  - x: 41\n    y: 52\n  - x: 52\n", "name: 'a'\n\n41\n\nname: 'b'\n\n52",
]  # fmt: skip


def test_odd_lines_tell_of_no_other_owner():
    assert differing([(text, "Of this it is 41.", False) for text in ODD], warned) == []
