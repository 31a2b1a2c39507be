#!/usr/bin/env bash
# Build the package, check what an index would show, install the wheel where nothing else is, and
# run the README's blocks against it: scripts/release_check.sh
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/.venv/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install() { "$1/bin/python" -m pip install --quiet --disable-pip-version-check "${@:2}"; }

echo "building"
"$python" -m venv "$work/tools"
install "$work/tools" build twine
"$work/tools/bin/python" -m build --quiet --outdir "$work/dist" .
"$work/tools/bin/twine" check --strict "$work"/dist/*

echo "looking into the source distribution"
tar -xzf "$work"/dist/*.tar.gz -C "$work"
sources=$(find "$work" -maxdepth 1 -name 'streamguard_llm-*' -type d)
git ls-files >"$work/tracked"
while read -r file; do
	[ -e "$sources/$file" ] || { echo "the source distribution lacks $file"; exit 1; }
done <"$work/tracked"
(cd "$sources" && PYTHONPATH=$sources "$python" -m pytest -p no:cacheprovider --collect-only -qq >/dev/null)
(cd "$sources" && PYTHONPATH=$sources "$python" -m pytest -p no:cacheprovider -q tests/test_pages.py tests/test_public.py)

echo "installing the wheel where nothing else is"
"$python" -m venv "$work/clean"
install "$work/clean" --constraint constraints.txt "$work"/dist/*.whl
cp README.md "$work"
cd "$work"
env -u PYTHONPATH "$work/clean/bin/python" -I - <<'PYTHON'
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import streamguard

assert Path(streamguard.__file__).is_relative_to(sys.prefix), streamguard.__file__
names = {"__name__": "__main__"}  # the blocks are one program, from the first to the last
readme = Path("README.md").read_text(encoding="utf-8")
blocks = re.findall(r"^```(\w+)\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
for language, text in blocks:
    if language == "python":
        exec(compile(text, "README.md", "exec"), names)
    elif language == "json":
        json.loads(text)
    else:
        for line in text.splitlines():
            program, command, *_ = shlex.split(line.split("#")[0])
            if program.endswith("streamguard"):
                told = [Path(sys.prefix) / "bin/streamguard", command, "--help"]
                subprocess.run(told, check=True, stdout=subprocess.DEVNULL)
ran = sum(language == "python" for language, _ in blocks)
print(f"streamguard {streamguard.__version__}: {len(blocks)} blocks of the README, {ran} of them run")
PYTHON
