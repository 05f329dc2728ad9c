"""The shape of the code: sizes of files and functions, which package imports which, and no helpers in test modules."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from tests.sources import ROOT, imported, tree

MOST_LINES = 500
MOST_LINES_OF_A_FUNCTION = 60
MAY_IMPORT = {
    "specs": set(),
    "reference_server": {"specs"},
    "conformance": {"specs"},
    "spark_tests": {"specs", "reference_server", "conformance"},
    "lakeproof": {"specs", "reference_server", "conformance", "spark_tests"},
    "mutants": {"specs", "reference_server", "conformance", "spark_tests", "lakeproof"},
    "peers": {"specs", "reference_server", "conformance", "spark_tests", "mutants", "lakeproof"},
    "benchmarks": {"specs", "reference_server", "conformance", "spark_tests", "lakeproof", "peers"},
    "tests": {"specs", "reference_server", "conformance", "spark_tests", "mutants", "lakeproof", "peers", "benchmarks"},
}
FILES = [path.relative_to(ROOT) for package in MAY_IMPORT for path in sorted((ROOT / package).rglob("*.py"))]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_test_module(name: str) -> bool:
    path = Path(*name.split("."))
    return path.name.startswith("test_") and (ROOT / path).with_suffix(".py").exists()


def test_the_files_are_found():
    assert {path.parts[0] for path in FILES} == set(MAY_IMPORT)
    assert Path("tests", "test_architecture.py") in FILES


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_files_and_functions_are_small(package):
    large = []
    for path in FILES:
        if path.parts[0] == package:
            lines = (ROOT / path).read_text().count("\n")
            large += [f"{path} has {lines} lines"] if lines > MOST_LINES else []
            large += [
                f"{path}:{node.lineno}: {node.name} has {length} lines"
                for node in ast.walk(tree(path))
                if isinstance(node, Function)
                and (length := node.end_lineno - node.lineno + 1) > MOST_LINES_OF_A_FUNCTION
            ]
    assert large == []


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_go_one_way(package):
    forbidden = set(MAY_IMPORT) - MAY_IMPORT[package] - {package}
    wrong = {(str(path), name) for path in FILES if path.parts[0] == package for name in imported(path)}
    assert {(path, name) for path, name in wrong if name.partition(".")[0] in forbidden} == set()


# The layers of the suite, each importing those before it alone. A part is a folder or a module of `conformance`.
LAYERS = (
    ("values",),
    ("history",),
    ("http",),
    ("target",),
    ("author",),
    ("common",),
    ("apis",),
    ("former_ids",),
    ("fuzz",),
    ("lance", "iceberg"),
    ("polaris",),  # tables of a catalog are asked for by Iceberg's client
    ("replay",),
    ("run",),
    ("after",),
    ("report",),
)
SUITE = "conformance"


def part_of(name: str) -> str:
    """The part of the suite that a module belongs to, "" for none."""
    package, _, rest = name.partition(".")
    return rest.partition(".")[0] if package == SUITE else ""


def test_every_part_of_the_suite_is_in_a_layer():
    parts = {part_of(".".join(path.with_suffix("").parts)) for path in FILES if path.parts[0] == SUITE}
    assert parts - {"__init__"} == {part for layer in LAYERS for part in layer}


def test_layers_import_only_those_before_them():
    ranks = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
    wrong = {
        f"{path} imports {name}"
        for path in FILES
        if path.parts[0] == SUITE and (own := part_of(".".join(path.with_suffix("").parts))) in ranks
        for name in imported(path)
        if (other := part_of(name)) in ranks and other != own and ranks[other] >= ranks[own]
    }
    assert wrong == set()


@pytest.mark.parametrize("package", ["specs", "reference_server", "conformance", "spark_tests", "lakeproof"])
def test_nothing_imports_itself_in_a_circle(package):
    """Neither files nor folders of a package, imports for types alone included."""
    files = {".".join(_module(path)): path for path in FILES if path.parts[0] == package}
    needs = {name: modules_of(path, files) - {name} for name, path in files.items()}
    assert circles(needs) == []
    parts: dict[str, set[str]] = {}
    for name, others in needs.items():
        own = ".".join(name.split(".")[:2])
        parts.setdefault(own, set()).update({".".join(other.split(".")[:2]) for other in others} - {own})
    assert circles(parts) == []


def modules_of(path: Path, files: Collection[str]) -> set[str]:
    """The modules among these that a file imports: of a name in a package the module of that name, if there is one."""
    names = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom):
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= (full & set(files)) or {str(node.module)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names & set(files)


def _module(path: Path) -> tuple[str, ...]:
    parts = path.with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def circles(needs: dict[str, set[str]]) -> list[list[str]]:
    """The groups of names that need each other: what is left when all is taken away that needs nothing of the rest."""
    left = {name: set(others) for name, others in needs.items()}
    for turned in (False, True):
        graph = left if not turned else {name: {o for o in left if name in left[o]} for name in left}
        while free := {name for name, others in graph.items() if not others & graph.keys()}:
            graph = {name: others for name, others in graph.items() if name not in free}
        left = {name: left[name] for name in graph}
    return [sorted(left)] if left else []


WRITING = {"write_text", "write_bytes", "mkdir"}
MAY_WRITE = (
    "specs/writing.py",
    "*/support/*.py",  # files of tables, where the server's data lies
    "conformance/target/hostile.py",
    "conformance/replay/beside.py",
    "spark_tests/scenarios/*/*.py",
    "spark_tests/races/manifests.py",
    "spark_tests/jars.py",  # caches of what was fetched or compiled
    "spark_tests/jdk_net_shim.py",
    "spark_tests/session.py",
    "spark_tests/cluster.py",
)


def test_files_that_a_command_keeps_are_written_in_one_place():
    """A full disk and a read-only folder are one sentence there; see specs/writing.py."""
    wrong = [
        f"{path}:{node.lineno} calls {node.func.attr}: use specs.writing"
        for path in FILES
        if path.parts[0] in ("specs", "conformance", "lakeproof", "spark_tests", "mutants")
        and not any(path.match(pattern) for pattern in MAY_WRITE)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _writes(node, node.func.attr)
    ]
    assert wrong == []


def _writes(call: ast.Call, name: str) -> bool:
    """True for a call that writes a file or makes a folder."""
    modes = [word.value for word in call.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
    return name in WRITING or (name == "open" and any(set(mode) & set("wax") for mode in modes))


def test_no_test_module_is_imported_by_another():
    """Code that several test modules need has a module of its own."""
    imports = {(str(path), name) for path in FILES for name in imported(path) if is_test_module(name)}
    assert imports == set()


def defined(module: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines for others or itself: not what a decorator or a loader finds."""
    for node in module.body:
        if isinstance(node, ast.Assign):
            yield from (
                inner.id for target in node.targets for inner in ast.walk(target) if isinstance(inner, ast.Name)
            )
        elif isinstance(node, Function | ast.ClassDef) and not node.decorator_list:
            yield node.name


def test_every_name_is_used():
    """A name without a use is dead code, except tests, hooks of pytest and handlers, which are found by name."""
    found = re.compile(r"test_|Test|pytest_|__all__$")
    words = Counter(word for path in FILES for word in re.findall(r"\w+", (ROOT / path).read_text()))
    unused = [
        f"{path}: {name}"
        for path in FILES
        if path.parent.name != "handlers"
        for name in defined(tree(path))
        if words[name] == 1 and not found.match(name)
    ]
    assert unused == []
