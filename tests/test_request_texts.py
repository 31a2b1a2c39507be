"""The packs on the texts of a request: what is masked, what rejects it, what is left alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError
from streamguard.integrations.request_texts import checked_request

MAIL, CARD = "joe@corp.example", "4111 1111 1111 1111"
KEY = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"


def policy(on_violation="mask", **settings):
    hold = {"hold": "sentence"} if on_violation != "annotate" else {}
    settings = {"block": ("pii", "secret"), **settings}
    return Policy.preset("moderate", on_violation=on_violation, **hold, **settings)


def said(text):
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def test_what_is_blocked_is_masked_and_the_rest_is_the_same_object():
    request = {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": f"I am {MAIL}, my card is {CARD}, my key {KEY}."},
        ],
    }
    given = json.dumps(request)
    checked = checked_request(request, policy())
    masked = "I am [EMAIL], my card is [CARD], my key [SECRET]."
    assert checked.request["messages"][1]["content"] == masked
    assert checked.request["messages"][0] is request["messages"][0]
    assert (checked.masked, checked.rejected) == (True, False)
    assert json.dumps(request) == given
    assert {one.check.partition(":")[0] for one in checked.noticed} == {"pii", "secret"}
    told = json.dumps(checked.to_dict())
    assert '"action": "masked"' in told
    for match in (MAIL, CARD, KEY):
        assert match not in told


@pytest.mark.parametrize("on_violation", ["stop", "replace"])
def test_a_policy_that_stops_rejects_and_names_kinds_and_places(on_violation):
    request = said(f"Write to {MAIL} and {MAIL}, or pay with {CARD}.")
    checked = checked_request(request, policy(on_violation))
    assert checked.rejected
    assert not checked.masked
    assert checked.request == request
    assert checked.reason == (
        "streamguard rejected the request: pii:email in messages[0].content,"
        " pii:card in messages[0].content"
    )
    assert checked.to_dict()["action"] == "rejected"


def test_what_is_not_blocked_is_noticed_alone():
    request = said(f"Write to {MAIL}.")
    for told in (policy("annotate", packs=("pii",), block=()), policy("annotate")):
        checked = checked_request(request, told)
        assert checked.request == request
        assert not checked.rejected
        assert not checked.masked
        assert [one.check for one in checked.noticed] == ["pii:email"]
        assert checked.to_dict()["action"] == "none"
    checked = checked_request(request, policy(packs=("pii",), block=("secret",)))
    assert not checked.masked
    assert [one.blocked for one in checked.noticed] == [False]


def test_an_allowed_value_is_no_finding():
    checked = checked_request(said(f"Write to {MAIL}."), policy(pack_allow=("@corp.example",)))
    assert checked.noticed == ()
    assert not checked.masked


def test_a_pattern_of_ones_own_is_masked_and_not_repeated():
    own = policy(patterns={"ticket": r"TCK-[0-9]+"}, block=("regex",))
    checked = checked_request(said("It is TCK-123."), own)
    assert checked.request["messages"][0]["content"] == "It is •••."
    assert "TCK" not in json.dumps(checked.to_dict())


PLACES = [
    {"messages": [{"role": "user", "content": [{"type": "text", "text": MAIL}]}]},
    {"system": [{"type": "text", "text": MAIL}], "messages": []},
    {"instructions": MAIL, "input": "Hello"},
    {"input": [{"role": "user", "content": [{"type": "input_text", "text": MAIL}]}]},
    {"input": [{"type": "function_call_output", "call_id": "c", "output": MAIL}]},
    {"prompt": [MAIL, "Hello"]},
    {"contents": [{"role": "user", "parts": [{"text": MAIL}]}]},
    {"messages": ({"role": "tool", "tool_call_id": "c", "content": MAIL},)},
    {
        "messages": [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c", "function": {"name": "f", "arguments": json.dumps({"to": MAIL})}}
                ],
            }
        ]
    },
    {"messages": [{"content": [{"type": "tool_use", "id": "c", "input": {"url": MAIL}}]}]},
    {"messages": [{"content": [{"type": "tool_result", "content": [{"text": MAIL}]}]}]},
]


@pytest.mark.parametrize("request_", PLACES)
def test_texts_are_found_wherever_the_protocols_have_them(request_):
    checked = checked_request(request_, policy())
    assert checked.masked
    sent = json.dumps(checked.request)
    assert MAIL not in sent
    assert "[EMAIL]" in sent


def test_names_addresses_and_media_are_no_texts():
    part = {"type": "image_url", "image_url": {"url": f"https://x.example/?of={MAIL}"}}
    request = {
        "model": MAIL,
        "user": MAIL,
        "metadata": {"by": MAIL},
        "messages": [{"role": "user", "name": MAIL, "content": [part, {"text": ""}, 5, None]}],
    }
    checked = checked_request(request, policy())
    assert checked.request == request
    assert checked.noticed == ()


def test_packs_of_answers_say_nothing_of_a_request():
    answers = policy(packs=("links", "language"), block=("link", "language", "unsupported_price"))
    text = "See https://nowhere.example/ for that. Das ist ein deutscher Satz in der Frage."
    checked = checked_request(said(text), answers)
    assert checked.noticed == ()
    assert checked.request == said(text)


def test_more_matches_than_one_answer_may_have_are_all_masked():
    text = " ".join(f"Mail u{number}@corp.example now." for number in range(1_200))
    checked = checked_request(said(text), policy())
    assert "@" not in checked.request["messages"][0]["content"]
    assert checked.masked


def test_a_check_that_fails_rejects_where_the_policy_is_closed():
    slow = {"packs": ("regex", "pii"), "patterns": {"slow": r"(a|aa)+(a|aa)+(a|aa)+$"}}
    text = said("a" * 400 + "! " + MAIL)
    opened = checked_request(text, policy(**slow))
    assert opened.masked
    assert "check_error" in [one.flag for one in opened.noticed]
    closed = checked_request(text, policy(hold_fails="closed", **slow))
    assert closed.rejected
    assert "pii:email" in closed.reason
    assert closed.request == text


@pytest.mark.slow
def test_a_limit_rejects_where_the_policy_is_closed():
    text = said("Word. " * 350_000)
    assert not checked_request(text, policy()).rejected
    checked = checked_request(text, policy(hold_fails="closed"))
    assert checked.rejected
    assert {one.flag for one in checked.noticed} == {"limit_reached"}


def test_a_pack_that_is_none_is_an_error():
    with pytest.raises(ConfigError, match="packs holds pii:shoe"):
        checked_request(said("Hello"), policy(packs=("pii:shoe",)))


@given(st.text(max_size=60), st.text(max_size=60))
def test_text_without_a_match_is_never_changed(before, after):
    request = said(f"{before} {after}")
    checked = checked_request(request, policy(block=("pii:iban",), packs=("pii:iban",)))
    if not checked.noticed:
        assert checked.request["messages"] is request["messages"]
