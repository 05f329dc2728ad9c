"""Generic code names no API: what is particular about one stands in the folders of its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from specs.apis import apis

ROOT = Path(__file__).parent.parent
PACKAGES = ("specs", "reference_server", "conformance", "spark_tests", "lakeproof")
NAMED = re.compile(rf"(?<!py)({'|'.join({*apis(), 'polaris'})})", re.IGNORECASE)
EXAMPLES = ("help", "epilog")  # arguments whose text may show an API as an example
EXAMPLE_TEXT = "EPILOG"
# What may name one all the same, and why.
EXEMPT = {
    "spark_tests/races/iceberg.py": "the part of that API",
    "spark_tests/races/lance.py": "the part of that API",
    "spark_tests/races/manifests.py": "files of Lance tables, for its part beside it",
    "spark_tests/pipeline": "results are kept in tables of one format, whatever was judged",
    "lakeproof/commands/warehouse.py": "opens these tables",
}


def examples(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the texts that people read: docstrings, help and examples of commands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node) is not None:
                yield node.body[0]
        elif (isinstance(node, ast.keyword) and node.arg in EXAMPLES) or (
            isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [EXAMPLE_TEXT]
        ):
            yield node.value


def words(node: ast.AST) -> Iterator[str]:
    """Yield the identifiers and texts of one node."""
    for field in ("id", "attr", "arg", "name", "asname", "module", "value"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value


def named(source: str) -> list[str]:
    """Return where code names an API, line by line."""
    tree = ast.parse(source)
    read = {id(inner) for outer in examples(tree) for inner in ast.walk(outer)}
    return [
        f"line {getattr(node, 'lineno', '?')}: {word}"
        for node in ast.walk(tree)
        if id(node) not in read
        for word in words(node)
        if NAMED.search(word)
    ]


def is_exempt(path: Path) -> bool:
    names = {path.as_posix(), *(parent.as_posix() for parent in path.parents)}
    return bool(names & EXEMPT.keys() or {*path.parts} & apis().keys())


def test_generic_code_names_no_api():
    paths = [path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    generic = [path for path in paths if not is_exempt(path)]
    assert len(generic) > 100
    assert {str(path): lines for path in generic if (lines := named((ROOT / path).read_text()))} == {}


def test_names_are_found_and_examples_are_not():
    assert named('"""For Lance."""\nEPILOG = "lance"\ncall(help="lance", other=1)\nimport pylance') == []
    source = (
        'import lance\nfrom a.iceberg import b\nx.is_lance = LanceThing\nf(lance=1)\nif api == "iceberg":\n    pass'
    )
    assert [line.partition(":")[0] for line in sorted(named(source))] == [f"line {n}" for n in (1, 2, 3, 3, 4, 5)]


def test_exempt_files_are_there():
    assert [name for name in EXEMPT if not (ROOT / name).exists()] == []
