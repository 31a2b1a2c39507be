"""The browser module beside the package: its types say what it exports and what the schema has."""

import json
import re
from pathlib import Path

from streamguard.client import browser_files

ROOT = Path(__file__).parent.parent
SCHEMA = json.loads((ROOT / "docs/annotation.schema.json").read_text(encoding="utf-8"))
TYPES = (browser_files() / "streamguard.d.ts").read_text(encoding="utf-8")


def interface(name):
    """Return the fields that an interface names, without its index signature."""
    body = re.search(rf"export interface {name}\b[^{{]*{{\n(.*?)\n}}", TYPES, re.DOTALL)[1]
    return set(re.findall(r"^  (\w+)\??:", body, re.MULTILINE))


def test_the_types_declare_what_the_module_exports():
    source = (browser_files() / "streamguard.js").read_text(encoding="utf-8")
    names = r"^export (?:async )?(?:function\*?|const) (\w+)"
    assert set(re.findall(names, TYPES, re.MULTILINE)) == set(
        re.findall(names, source, re.MULTILINE)
    )


def test_the_types_name_only_fields_that_annotations_have():
    kinds = SCHEMA["$defs"]
    for name, kind in (
        ("Nearest", "Nearest"), ("Finding", "Finding"), ("Evidence", "EvidenceSpan"),
        ("Sentence", "SentenceReport"), ("Reason", "Reason"), ("Result", "GuardrailsResult"),
    ):  # fmt: skip
        assert interface(name) <= set(kinds[kind]["properties"]), name
    assert interface("Annotation") <= set(SCHEMA["properties"])
    assert interface("Finding") == set(kinds["Finding"]["properties"])


def test_every_file_of_the_module_has_its_place_in_the_wheel():
    included = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in ("streamguard.js", "streamguard.d.ts", "README.md"):
        assert (browser_files() / name).is_file()
        assert f'"js/{name}" = "streamguard/browser/{name}"' in included
