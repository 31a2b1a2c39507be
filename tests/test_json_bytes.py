"""A key goes into a JSON object's bytes, or out of them; the rest stays as it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.errors import DecodeError
from streamguard.wire.codecs.json_bytes import with_key, with_key_in
from tests.test_json_turns import read_whole


def without_key(body, name):
    return read_whole(body).without(body, name)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"  ", b"[1]", b'"k"', b"{", b'{"k"', b'{"k":', b'{"k":1', b'{"k":1 "a":2}'),
        *(b"{1:2}", b'{"k" 1}', b'{"k":1,}', b'{"k":tru}', b'{"\xff":1}', b'{"k":' + b"[" * 99_999),
    ],
)
def test_what_is_no_object_is_refused(body):
    with pytest.raises(DecodeError, match="not a JSON object in UTF-8"):
        with_key_in(body, "k", "s", "1")


values = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(
    st.dictionaries(st.text(max_size=3), values, max_size=3),
    values,
    st.sampled_from([None, 1, "\t"]),
)
def test_put_in_and_taken_out_again_leaves_the_object_as_it_was(owner, value, indent):
    owner.pop("k", None)
    body = json.dumps(owner, indent=indent).encode()
    longer = with_key(body, "k", json.dumps(value))
    assert json.loads(longer) == {**owner, "k": value}
    assert json.loads(without_key(longer, "k")) == owner


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"r":{"a":1}}', '{"r":{"a":1,"k":7}}'),
        ('{"r" : { } , "b":2 }\n', '{"r" : { "k":7} , "b":2 }\n'),
        ('{ "r":null,"b":2}', '{ "r":{"k":7},"b":2}'),
        ('{"b":"\\"r\\":{}"}', '{"b":"\\"r\\":{}","r":{"k":7}}'),
        ("{}", '{"r":{"k":7}}'),
        ('{"r":1,"r":{"é":"}"}}', '{"r":1,"r":{"é":"}","k":7}}'),
    ],
)
def test_a_key_is_put_into_an_object_inside_and_no_other_byte_changes(body, expected):
    assert with_key_in(body.encode(), "r", "k", "7") == expected.encode()
