from streamguard import check_text
from streamguard.core.machine import choices as choices_module
from streamguard.core.machine.choices import ChoiceGuards
from tests.kit.answers import CLEAN, plans


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


def test_who_is_cut_short_judges_no_more_and_says_so():
    guards = ChoiceGuards(plans())
    guards.feed({0: f"{CLEAN} {CLEAN} "})
    guards.cut_short()
    guards.take(0, "Basic costs $77 [C1]. ")
    result = guards.close("id").result
    assert (result.status, result.reasons[0].code) == ("WARN", "limit_reached")
    assert "unsupported_price" not in {finding.check for finding in result.findings}
