"""What the client matrix needs on the machine, and the commands that run its probes."""

import asyncio
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PROBES = HERE / "probes"
INSTALLED = ROOT / ".clients"
ENVIRONMENTS = ROOT / ".venv-integrations"
BROWSER = os.environ.get("STREAMGUARD_BROWSER", "chromium")
_NODE = ("nodejs", "npm")
_NPM = ("--ignore-scripts", "--no-audit", "--no-fund", "--silent")
_PIP = ("--quiet", "--disable-pip-version-check", "--no-compile")


def missing(sets):
    """Return what the sets need of the machine and it lacks, a sentence each."""
    lacking = []
    if any(each.node for each in sets):
        absent = [name for name in ("node", "npm") if shutil.which(name) is None]
        if absent:
            lacking.append(f"{' and '.join(absent)} not found: apt-get install {' '.join(_NODE)}")
    if any(each.browser for each in sets) and shutil.which(BROWSER) is None:
        lacking.append(
            f"{BROWSER} not found: apt-get install chromium, or name one in STREAMGUARD_BROWSER"
        )
    return lacking


def unmade(sets):
    """Return the environments that the sets need and are not there, a sentence each."""
    return [
        f"{_python_of(each)} not found: make test-clients installs it"
        for each in sets
        if each.environment and not _python_of(each).exists()
    ]


def versions(sets):
    """Return what the sets run, in Python and in Node, as `package version, version; package …`."""
    found = {}
    for each in sets:
        for package in each.packages:
            name, _, version = package.replace("==", "@").rpartition("@")
            if not name:
                name, version = package, _pinned(each.environment, package)
            language = "Node" if each.node else "Python"
            found.setdefault((language, name), {})[version] = None
    shown = {
        language: "; ".join(
            f"{name} {', '.join(found[each, name])}"
            for each, name in sorted(found)
            if each == language
        )
        for language in ("Python", "Node")
    }
    return ". ".join(f"{language}: {packages}" for language, packages in shown.items())


def _pinned(environment, package):
    pins = (ROOT / "tests" / "integrations" / f"{environment}.txt").read_text(encoding="utf-8")
    return re.search(rf"^{re.escape(package)}==(\S+)", pins, re.MULTILINE)[1]


async def install(each):
    """Install a set's packages, unless they are there at these versions."""
    folder = INSTALLED / each.name
    mark = folder / ".installed"
    wanted = "\n".join(each.packages)
    if each.environment or not each.packages or (mark.exists() and mark.read_text() == wanted):
        return
    print(f"installing {each.name}: {' '.join(each.packages)}", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if each.node:
        (folder / "package.json").write_text('{"private": true, "type": "module"}')
        command = ("npm", "install", "--prefix", folder, *_NPM, *each.packages)
    else:
        pip = (sys.executable, "-m", "pip", "install", "--target", folder)
        command = (*pip, *_PIP, *each.packages)
    process = await asyncio.create_subprocess_exec(*map(str, command), cwd=folder)
    if await process.wait():
        raise SystemExit(f"{each.name}: the installation failed")
    mark.write_text(wanted)


def command_of(each, probe):
    """Return the command that runs a probe on its set, and its environment."""
    folder = INSTALLED / each.name
    if each.node:
        # Node looks for packages beside the script, not beside the working directory.
        for script in PROBES.glob("*.mjs"):
            shutil.copy(script, folder)
        return ("node", folder / probe), dict(os.environ)
    quiet = ("-W", "ignore", PROBES / probe)
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if each.environment:
        return (_python_of(each), *quiet), bare
    # The interpreter without this environment's packages: the set's alone.
    python = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return (python, *quiet), bare | {"PYTHONPATH": str(folder), "PYTHONNOUSERSITE": "1"}


def _python_of(each):
    return ENVIRONMENTS / each.environment / "bin" / "python"


def machine():
    """Return the versions of Python, Node and the browser."""
    said = [
        subprocess.run([name, "--version"], capture_output=True, text=True, check=True).stdout
        for name in ("node", BROWSER)
    ]
    node, browser = (re.search(r"\d+(\.\d+)*", each)[0] for each in said)
    return f"Python {platform.python_version()}, Node {node}, Chromium {browser}"
