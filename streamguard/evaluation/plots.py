"""Curves as hand-written SVG: three kinds of lines in a square need no plotting library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from streamguard.evaluation.evaluate import Level

# Okabe and Ito's colours, which people with any kind of colour vision can distinguish. Each line
# also has its own pattern.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ("", "7 3", "2 2", "9 3 2 3", "12 4", "4 4")
_REFERENCE = "#999"
_SIDE, _LEFT, _TOP, _BELOW, _LEGEND = 400, 60, 40, 50, 300
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)

Point = tuple[float, float]
_DIAGONAL: tuple[Point, ...] = ((0.0, 0.0), (1.0, 1.0))


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A line through points in [0, 1] x [0, 1], with its name.

    `is_marked` draws the points too; an `is_reference` line belongs to no measure and is grey.
    """

    name: str
    points: Sequence[Point]
    is_marked: bool = False
    is_reference: bool = False


def plots(levels: Sequence[Level]) -> dict[str, str]:
    """Return the SVG of every plot by file name, at the levels of all answers."""
    found: dict[str, str] = {}
    for level in levels:
        if level.part != "all":
            continue
        scores = [row for row in level.rows if row.is_score]
        rocs = [PlotLine(_legend(r.name, "AUROC", r.auroc.value), r.roc) for r in scores]
        prs = [PlotLine(_legend(r.name, "F1", r.figures["f1"].value), r.pr) for r in scores]
        chance = PlotLine("chance", _DIAGONAL, is_reference=True)
        found[f"roc-{level.level}.svg"] = svg(
            f"ROC, {level.level}", "false alarms", "recall", [chance, *rocs]
        )
        found[f"pr-{level.level}.svg"] = svg(
            f"Precision and recall, {level.level}", "recall", "precision", prs
        )
        curves = [
            PlotLine(
                _legend(r.name, "ECE", r.calibration_error), [(b.mean, b.bad) for b in r.bins], True
            )
            for r in level.rows
            if r.bins
        ]
        if curves:
            ideal = PlotLine("as said", _DIAGONAL, is_reference=True)
            found[f"calibration-{level.level}.svg"] = svg(
                f"Calibration, {level.level}", "risk as said", "share that is bad", [ideal, *curves]
            )
    return found


def _legend(name: str, what: str, figure: float | None) -> str:
    return name if figure is None else f"{name} ({what} {figure:.3f})"


def svg(title: str, across: str, up: str, lines: Sequence[PlotLine]) -> str:
    """Return a plot of the unit square with axes, grid and legend; both axes run from 0 to 1."""
    width, height = _LEFT + _SIDE + _LEGEND, _TOP + _SIDE + _BELOW
    middle = _LEFT + _SIDE / 2
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
    turned = f"translate(16 {_TOP + _SIDE / 2:g}) rotate(-90)"
    parts = [
        f'{head} font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{middle:g}" y="24" text-anchor="middle" font-size="15">{escape(title)}</text>',
        *_grid(),
        f'<text x="{middle:g}" y="{height - 10}" text-anchor="middle">{escape(across)}</text>',
        f'<text transform="{turned}" text-anchor="middle">{escape(up)}</text>',
    ]
    for number, line in enumerate(lines):
        parts += _drawn(line, number)
    return "\n".join([*parts, "</svg>", ""])


def _grid() -> list[str]:
    parts = []
    for tick in _TICKS:
        x, y = _place((tick, tick))
        bottom, right = _TOP + _SIDE, _LEFT + _SIDE
        parts += [
            f'<path d="M{x:g} {_TOP}V{bottom}M{_LEFT} {y:g}H{right}" stroke="#ddd" fill="none"/>',
            f'<text x="{x:g}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>',
            f'<text x="{_LEFT - 8}" y="{y + 4:g}" text-anchor="end">{tick:g}</text>',
        ]
    return parts


def _drawn(line: PlotLine, number: int) -> list[str]:
    colour = _REFERENCE if line.is_reference else _COLOURS[number % len(_COLOURS)]
    dash = _DASHES[number % len(_DASHES)]
    style = f'stroke="{colour}" stroke-width="2" fill="none"'
    style += f' stroke-dasharray="{dash}"' if dash else ""
    places = [_place(point) for point in line.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    y = _TOP + 12 + 20 * number
    x = _LEFT + _SIDE + 20
    marks = [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in places]
    return [
        f'<polyline points="{path}" {style}/>',
        *(marks if line.is_marked else ()),
        f'<path d="M{x} {y - 4}h30" {style}/>',
        f'<text x="{x + 38}" y="{y}">{escape(line.name)}</text>',
    ]


def _place(point: Point) -> Point:
    return _LEFT + _SIDE * point[0], _TOP + _SIDE * (1.0 - point[1])
