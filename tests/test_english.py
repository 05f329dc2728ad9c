"""The English of the kit: forms that a reader has to read twice are in no docstring and in no statement.

A docstring names its thing or begins with a verb; a statement says condition, result and status.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.apis import import_requirements, requirements
from conformance.author.requirement import REQUIREMENTS
from mutants.faults import FAULTS
from specs.apis import apis
from tests.sources import ROOT, tree

PACKAGES = (
    "specs",
    "reference_server",
    "conformance",
    "spark_tests",
    "mutants",
    "lakeproof",
    "peers",
    "benchmarks",
    "tests",
)
IN_DOCSTRINGS = {
    "begins with a question word": re.compile(r"(What|Who|Whose|How|Which|Where)\b"),
    "returns a question": re.compile(
        r"(Return|Yield|Give|Say|Tell) (what|who|whose|how|which|where|whether what)\b",
    ),
    "points elsewhere": re.compile(r"See \w"),
}
NO_SUBJECT = re.compile(r"\b(Who|Whoever|What|told)\b")
IN_STATEMENTS = {
    "begins with a question word": re.compile(r"(What|Who|Whose|How|Which|Where)\b"),
    "is passive": re.compile(r".*\b(is|are) (refused|answered|told)\b"),
    "has no subject": re.compile(r".*\b(who|is there|is gone|such|so many|besides)\b"),
    "has a private word": re.compile(r".*\b(odd|proper|keeps? to)\b"),
}


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and the first line of each docstring of a file."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield f"{path}:{getattr(node, 'lineno', 1)}", text.partition("\n")[0]


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_name_things_or_begin_with_a_verb(package):
    files = [path.relative_to(ROOT) for path in sorted((ROOT / package).rglob("*.py"))]
    said = [pair for path in files for pair in docstrings(path)]
    assert said
    wrong = [
        f"{place} {form}: {line}" for place, line in said for form, words in IN_DOCSTRINGS.items() if words.match(line)
    ]
    assert wrong == []


def test_sentences_of_faults_have_a_subject():
    """They stand in lists of faults and on the page of what notices them."""
    assert len(FAULTS) > 500
    assert [f"{name}: {fault.breaks}" for name, fault in FAULTS.items() if NO_SUBJECT.search(fault.breaks)] == []


def test_statements_say_condition_and_result():
    for api in apis():
        requirements(api)
    import_requirements("spark_tests.scenarios")
    assert len(REQUIREMENTS) > 5000
    wrong = [
        f"{requirement.id} {form}: {requirement.statement}"
        for requirement in REQUIREMENTS.values()
        for form, words in IN_STATEMENTS.items()
        if words.match(requirement.statement)
    ]
    assert wrong == []
