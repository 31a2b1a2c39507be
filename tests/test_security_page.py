"""What docs/security.md promises and no other test holds."""

import re
import tomllib

import pytest

from streamguard.server.workers.siblings import SiblingWorkers, Worker
from tests.kit.documents import ROOT

PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")


def test_the_base_installation_has_the_four_packages_that_the_page_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[<>=]", each)[0] for each in project["dependencies"]}
    named = re.search(r"The base installation has four: (.+?)\.", PAGE)[1]
    assert names == set(re.split(r", | and ", named))


@pytest.mark.parametrize("count", [1, 4])
def test_an_id_has_the_random_bits_that_the_page_says(count):
    siblings = SiblingWorkers(Worker(count=count))
    ids = [siblings.new_id() for _ in range(500)]
    least = int(re.search(r"ids have (\d+) random bits or more", PAGE)[1])
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in ids)
    varying = [place for place in range(32) if len({each[place] for each in ids}) == 16]
    assert 4 * len(varying) >= least


def test_every_attack_has_an_outcome():
    page = (ROOT / "benchmarks/results/attack.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.+) \| (.+) \|$", page, re.MULTILINE)
    assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1))
    assert len(rows) >= 30
    for number, _, outcome in rows:
        assert outcome.startswith(("held", "mended", "can")), number
