from streamguard import Policy, check_text
from streamguard.core.machine import choices as choices_module
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.errors import ConfigError
from tests.answers import CLEAN, plans


def test_every_choice_has_its_own_text_and_result():
    guards = ChoiceGuards(plans())
    found = guards.feed({0: "The Basic plan costs $59. ", 1: CLEAN})
    found += guards.feed({1: " And", 0: "And"})
    annotation = guards.close("ab" * 16)
    assert {choice for choice, _ in found} == {0}
    assert [finding.check for _, finding in found] == ["unsupported_price"]
    assert annotation.result.choice == 0
    assert [result.choice for result in annotation.choices] == [0, 1]
    assert annotation.choices[1].findings == ()
    assert annotation.stream.pieces == 4


def test_one_choice_stands_alone():
    guards = ChoiceGuards(plans())
    guards.feed({0: CLEAN})
    annotation = guards.close("id", check_us=12.5)
    assert annotation.choices == ()
    assert annotation.result == check_text(CLEAN, context=plans())
    assert (annotation.state, annotation.stream.check_us) == ("complete", 12.5)
    assert guards.close("other", "cancelled") is annotation


def test_choices_over_the_cap_are_not_checked(monkeypatch):
    monkeypatch.setattr(choices_module, "MAX_CHOICES", 2)
    guards = ChoiceGuards()
    guards.feed({0: "a", 1: "b", 2: "c"})
    guards.take(3, "d")
    annotation = guards.close("id")
    assert len(annotation.choices) == 2
    assert annotation.result.flags == ("limit_reached",)
    assert "more than 2 choices" in annotation.result.findings[0].message


def test_settled_sentences_become_live_annotations():
    context = plans()
    context.prepare()
    guards = ChoiceGuards(context, Policy())
    guards.feed({0: f"{CLEAN} It", 3: f"{CLEAN} It"})
    live = guards.settled("id")
    assert [(each.choice, each.index) for each in live] == [(0, 0), (3, 0)]
    assert live[0].sentence.is_claim
    assert live[0].object == "streamguard.sentence"
    assert live[0].to_json().isascii()
    assert guards.settled("id") == []


def test_errors_of_the_caller_go_to_choice_0_with_no_words_but_ours():
    guards = ChoiceGuards()
    guards.feed({1: "x"})
    guards.report_error("text", KeyError("choices"))
    guards.report_error("context", ConfigError("give() takes a Context, not list"))
    told = ("context: ConfigError (give() takes a Context, not list)", "text: KeyError")
    guards.report_limit("an event over 3 bytes")
    annotation = guards.close("id", "client_disconnect")
    assert (annotation.state, annotation.result.ended) == ("partial", "client_disconnect")
    assert annotation.result.errors == told
    assert "an event over 3 bytes" in annotation.result.findings[-1].message
