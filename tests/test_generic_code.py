"""Generic code names no API, none of its operations and none of its errors: they stand in the folders of its name."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from reference_server.errors import CatalogError
from reference_server.serve import servable
from specs.apis import apis
from specs.profiles import every_operation
from tests.sources import ROOT, tree

PACKAGES = ("specs", "reference_server", "conformance", "spark_tests", "mutants", "lakeproof")
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
    "lakeproof/fixture.py": "the image in place of that API's fixture",
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


@cache
def known_words() -> frozenset[str]:
    """Return the operations of every API, as ids and as methods, and the errors that one API alone has."""
    operations = [operation for api in apis() for operation in every_operation(api)]
    errors = [
        name
        for api in servable()
        for name, member in vars(importlib.import_module(f"reference_server.{api}.errors")).items()
        if isinstance(member, type) and issubclass(member, CatalogError) and api in member.__module__
    ]
    ids = {operation.id for operation in operations}
    return frozenset({*ids, *(operation.name for operation in operations), *errors})


def names_one(word: str) -> bool:
    return bool(NAMED.search(word)) or not known_words().isdisjoint(re.findall(r"\w+", word))


def named(module: ast.Module) -> list[str]:
    """Return the lines of code that name an API."""
    read = {id(inner) for outer in examples(module) for inner in ast.walk(outer)}
    return [
        f"line {getattr(node, 'lineno', '?')}: {word}"
        for node in ast.walk(module)
        if id(node) not in read
        for word in words(node)
        if names_one(word)
    ]


def is_exempt(path: Path) -> bool:
    names = {path.as_posix(), *(parent.as_posix() for parent in path.parents)}
    return bool(names & EXEMPT.keys() or {*path.parts} & apis().keys())


def test_generic_code_names_no_api():
    paths = [path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    generic = [path for path in paths if not is_exempt(path)]
    assert len(generic) > 100
    assert {str(path): lines for path in generic if (lines := named(tree(path)))} == {}


def test_names_are_found_and_examples_are_not():
    shown = '"""For Lance."""\nEPILOG = "lance"\ncall(help="lance", other=1)\nimport pylance'
    assert named(ast.parse(shown)) == []
    source = (
        'import lance\nfrom a.iceberg import b\nx.is_lance = LanceThing\nf(lance=1)\nif api == "iceberg":\n    pass'
    )
    assert [line.partition(":")[0] for line in sorted(named(ast.parse(source)))] == [
        f"line {n}" for n in (1, 2, 3, 3, 4, 5)
    ]


def test_operations_and_errors_of_an_api_are_found():
    source = 'call("loadTable")\ncatalog.create_namespace(1)\nraise TableTagNotFound\nraise TableNotFound'
    assert [line.partition(":")[0] for line in sorted(named(ast.parse(source)))] == ["line 1", "line 2", "line 3"]


def test_exempt_files_are_there():
    assert [name for name in EXEMPT if not (ROOT / name).exists()] == []
