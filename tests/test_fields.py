"""Answers of JSON are read by their fields, under every split, and spans stay where they were."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.validate import check_text
from streamguard.testing import feed_every_way
from streamguard.text.fields import UNSEEN, Fields

CONTEXT = Context(
    query="What does a locker cost?",
    chunks=[
        "A small locker costs €4 per day and holds 2 bags.",
        "A large locker costs €9 per day and holds 5 bags.",
    ],
)
CONTEXT.prepare()

# What is written, and what is read of it; white space at both ends and signs unseen left out.
READ = [
    ('{"bags": 2, "open": true}', ["bags:   2", "open:   true"]),
    ('{"bags":2,"note":null,"max_bags":5}', ["bags:  2", "max bags:  5"]),
    ('{"price": "€4", "size": "small"}', ["price:    €4", "small"]),
    ('{"answer": "It costs €4.\\nIt holds 2 bags."}', ["It costs €4.", "It holds 2 bags."]),
    ('{"answer":"Caf\\u00e9 \\u20ac4 \\ud83d\\ude00, 5 km\\/h\\tok"}', ["Café €4 😀, 5 km/h  ok"]),
    ('{"answer": "It says \\"A locker.\\" Yes."}', ['It says  "A locker."  Yes.']),
    ('{"answer": "\\u201cSo.\\u201d x"}', ["“So.”      x"]),
    ('  \n[{"a": "One."}, {"a": "Two."}]\n', ["One.", "Two."]),
    ('{"a": {"b": ["x", "y"], "c": {}}, "d": -4.5e3}', ["x", "y", "d:   -4.5e3"]),
    ('{\n  "answer": "One.",\n  "bags": 2\n}\nAnd more.', ["One.", "bags:   2", "And more."]),
    ('{"a": "One."}\n{"a": "Two."}', ["One.", "Two."]),  # JSON lines
    ('{"answer": "One.", "citations": ["1", "x.md"]}', ["One.", "[1]  [x.md]"]),
    ('{"answer": "One.", "sources": [1, 2]}', ["One.", "[1, 2]"]),
    ('{"answer": "One.", "refs": [{"id": 2, "url": "https://a.b/7"}, {"doc_id": "d"}]}',
     ["One.", "[2]" + " " * 37 + "[d]"]),
    ('{"answer": "One.", "source": "x.md", "link": "https://a.b/7"}', ["One.", "[x.md]"]),
    ('{"url": "a\\/b\\u20ac", "a": "One."}', ["One."]),
    ('{"a": "cut of', ["cut of"]), ('{"a": 4', ["a:   4"]), ('{"a": "x\\u00', ["x"]), ('{"a', []),
    ('{"a": "\\ud83d", "b": "\\ud83dx", "c": "\\ud83d\\n!", "d": "\\ud83d\\u0041", "e": "\\uzzzz"}',
     ["\ufffd", "\ufffdx", "\ufffd", "!", "\ufffd", "\\uzzzz"]),
    # No JSON, or not for long: as it is written.
    ("{name} costs", ["{name} costs"]), ("[1] A locker", ["[1] A locker"]), ("{", ["{"]),
    ('{"a": "One.", oops}', ["One.", "oops}"]), ('{"a" "b"}', ['"a" "b"}']),
    ('{"a": }', ['"a": }']), ('{"a": "x"]', ["x ]"]), ('{"a": "x" "y"}', ['x  "y"}']),
    ("Hello {", ["Hello {"]),
]  # fmt: skip


def read_of(pieces):
    fields = Fields()
    told = [fields.feed(piece) if fields.reads else piece for piece in pieces]
    return "".join([*told, fields.flush()]), fields.read("".join(pieces), 0)


@pytest.mark.parametrize(("written", "expected"), READ)
def test_json_is_read_by_its_fields(written, expected):
    told, again = feed_every_way(written, read_of)
    assert told == again
    assert len(told) == len(written)
    lines = [line.strip() for line in told.replace(UNSEEN, "").split("\n")]
    assert [line for line in lines if line] == expected


def test_what_is_too_long_or_too_deep_is_no_json():
    for written in ('{"' + "k" * 300 + '": 1}', "{" + " " * 300 + '"a": 1}', "[{" + '"a":{' * 99):
        told, again = feed_every_way(written, read_of)
        assert told == again
        assert len(told) == len(written)
        assert told[-6:] == written[-6:]
    for fill in range(195, 205):  # whatever sign is one too many
        for written in (
            "{" + " " * fill + '"a":1}',
            '{"' + "k" * fill + '":1}',
            '{"a":' + " " * fill + "1}",
        ):
            assert len(feed_every_way(written, read_of)[0]) == len(written)
    for written in ('{"a"' + " " * 300 + ":1}", '{"a": ' + "1" * 300, '{"refs":[' + " " * 300):
        assert len(feed_every_way(written, read_of)[0]) == len(written)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "citations", "id", "url", "x y"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 2]), st.data())
def test_no_split_changes_what_is_read(value, is_ascii, indent, data):
    written = json.dumps({"answer": value}, ensure_ascii=is_ascii, indent=indent)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(written)), max_size=9)))
    pieces = [written[a:b] for a, b in zip([0, *cuts], [*cuts, len(written)], strict=True)]
    assert read_of(pieces) == read_of([written])
    told, again = read_of([written])
    assert told == again
    assert len(told) == len(written)


SIGNS = [
    *'{}[]":,\\\n a1',
    "\\u",
    "d83d",
    "20ac",
    " " * 150,
    "k" * 150,
    "null",
    "citations",
    '{"a":',
]


@given(st.lists(st.sampled_from(SIGNS)), st.data())
def test_no_text_is_too_odd(signs, data):
    written = '{"a":' + "".join(signs)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(written)), max_size=9)))
    pieces = [written[a:b] for a, b in zip([0, *cuts], [*cuts, len(written)], strict=True)]
    assert read_of(pieces) == read_of([written])
    told, again = read_of([written])
    assert (told, len(told)) == (again, len(written))


def result_of(written, context=CONTEXT, policy=None):
    def read(pieces):
        guard = StreamGuard(context, policy)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    return feed_every_way(written, read)


# An answer, and the words that are warned of.
ANSWERS = [
    ('{"size": "small", "price": 4, "currency": "EUR", "bags": 2}', []),
    ('{"size": "small", "price": 4, "currency": "EUR", "bags": 8}', ["8"]),
    ('{"size": "small", "price": 4, "currency": "CHF", "bags": 2}', ["CHF"]),
    ('Here it is:\n\n```json\n{"price": 7, "bags": 2}\n```\nAnything else?', ["7"]),
    ('~~~json\n{"price": "€6"}\n~~~', ["€6"]),
    ('{"answer": "A small locker costs €6 per day.\\nIt holds 2 bags."}', ["€6 per day"]),
    ('{"answer": "A small locker costs \\u20ac6."}', ["\\u20ac6"]),
    ('{"answer": "A small locker costs \\u20ac4."}', []),
    ('<think>€7?</think>{"answer": "A small locker costs €6."}', ["€6"]),
    ('It is €6.\n</think>\n{"answer": "A small locker costs €4."}', []),
    ('{"answer": "It costs<think>€6</think> €4."}', []),
    ('{"answer": "A small \\n<think>€6</think> locker costs €4."}', []),
    ("A small locker costs `€6` per day.", ["€6"]),  # inline code is read
    ("A small locker costs €4.\n```json5\n{price: 6}\n```", []),  # another fence is not
    ("A small locker costs €4.\n\n```python\nprice = '€6'\n```", []),
    ("<think>\n```json\n{}</think>A small locker costs €4.", []),
    ("Say ```json``` and `{` or ~~ x", []),
]  # fmt: skip


@pytest.mark.parametrize(("written", "warned"), ANSWERS)
def test_answers_of_json_are_judged_by_what_they_say(written, warned):
    result = result_of(written)
    told = [one for one in result.findings if one.severity == "warning" and one.start is not None]
    assert [written[one.start : one.end] for one in told] == warned
    assert all(UNSEEN not in (one.value or "") for one in result.findings)


def test_json_is_judged_like_the_text_in_it():
    text = "A small locker costs €6 per day. It holds 2 bags."
    for is_ascii in (True, False):
        result = result_of(json.dumps({"answer": text}, ensure_ascii=is_ascii))
        plain = check_text(text, context=CONTEXT)
        assert [one.value for one in result.findings] == [one.value for one in plain.findings]
        assert result.status == plain.status
        assert result.uncovered_claims == plain.uncovered_claims


def test_citations_beside_the_text_count():
    asked = Context(chunks=CONTEXT.chunks, citations_requested=True)
    asked.prepare()
    bare = result_of('{"answer": "A small locker costs €4 per day."}', asked)
    cited = result_of('{"answer": "A small locker costs €4 per day.", "citations": ["C1"]}', asked)
    unknown = result_of('{"answer": "A small locker costs €4.", "citations": [7]}', asked)
    assert [one.flag for one in bare.findings] == ["uncited_claim", "too_few_citations"]
    assert (cited.findings, cited.citation_density) == ((), 1.0)
    assert [one.flag for one in unknown.findings] == ["citation_unknown"]


def test_the_published_patterns_see_the_fields():
    result = result_of('{"a": "x\\n\\u20ac6 it"}', policy="literal")
    assert [one.value for one in result.findings if one.check == "unsupported_price"] == []


def test_an_escape_in_an_address_is_read_as_nothing():
    written = '{"answer":"Yes.","url":"https:\\/\\/a.example\\/b"}'
    told, _ = feed_every_way(written, read_of)
    assert len(told) == len(written)
    assert "example" not in told


def test_a_finding_begins_where_its_escape_does():
    context = Context(query="What does it cost?", chunks=["The plan costs €29 a month."])
    answer = '{"answer": "The plan costs \\u20ac49 a month."}'
    finding = next(
        f for f in check_text(answer, context=context).findings if f.severity == "warning"
    )
    assert answer[finding.start : finding.end].startswith("\\u20ac49")


def test_a_thought_ends_a_value_that_is_being_read():
    def result(pieces):
        guard = StreamGuard(Context(chunks=["It has 7 seats."]))
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    told = feed_every_way('{"seats": 7\n<think>or 8?</think>}', result)
    assert [thought.opened for thought in told.thoughts] == [True]
