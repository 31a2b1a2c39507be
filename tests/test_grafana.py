"""The Grafana dashboard asks for nothing that the proxy does not say."""

import json
import re
from pathlib import Path

import pytest

from streamguard.server.observe.metrics import Metrics

BOARD = json.loads((Path(__file__).parent.parent / "docs/grafana.json").read_text())
QUERIES = [
    (panel["title"], target) for panel in BOARD["panels"] for target in panel["targets"]
]  # fmt: skip
_METRIC = re.compile(r"\b((?:streamguard|process)_[a-z_]+)(\{[^}]*\})?")


def known():
    """Return the labels of every sample's name."""
    found = {}
    for family in Metrics().families():
        if family.kind == "histogram":
            found |= {f"{family.name}_{end}": set() for end in ("sum", "count")}
            found[f"{family.name}_bucket"] = {"le"}
        else:
            found[family.name] = set(family.labels)
    return found


@pytest.mark.parametrize(("title", "target"), QUERIES)
def test_every_metric_and_label_of_a_panel_exists(title, target):
    samples, expression = known(), target["expr"]
    named = _METRIC.findall(expression)
    assert named
    labels = {"worker"}
    for name, _ in named:
        assert name in samples, name
        labels |= samples[name]
    asked = re.findall(r"by \(([^)]*)\)", expression)
    asked += re.findall(r"[{,]\s*(\w+)\s*[=!]", expression)
    for names in asked:
        assert {each.strip() for each in names.split(",")} <= labels, expression
    assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= labels
    assert expression.count("(") == expression.count(")")


def test_every_panel_has_its_own_place_and_asks_the_chosen_source():
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in BOARD["panels"]]
    assert len(set(places)) == len(places)
    assert {panel["datasource"]["uid"] for panel in BOARD["panels"]} == {"${datasource}"}
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(places)
