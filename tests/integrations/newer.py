"""Which packages of this environment are others than those that a list pins.

python -m tests.integrations.newer tests/integrations/frameworks.txt
"""

import re
import sys
from importlib.metadata import distributions
from pathlib import Path


def pinned(text):
    """Return the versions that a list of requirements pins, by name in small letters.

    A list may pin several of one name, each for some Pythons.
    """
    pins = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE):
        pins.setdefault(_plain(name), []).append(version)
    return pins


def newer(pins, installed):
    """Return a line for every package whose installed version is another, or that is new."""
    return [
        f"{name} {version}, tested with {' or '.join(pins.get(name, ['none']))}"
        for name, version in sorted(installed.items())
        if version not in pins.get(name, ())
    ]


def _plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def main():
    ours = ("pip", "setuptools", "streamguard-llm")
    found = {_plain(each.metadata["Name"]): each.version for each in distributions()}
    found = {name: version for name, version in found.items() if name not in ours}
    path = Path(sys.argv[1])
    lines = newer(pinned(path.read_text(encoding="utf-8")), found)
    print(f"{path.stem}: {len(found)} packages, {len(lines)} others than in {path.name}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
