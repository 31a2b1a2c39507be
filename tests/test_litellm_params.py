"""What `litellm_params` say of the policy, and what a whole answer loses by it."""

import asyncio

import pytest

from streamguard import Context, check_text
from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError
from streamguard.integrations.litellm_params import policy_in
from streamguard.integrations.streams import held

CONTEXT = Context(query="What does Pro cost?", chunks=["The Pro plan costs $29 per month."])
ANSWER = "The Pro plan costs $29 per month. Basic costs $19 per month. Ask sales."


def test_a_preset_a_file_and_nothing_give_a_policy(tmp_path):
    assert policy_in("strict", "g") == Policy.preset("strict")
    assert policy_in(None, "g") == Policy()
    assert policy_in(Policy.preset("lenient"), "g") == Policy.preset("lenient")
    file = tmp_path / "mine.toml"
    file.write_text('preset = "strict"\npacks = ["pii"]\n')
    assert policy_in(str(file), "g").packs == ("pii",)


def test_a_table_changes_a_preset_and_is_named_like_the_guardrail():
    made = policy_in({"preset": "strict", "packs": ["pii"]}, "mine")
    assert made == Policy.preset("strict", packs=("pii",), name="mine")


def test_what_blocks_stops_and_holds_sentences_unless_it_says_otherwise():
    assert policy_in({"block": ["pii"]}, "g") == Policy.preset(
        "moderate", name="g", block=("pii",), on_violation="stop", hold="sentence"
    )
    masks = policy_in({"block": ["pii"], "on_violation": "mask", "hold": "answer"}, "g")
    assert (masks.on_violation, masks.hold) == ("mask", "answer")
    assert policy_in({"block": ["pii"], "on_violation": "annotate"}, "g").hold == "off"
    assert policy_in({"packs": ["pii"]}, "g").hold == "off"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("severe", "policy is 'severe'"),
        (5, "policy is an int|policy is a int|int"),
        ({"preset": 5}, "policy.preset is 5"),
        ({"preset": "severe"}, "policy is 'severe'"),
        ({"blocks": ["pii"]}, "did you mean block"),
        ({"on_violation": "shout"}, "on_violation is 'shout'"),
        ({"on_violation": "stop"}, "block names nothing"),
    ],
)
def test_a_wrong_policy_is_told(wrong, said):
    with pytest.raises(ConfigError, match=said):
        policy_in(wrong, "g")


def run(texts, **settings):
    settings = {"block": ["unsupported_price"], **settings}
    return asyncio.run(held(texts, CONTEXT, {"policy": policy_in(settings, "g")}))


def test_a_whole_answer_leaves_as_the_policy_says():
    annotation, left = run({0: ANSWER}, on_violation="mask")
    assert left == {0: "The Pro plan costs $29 per month. Basic costs •••. Ask sales."}
    assert annotation.hold.action == "masked"
    annotation, left = run({0: ANSWER})
    assert left == {0: "The Pro plan costs $29 per month. "}
    assert annotation.result.ended == "blocked"
    annotation, left = run({0: ANSWER}, on_violation="replace", replacement_text="Ask us.")
    assert left == {0: "The Pro plan costs $29 per month. Ask us."}
    annotation, left = run({0: ANSWER}, hold="answer")
    assert left == {0: ""}


def test_an_answer_that_nothing_blocks_leaves_as_it_is_with_its_verdict():
    text = "The Pro plan costs $29 per month."
    annotation, left = run({0: text, 1: text})
    assert left == {0: text, 1: text}
    assert annotation.hold.action == "none"
    assert [one.choice for one in annotation.choices] == [0, 1]
    annotation, left = run({0: text})
    named = policy_in({"block": ["unsupported_price"]}, "g")
    assert annotation.result == check_text(text, context=CONTEXT, policy=named)


def test_a_long_whole_answer_waits_as_long_as_it_has_to():
    long = "The Pro plan costs $29 per month. " * 200
    annotation, left = run({0: f"{long}Basic costs $19."}, max_hold_chars=50, max_hold_s=0.001)
    assert not annotation.hold.early
    assert left == {0: long}
    assert run({})[1] == {}
