"""The evaluation as a table and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from streamguard.evaluation.evaluate import Figure, Level, Row

_COLUMNS = (("precision", "precision"), ("recall", "recall"), ("f1", "F1"))
_NOTE = """\
In brackets: 95 % bootstrap intervals over groups of answers. AUROC of a yes or no is the mean of
recall and 1 - false alarms. A score's precision, recall, F1 and false alarms use a threshold
chosen for F1 on the other folds; recall at a budget and ECE (expected calibration error) are read
off the same data."""


def table(levels: Sequence[Level]) -> str:
    """Return the levels as text: all answers with intervals, parts in short."""
    lines: list[str] = []
    for level in levels:
        lines += _in_full(level) if level.part == "all" else _part(level)
    return "\n".join([*lines, "", _NOTE])


def _in_full(level: Level) -> Iterator[str]:
    share = level.bad / (level.bad + level.clean)
    yield ""
    yield f"{level.level}: {level.bad:,.0f} bad, {level.clean:,.0f} clean ({share:.1%} bad)"
    heads = [head for _, head in _COLUMNS]
    yield _line("", [*heads, "AUROC", "false alarms"])
    for row in level.rows:
        cells = [_cell(row.figures[name]) for name, _ in _COLUMNS]
        cells += [_cell(row.auroc), _cell(row.figures["false_alarms"])]
        yield _line(row.name, cells, _more(row))


def _more(row: Row) -> str:
    more = [
        f"recall {recall:.2f} at {budget:.0%} false alarms"
        for budget, recall in row.recall_at.items()
        if recall is not None
    ]
    if row.calibration_error is not None:
        more.append(f"ECE {row.calibration_error:.3f}")
    return "; ".join(more)


def _part(level: Level) -> Iterator[str]:
    yield ""
    yield f"{level.part}: {level.bad:,.0f} bad, {level.clean:,.0f} clean answers"
    yield _line("", ["F1", "AUROC", "false alarms"])
    for row in level.rows:
        figures = (row.figures["f1"], row.auroc, row.figures["false_alarms"])
        yield _line(row.name, [_cell(figure) for figure in figures])


def _line(name: str, cells: Sequence[str], more: str = "") -> str:
    return f"{name:26}{''.join(f'{cell:>19}' for cell in cells)}   {more}".rstrip()


def _cell(figure: Figure) -> str:
    if figure.value is None:
        return "-"
    if figure.interval is None:
        return f"{figure.value:.3f}"
    low, high = figure.interval
    return f"{figure.value:.3f} [{low:.2f} {high:.2f}]"


def as_json(levels: Sequence[Level]) -> list[dict[str, Any]]:
    """Return the levels as plain values; false alarm budgets are keys such as "0.05"."""
    plain = [asdict(level) for level in levels]
    for level in plain:
        for row in level["rows"]:
            row["recall_at"] = {f"{budget:g}": r for budget, r in row["recall_at"].items()}
            row["auroc"] = _named(row["auroc"])
            row["figures"] = {name: _named(figure) for name, figure in row["figures"].items()}
    return plain


def _named(figure: dict[str, Any]) -> dict[str, Any]:
    low, high = figure["interval"] or (None, None)
    return {"value": figure["value"], "low": low, "high": high}
