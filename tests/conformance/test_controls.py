"""Refusals that say something: who is refused sees the same request accepted without its defect.

Without that, a server that refuses everything meets the requirement.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import conformance.lance.requirements
from lakeproof import check, serve
from tests.conformance.different_iceberg import refusal
from tests.conformance.different_server import DifferentServer, Freedom

# What sends a request without the defect. A helper of a module counts when it calls one of these.
CONTROLS = {"accepts", "control", "preparing", "refuses_invalid"}
# They have none: what they may be answered is a success too, or the missing thing is the defect.
WITHOUT = {
    "test_drop_missing_namespace",
    "test_insert_extra_column",
    "test_merge_extra_column",
}


def _functions() -> Iterator[tuple[ast.FunctionDef, dict[str, ast.FunctionDef]]]:
    for path in Path(conformance.lance.requirements.__path__[0]).glob("test_*.py"):
        functions = {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
        yield from ((function, functions) for function in functions.values())


def _must_refuse(function: ast.FunctionDef) -> bool:
    """True for a requirement that a server must refuse something with 400."""
    declared = [
        call
        for call in function.decorator_list
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "must"
    ]
    kinds = {ast.literal_eval(keyword.value) for call in declared for keyword in call.keywords if keyword.arg == "kind"}
    return "error" in kinds


def _called(function: ast.FunctionDef) -> set[str]:
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            names.add(node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""))
    return names


def _numbers(function: ast.FunctionDef) -> set[object]:
    return {node.value for node in ast.walk(function) if isinstance(node, ast.Constant)}


def test_every_refusal_has_a_control():
    """The list of those without one only gets shorter."""
    without = set()
    for function, functions in _functions():
        helpers = [functions[name] for name in _called(function) & set(functions)]
        parts = [function, *helpers]
        refuses = _must_refuse(function) and any(400 in _numbers(part) for part in parts)
        if refuses and not any(_called(part) & CONTROLS for part in parts):
            without.add(function.name)
    assert without == WITHOUT


def test_what_refuses_every_view_shows_nothing_about_unusual_ones(tmp_path):
    """Each of some hundred views is refused, the plain one too: nothing passes."""
    refused = refusal(400, "BadRequestException", "no views today")
    defect = Freedom(
        "no_view_today", "iceberg", before=lambda call: refused if call.operation == "createView" else None
    )
    select = "create_view and (body.unusual or body.padded) or names.view.space or names.view.length_200"
    with serve("iceberg") as server, DifferentServer(server.url, "iceberg", [defect]) as different:
        results, _ = check(different.url, api="iceberg", select=select, report=str(tmp_path))
    assert {result.id: result.verdict for result in results.requirements} == {
        f"iceberg.{name}": "blocked"
        for name in ("body.unusual.create_view", "body.padded.create_view", "names.view.space", "names.view.length_200")
    }


def test_a_server_that_rejects_every_renaming_does_not_reject_missing_tables_wrongly(tmp_path):
    names = ("parent.table.rename_table", "parent.rename", "refusal.rename_table.missing")
    with serve("lance", rules=["RenameTable: 400"]) as server:
        results, _ = check(server.url, api="lance", select=" or ".join(names), report=str(tmp_path))
    verdicts = {result.id: result.verdict for result in results.requirements}
    assert verdicts == {f"lance.{name}": "blocked" for name in names}
