"""Rooms import downwards only, and the pure rooms stay pure."""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "streamguard"

# Room -> rooms it may import, beside itself, `errors` and `version`. ARCHITECTURE.md
# draws the picture.
MAY_IMPORT = {
    "text": set(),
    "values": {"text"},
    "prompt": {"text"},
    "core": {"text", "values", "prompt"},
    "wire": {"core", "text", "prompt"},
    "framework_items": {"core", "text", "wire"},
    "framework_evidence": {"core", "wire", "framework_items"},
    "adapters": {"core", "text", "wire", "framework_items", "framework_evidence"},
    "verify": {"core", "text", "values", "rag"},
    "examiner": {"core", "verify"},
    "finished": {"core", "verify", "examiner"},
    "delivering": {"core", "examiner"},
    "holder": {"core", "text", "wire"},
    "tap": {
        "core", "text", "wire", "adapters", "verify", "examiner", "delivering", "holder",
    },
    "sources": {"core", "delivering", "tap"},
    "held_stream": {"core", "sources", "tap"},
    "stream": {
        "core", "text", "wire", "adapters", "verify", "examiner", "delivering", "tap", "holder",
        "sources", "held_stream",
    },
    "stream_sync": {
        "core", "text", "wire", "adapters", "verify", "delivering", "tap", "holder",
    },
    "sinks": {"core", "text"},
    "settings": {"core", "text"},
    "testing": set(),
    "client": set(),
    "integrations": {
        "core", "text", "wire", "framework_items", "adapters", "verify", "tap", "stream",
        "stream_sync", "sinks", "settings",
    },
    "rag": {"core", "text", "prompt"},
    "evaluation": {"core", "text"},
    "audit": {"core", "text", "wire"},
    "server": {
        "core", "text", "values", "wire", "adapters", "verify", "examiner", "delivering", "tap",
        "holder", "stream", "sinks", "settings", "rag", "integrations", "client",
    },
    "demo": {
        "core", "text", "prompt", "wire", "adapters", "verify", "stream", "sinks", "settings",
        "rag", "server",
    },
    "commands": {
        "core", "text", "prompt", "wire", "adapters", "stream", "sinks", "settings", "rag",
        "evaluation", "audit", "verify", "finished", "server", "demo",
    },
    "cli": {
        "core", "text", "wire", "stream", "sinks", "settings", "rag", "server", "demo", "commands",
    },
}  # fmt: skip
# Of the server's own, each may import those before it. What lies at its top is a room of one file.
SERVER_ROOMS = (
    "headers", "request_options", "wishes", "request_context", "observe", "http", "relay",
    "results", "store", "workers", "aiohttp", "asgi", "proxy", "chat", "dashboard",
)  # fmt: skip
MAX_FILES = 12  # of a room of the server's, the wire's or the core's, beside its `__init__`
PURE_ROOMS = ("text", "values", "prompt", "core", "wire")
# The last is that of an extra, which one pack reads telephone numbers with.
CORE_PACKAGES = {"pydantic", "pydantic_core", "regex", "phonenumbers"}
IMPURE = {
    "asyncio", "anyio", "aiohttp", "io", "os", "pathlib", "random", "secrets", "socket",
    "subprocess", "tempfile", "time", "urllib", "uuid",
}  # fmt: skip
# "Return what was read of a text" makes a reader guess: "Return the reading of a text".
KNOTTY = re.compile(r"\b[Ww]hat\b[^.;:]*\b(?:is|are|was|were)\b")
# So do other clauses in the place of a noun; the core still has some.
CLAUSES = re.compile(
    r"\b(?:[Ww]hat (?:\w+ ){0,4}?(?:has|have|does|do|said|says?|holds?|comes?|came|gives?|stands?"
    r"|tells?|makes?|may|can|must)|(?:[Ww]hich|[Ww]hat) of (?:it|them|these|those)|[Ww]hoever"
    r"|[Oo]f (?:which|whom))\b"
)
TWICE = {"Told"}  # class names that still exist twice
OF_ALL = {"errors", "version"}  # what every room may import
IMPURE_CALLS = {"open", "input", "print"}


def modules(room: str) -> list[Path]:
    single = PACKAGE / f"{room}.py"
    return [single] if single.exists() else sorted((PACKAGE / room).rglob("*.py"))


def rooms() -> set[str]:
    found = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__", *OF_ALL}
    return found | {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imported(path: Path) -> set[str]:
    names = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_every_room_has_a_rule():
    assert rooms() <= set(MAY_IMPORT)


def test_a_room_imports_only_what_lies_below_it():
    for room, below in MAY_IMPORT.items():
        for path in modules(room):
            for name in imported(path):
                parts = name.split(".")
                if parts[0] != "streamguard":
                    continue
                assert len(parts) > 1, f"{path} imports the root package"
                assert parts[1] in {room, *OF_ALL, *below}, f"{path} imports {name}"


def test_the_package_knows_nothing_of_the_reader_that_is_trained_beside_it():
    for path in PACKAGE.rglob("*.py"):
        assert "streamguard_reader" not in {name.split(".")[0] for name in imported(path)}, path


def test_every_room_of_the_server_has_its_place_and_few_files():
    server = PACKAGE / "server"
    found = {path.stem for path in server.glob("*.py")} - {"__init__"}
    found |= {path.parent.name for path in server.glob("*/__init__.py")}
    assert found == set(SERVER_ROOMS)
    for room in SERVER_ROOMS:
        assert len(list((server / room).glob("*.py"))) <= MAX_FILES + 1, room


def docstrings(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def test_no_docstring_hangs_on_a_clause_of_what_something_is():
    knotty = [
        f"{path.relative_to(PACKAGE)}: {found[0]}"
        for path in PACKAGE.rglob("*.py")
        for text in docstrings(path)
        if (found := KNOTTY.search(text.replace("`what`", "")))
    ]
    assert not knotty, "name the thing: subject, verb, object"


def test_no_docstring_outside_the_core_has_a_clause_in_the_place_of_a_noun():
    found = [
        f"{path.relative_to(PACKAGE)}: {clause[0]}"
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] != "core"
        for text in docstrings(path)
        if (clause := CLAUSES.search(re.sub(r'"[^"]*"', "", text)))
    ]
    assert not found, "name the thing: subject, verb, object"


def test_a_class_name_exists_once_in_the_package():
    places = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert twice.keys() <= TWICE, f"give one of each another name: {twice}"


def test_no_folders_import_each_other_in_a_circle_at_any_depth():
    folders = {path.parent.relative_to(PACKAGE).parts for path in PACKAGE.rglob("__init__.py")}
    graphs = defaultdict(lambda: defaultdict(set))
    for path in PACKAGE.rglob("*.py"):
        own = path.parent.relative_to(PACKAGE).parts
        for name in imported(path):
            root, *parts = name.split(".")
            while tuple(parts) not in folders:
                parts.pop()
            shared = sum(
                1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, parts, strict=False))
            )
            if root == "streamguard" and shared < min(len(own), len(parts)):
                graphs[own[:shared]][own[shared]].add(parts[shared])
    for folder, graph in graphs.items():
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as circle:
            pytest.fail(f"below {'.'.join(('streamguard', *folder))}: {circle.args[1]}")


@pytest.mark.parametrize("room", ["core", "wire"])
def test_every_room_of_the_core_and_the_wire_has_few_files(room):
    for folder in {path.parent for path in modules(room)}:
        assert len(list(folder.glob("*.py"))) <= MAX_FILES + 1, folder


def test_a_room_of_the_server_imports_only_those_before_it():
    for place, room in enumerate(SERVER_ROOMS):
        allowed = set(SERVER_ROOMS[: place + 1])
        for path in modules(f"server/{room}"):
            names = (name.split(".") for name in imported(path))
            used = {parts[2] for parts in names if parts[:2] == ["streamguard", "server"]}
            assert used <= allowed, f"{path} imports {used - allowed}"


def test_no_module_of_the_server_imports_itself_by_a_detour():
    graph = {}
    for path in modules("server"):
        graph[module_name(path)] = imported(path)
    known = set(graph)
    graph = {
        name: {found for each in used for found in (each, each.rpartition(".")[0])} & known
        for name, used in graph.items()
    }
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError, with the modules in it


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
        for node in nodes(path):
            assert not isinstance(node, ast.AsyncFunctionDef | ast.Await), path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in IMPURE_CALLS, f"{path} calls {node.func.id}"
