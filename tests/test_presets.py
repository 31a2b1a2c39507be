"""What the presets flag and find of answers that nothing was learned from, as pages state it."""

import re
import sys
from pathlib import Path

import pytest

from benchmarks.bench_gate import HANDBOOKS, nearest_of_each
from streamguard.cli import main
from streamguard.core.model.policy import GATE_SHARES, GATES, MEASURED
from streamguard.rag.lexical import SHARE_GATES

ROOT = Path(__file__).parent.parent
NEAR = 0.01  # of a share: what a change of the checks may move before its page is renewed


def test_the_page_and_the_command_state_what_was_measured(capsys):
    page = (ROOT / "docs/guides/verdicts.md").read_text(encoding="utf-8")
    assert main(["policy"]) == 0
    shown = capsys.readouterr().out
    for name, (chosen, others) in MEASURED.items():
        row = f"| `{name}` | {chosen.flagged:.3f} ({others.flagged:.3f}) | {chosen.found:.3f} "
        assert f"{row}({others.found:.3f}) |" in page
        figures = rf"{chosen.flagged:.3f}\s+{chosen.found:.3f}\s+{others.flagged:.3f}, "
        assert re.search(rf"^  {name}\s+{figures}{others.found:.3f}", shown, re.MULTILINE)
    assert len(re.findall(r"^  moderate .*<- in force$", shown, re.MULTILINE)) == 2
    for name, (fitted, unseen) in GATE_SHARES.items():
        row = f"{fitted.let_through:.3f} ({unseen.let_through:.3f}) | {fitted.declined:.3f} "
        assert f"{row}({unseen.declined:.3f}) |" in page
        figures = rf"{fitted.let_through:.3f}\s+{fitted.declined:.3f}\s+{unseen.let_through:.3f}, "
        assert re.search(rf"^  {name}\s+{figures}{unseen.declined:.3f}", shown, re.MULTILINE)


def test_a_stricter_preset_flags_and_finds_more():
    for which in (0, 1):
        points = [MEASURED[name][which] for name in ("strict", "moderate", "lenient")]
        assert points == sorted(points, reverse=True)
        assert [one.found for one in points] == sorted((o.found for o in points), reverse=True)


@pytest.mark.slow
def test_the_presets_do_on_the_held_out_answers_as_it_is_stated(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    bench_presets = pytest.importorskip("bench_presets")
    for name, found in bench_presets.shares(bench_presets.held_out()).items():
        assert found == pytest.approx(MEASURED[name][1], abs=NEAR), name
    assert "bench_presets" in sys.modules


def test_the_gates_let_through_and_decline_what_is_stated_of_them():
    fitted, unseen = ["development"], ["strangers", "newcomers", "later", "guests"]
    for which, parts in enumerate((fitted, unseen)):
        asked = [one for part in parts for one in nearest_of_each(HANDBOOKS / part)]
        answerable = [nearest for file, nearest in asked if file is not None]
        others = [nearest for file, nearest in asked if file is None]
        assert len(answerable) > 200
        for name, threshold in zip(GATES, SHARE_GATES, strict=True):
            through = sum(one >= threshold for one in answerable) / len(answerable)
            declined = sum(one < threshold for one in others) / len(others)
            assert (through, declined) == pytest.approx(GATE_SHARES[name][which], abs=0.0005)
