"""Rooms import downwards only, and the pure rooms stay pure."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "streamguard"

# Room -> rooms it may import, beside itself and `errors`. ARCHITECTURE.md draws the picture.
MAY_IMPORT = {
    "core": set(),
    "wire": {"core"},
    "framework_items": {"core", "wire"},
    "adapters": {"core", "wire", "framework_items"},
    "tap": {"core", "wire", "adapters"},
    "stream": {"core", "wire", "adapters", "tap"},
    "stream_sync": {"core", "wire", "adapters", "tap"},
    "sinks": {"core"},
    "settings": {"core"},
    "integrations": {
        "core", "wire", "framework_items", "adapters", "tap", "stream", "stream_sync",
    },
    "rag": {"core"},
    "evaluation": {"core"},
    "server": {
        "core", "wire", "adapters", "tap", "stream", "sinks", "settings", "rag", "integrations",
    },
    "demo": {"core", "wire", "adapters", "stream", "sinks", "settings", "rag", "server"},
    "commands": {
        "core", "wire", "adapters", "stream", "sinks", "settings", "rag", "evaluation", "server",
        "demo",
    },
    "cli": {"core", "wire", "stream", "sinks", "settings", "rag", "server", "demo", "commands"},
}  # fmt: skip
PURE_ROOMS = ("core", "wire")
CORE_PACKAGES = {"pydantic", "regex"}
IMPURE = {
    "asyncio", "anyio", "aiohttp", "io", "os", "pathlib", "random", "secrets", "socket",
    "subprocess", "tempfile", "time", "urllib", "uuid",
}  # fmt: skip
IMPURE_CALLS = {"open", "input", "print"}


def modules(room: str) -> list[Path]:
    single = PACKAGE / f"{room}.py"
    return [single] if single.exists() else sorted((PACKAGE / room).rglob("*.py"))


def rooms() -> set[str]:
    found = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__", "errors"}
    return found | {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_every_room_has_a_rule():
    assert rooms() <= set(MAY_IMPORT)


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_what_lies_below_it(room):
    for path in modules(room):
        for name in imported(path):
            parts = name.split(".")
            if parts[0] != "streamguard":
                continue
            assert len(parts) > 1, f"{path} imports the root package"
            assert parts[1] in {room, "errors", *MAY_IMPORT[room]}, f"{path} imports {name}"


@pytest.mark.parametrize("room", PURE_ROOMS)
def test_a_pure_room_uses_no_io_clock_or_randomness(room):
    for path in modules(room):
        tops = {name.split(".")[0] for name in imported(path)}
        assert not tops & IMPURE, f"{path} imports {tops & IMPURE}"
        foreign = tops - set(sys.stdlib_module_names) - {"streamguard"}
        assert foreign <= CORE_PACKAGES, f"{path} imports {foreign}"


@pytest.mark.parametrize("room", PURE_ROOMS)
def test_a_pure_room_has_no_async_code_and_opens_nothing(room):
    for path in modules(room):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.AsyncFunctionDef | ast.Await), path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in IMPURE_CALLS, f"{path} calls {node.func.id}"


def test_the_root_package_imports_neither_a_server_nor_an_sdk():
    code = (
        "import sys, streamguard;"
        "known = {'aiohttp', 'openai', 'rich', 'uvloop', 'babel', 'streamguard.integrations'};"
        "print(sorted(known & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
