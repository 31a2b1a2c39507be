"""What the key `streamguard` says goes to nobody but us, however odd the body that holds it."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.errors import ConfigError
from streamguard.server.request_context import Policies, read_request, without_key_in_turns
from streamguard.wire.codecs import json_turns
from streamguard.wire.codecs.hidden_key import may_hold
from tests.kit.frames import ASKED, PATH, whole
from tests.kit.upstreams import ask, proxy, upstream

SECRET = "S3CRET"
GIVEN = f'{{"chunks": ["Basic costs $10. {SECRET}"]}}'
KEYS = ['"streamguard"', '"\\u0073treamguard"', '"stream\\u0067u\\u0061rd"']
LAX_KEYS = ["'streamguard'", "streamguard", '"\\x73treamguard"', '/* "*/ "streamguard"']
LEADS = ["", " ", "\n\t", "\ufeff", "\ufeff "]
TRAILS = ["", "\n", "\0", " \0\0 "]
MEMBERS = [
    '"model": "m"', '"a": NaN', '"a": -Infinity', f'"n": {"9" * 500}', '"n": 1e999', '"n": -0.0',
    '"a": [1, {"b": "}"}]', '"t": "\\ud83d"', '"t": "é\\"{"', '"streamguards": 1', '"": null',
    '"messages": [{"role": "user", "content": "What?"}]',
]  # fmt: skip
NESTED = [f'"metadata": {{"streamguard": {GIVEN.replace(SECRET, "")}}}', '"t": "streamguard"']
LAX = ["'a': 1", "a: 1", '"a": 1 // why not\n', '"a": [1,]', "/* {\" */ \"a\": 1", '"a": +1',
       '"a": 0x1F', "\"a\": 'it\"s'", "\"a\": {'b': '}'}", '"a": "\\x41"', ""]  # fmt: skip


def body_of(members, lead="", trail=""):
    return f"{lead}{{{', '.join(members)}}}{trail}"


def key(spelt):
    return f"{spelt}: {GIVEN}"


async def at_once():
    pass


def sent_on(body):
    """Return what goes on of a body, whether it is checked or not; None where it is refused."""
    checked, unchecked = (
        _outcome(lambda: read_request(body, Policies()).body),
        _outcome(lambda: ended(without_key_in_turns(body, at_once).__await__())),
    )
    assert checked == unchecked
    return None if isinstance(checked, str) else checked


def _outcome(go_on):
    """Return the body that goes on, or why it is refused."""
    try:
        return go_on()
    except ConfigError as exc:
        return str(exc)


def ended(turns):
    """Return what turns end with."""
    while True:
        try:
            next(turns)
        except StopIteration as end:
            return end.value


def mixed(*further):
    """Return members of which at least one is the key, in any order."""
    keys = st.lists(st.sampled_from(KEYS).map(key), min_size=1, max_size=2)
    others = st.lists(st.sampled_from([*MEMBERS, *NESTED, *further]), max_size=4)
    return st.tuples(keys, others).flatmap(lambda both: st.permutations([*both[0], *both[1]]))


@pytest.mark.parametrize("max_values", [json_turns.MAX_VALUES, 2])
@given(mixed(), st.sampled_from(LEADS), st.sampled_from(TRAILS))
def test_the_key_is_cut_from_every_body_that_some_json_reader_reads(
    max_values, members, lead, trail
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_turns, "MAX_VALUES", max_values)
        sent = sent_on(body_of(members, lead, trail).encode())
    others = [each for each in members if not each.endswith(GIVEN)]
    assert sent.replace(b" ", b"") == body_of(others, lead, trail).replace(" ", "").encode()


@pytest.mark.parametrize("max_values", [json_turns.MAX_VALUES, 2])
@given(
    mixed(*LAX).flatmap(lambda said: st.permutations([*said, key("'streamguard'")])),
    st.sampled_from([*LEADS, "// why\n", "/* {} */", "\x0b"]),
    st.sampled_from([*TRAILS, ";", " // the end", " {}"]),
    st.sampled_from(["utf-8", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"]),
)
def test_no_body_of_a_laxer_reader_takes_the_key_along(max_values, members, lead, trail, encoding):
    body = body_of(members, lead, trail).encode(encoding, "ignore")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_turns, "MAX_VALUES", max_values)
        sent = sent_on(body)
    assert sent is None or SECRET.encode() not in sent.replace(b"\0", b"")


@pytest.mark.parametrize("spelt", [*KEYS, *LAX_KEYS])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32-le"])
def test_each_spelling_in_each_encoding_is_cut_or_refused(spelt, encoding):
    body = body_of(['"model": "m"', key(spelt)], lead=" ").encode(encoding)
    sent = sent_on(body)
    assert sent is None or SECRET.encode() not in sent
    assert (sent is not None) == (encoding == "utf-8-sig" and spelt in KEYS)


@pytest.mark.parametrize("body", [
    b'{"model": "m", "metadata": {"streamguard": 1}}',  # theirs
    b'[{"streamguard": 1}]',
    b'"streamguard"',
    b"model=m&q=what+is+streamguard",
    b'--x\r\nContent-Disposition: form-data; name="q"\r\n\r\n{"streamguard": 1}',
    b"{no JSON, and no word of it}",
    b"\xff\xfe{\0}\0",
    b"streamguard {",
])  # fmt: skip
def test_what_holds_no_key_of_ours_goes_on_as_it_came(body):
    assert sent_on(body) == body


def test_a_long_body_is_looked_through_in_turns_and_across_them():
    turns = may_hold(b"{" + b"\\u0041" * 100_000, "streamguard")
    assert len(list(turns)) == 600_001 // 8_192 + 1
    for at in range(8_192 - 80, 8_192 + 2):
        for word in (b"streamguard", rb"\u0073treamguard", "streamguard".encode("utf-16-le")):
            looking = may_hold(b"{" + b" " * at + word + b" " * 9_000, "streamguard")
            assert ended(looking)


def test_a_distance_that_is_no_number_is_refused_by_name():
    given = '{"chunks": [{"text": "a", "distance": NaN}]}'
    with pytest.raises(ConfigError, match=r"streamguard\.chunks\.0"):
        read_request(f'{{"streamguard": {given}}}'.encode(), Policies())


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["header", "off"])
@pytest.mark.parametrize("encoding", ["", "gzip"])
async def test_an_upstream_gets_the_body_without_the_key_and_a_lax_one_is_refused(form, encoding):
    member = key(KEYS[1])
    told = json.dumps(ASKED)
    good = f'\ufeff{told[:-1]}, {member}, "n": NaN}}\0'.encode()
    odd = f"{told[:-1]}, {member}, 'n': 1}}".encode()
    headers = {"Content_Encoding": encoding} if encoding else {}
    packed = (lambda body: gzip.compress(body)) if encoding else (lambda body: body)
    async with upstream(whole(b"{}")) as up, proxy(up.url) as base:
        got = await ask(base, packed(good), PATH, x_streamguard=form, **headers)
        assert (got.status, len(up.requests)) == (200, 1)
        assert up.requests[0].body == f'\ufeff{told[:-1]}, "n": NaN}}\0'.encode()
        got = await ask(base, packed(odd), PATH, x_streamguard=form, **headers)
        error = json.loads(got.body)["error"]
        assert (got.status, error["code"], len(up.requests)) == (400, "bad_streamguard_key", 1)
        at = odd.index(b"'n'")
        assert f"from byte {at} on, and it holds the word" in error["message"]
