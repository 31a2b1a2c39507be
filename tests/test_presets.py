"""What the presets flag and find of answers that nothing was learned from, as pages state it."""

import re
import sys
from pathlib import Path

import pytest

from streamguard.cli import main
from streamguard.core.model.policy import MEASURED

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
    assert re.search(r"^  moderate .*<- in force$", shown, re.MULTILINE)


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
