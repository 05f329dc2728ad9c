"""The shape of the code: sizes of files and functions, which package imports which, and no helpers in test modules."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_LINES = 500
MOST_LINES_OF_A_FUNCTION = 60
MAY_IMPORT = {
    "specs": set(),
    "reference_server": {"specs"},
    "conformance": {"specs"},
    "spark_tests": {"specs", "reference_server", "conformance"},
    "mutants": {"specs", "reference_server", "conformance"},
    "lakeproof": {"specs", "reference_server", "conformance", "spark_tests", "mutants"},
    "peers": {"specs", "reference_server", "conformance", "spark_tests", "mutants", "lakeproof"},
    "benchmarks": {"specs", "reference_server", "conformance", "spark_tests", "lakeproof", "peers"},
    "tests": {"specs", "reference_server", "conformance", "spark_tests", "mutants", "lakeproof", "peers", "benchmarks"},
}
FILES = [path.relative_to(ROOT) for package in MAY_IMPORT for path in sorted((ROOT / package).rglob("*.py"))]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text())


def imported(path: Path) -> Iterator[str]:
    """Yield the full names of what a file imports: modules, and names in them, which may be modules too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno} imports by a relative name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield str(node.module)


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


WRITING = {"write_text", "write_bytes", "mkdir"}
MAY_WRITE = (
    "specs/writing.py",
    "*/support/*.py",  # files of tables, where the server's data lies
    "conformance/target/hostile.py",
    "spark_tests/scenarios/*/*.py",
    "spark_tests/races/manifests.py",
    "spark_tests/jars.py",  # caches of what was fetched or compiled
    "spark_tests/jdk_net_shim.py",
    "spark_tests/session.py",
    "spark_tests/cluster.py",
    "spark_tests/pipeline/generate.py",  # data of tests and benchmarks
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
    """What several test modules need stands in a module of its own."""
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
    """What nobody names is dead, but for what is found by its name: tests, hooks of pytest, handlers."""
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
