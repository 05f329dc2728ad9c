"""Commands `lakeproof spec ...`: the interface documents."""

from __future__ import annotations

import json
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from lakeproof.console import out, table_of
from specs.apis import default_api, part_of
from specs.clauses import clauses_of
from specs.diff import diff_documents
from specs.extras import install_command
from specs.lint import has_second_opinion, lint_document
from specs.moving import move
from specs.openapi import Document, Operation
from specs.profiles import Profile, find_profile, profiles

VALUE_WIDTH = 60


@click.group("spec", epilog="Example: lakeproof spec diff lance/2026-03 openapi.yaml")
def spec_group() -> None:
    """Show, compare and lint the interface documents."""


@spec_group.command("list")
@click.argument("profile", required=False)
def spec_list(profile: str | None) -> None:
    """List the profiles, or the operations of PROFILE. A profile is a revision of an API."""
    if profile is None:
        table = table_of("profile", "operations", "title", "")
        for listed in profiles().values():
            usual = "default" if listed == find_profile(listed.api) else ""
            table.add_row(listed.name, str(len(listed.document().operations)), listed.document().title, usual)
        out.print(table)
        return
    table = table_of("operation", "method", "path", "summary")
    for operation in find_profile(profile).document().operations.values():
        table.add_row(operation.id, operation.method, operation.path, operation.summary)
    out.print(table)


@spec_group.command("show", epilog="Example: lakeproof spec show CreateTable")
@click.argument("operation")
@click.option("--profile", default=default_api(), show_default=True, help="Profile, or an API for its default profile.")
def spec_show(operation: str, profile: str) -> None:
    """Show an operation: parameters, body, statuses, errors, clauses."""
    chosen = find_profile(profile)
    document = chosen.document()
    described = document.operation(operation)
    out.print(f"[bold]{described.id}[/]  {described.method} {described.path}\n{described.summary}\n")
    out.print(_parameters(document, described))
    statuses = table_of("status", "response")
    for status, body in described.responses.items():
        kinds = [f"{kind} {_schema_name(schema)}" for kind, schema in body.content.items()]
        statuses.add_row(status, ", ".join(kinds) or "no body")
    out.print(statuses)
    out.print(_errors(chosen, described.id))
    out.print()
    for clause in clauses_of(chosen).values():
        if described.id in clause.operations:
            out.print(f"[dim]{clause.level:6}[/] [bold]{clause.id}[/] {clause.text}")


def _errors(profile: Profile, operation_id: str) -> Text:
    """Return the known errors of an operation, for each API whose suite tests it."""
    words = Text()
    for tested in profile.tested_by():
        if find_spec(f"specs.{tested.api}.errors") is None:
            continue
        errors = part_of(f"specs.{tested.api}", "errors")
        words.append(f"\n{errors.LABEL}  ", "dim").append(", ".join(errors.described(operation_id, tested)))
    return words


def _parameters(document: Document, operation: Operation) -> Table:
    table = table_of("in", "name", "type", "")
    for parameter in operation.parameters:
        required = "required" if parameter.required else ""
        table.add_row(parameter.location, parameter.name, _type(parameter.schema), required)
    for kind, schema in (operation.request.content if operation.request else {}).items():
        resolved = document.resolve(schema)
        fields = resolved.get("properties", {})
        if not fields:
            table.add_row("body", kind, _type(schema), "required")
        for name, field in fields.items():
            table.add_row("body", name, _type(field), "required" if name in resolved.get("required", []) else "")
    return table


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return _schema_name(schema)
    if "anyOf" in schema:
        return " | ".join(_type(alternative) for alternative in schema["anyOf"])
    kind = schema.get("type", "any")
    text = " | ".join(kind) if isinstance(kind, list) else kind
    return f"{text} of {_type(schema['items'])}" if "items" in schema else text


def _schema_name(schema: dict[str, Any]) -> str:
    return schema["$ref"].rsplit("/", 1)[-1] if "$ref" in schema else str(schema.get("type", ""))


@spec_group.command("diff", epilog="Example: lakeproof spec diff lance/2026-03 openapi.yaml")
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
def spec_diff(left: str, right: str) -> int:
    """Compare the structure of two documents.

    A and B are files or profiles, as published, without the kit's corrections. Descriptions are ignored. Operations,
    arguments and defaults that differ come first, in words. Exit 1 if the documents differ.
    """
    first, other = _plain(left), _plain(right)
    differences = diff_documents(first.raw, other.raw)
    if not differences:
        out.print("no structural difference")
        return EXIT_CONFORMS
    moved = move(first, other)
    for line in moved.lines():
        out.print(Text(line), soft_wrap=True)
    if not moved.nothing:
        out.print(Text(f"{right}: {moved.counts()}", "bold"), soft_wrap=True)
    table = table_of("", "where", "A", "B")
    signs = {"added": Text("+", "green"), "removed": Text("-", "red"), "changed": Text("~", "yellow")}
    for difference in differences:
        table.add_row(signs[difference.kind], difference.pointer, _short(difference.left), _short(difference.right))
    out.print(table)
    counts = Counter(difference.kind for difference in differences)
    out.print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return EXIT_FAILS


def _short(value: Any) -> str:
    """Return a value of a document as JSON, truncated in a terminal so that two fit in a row."""
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if not out.is_screen or len(text) <= VALUE_WIDTH else text[: VALUE_WIDTH - 1] + "…"


def _plain(name: str) -> Document:
    path = Path(name)
    if path.exists() or path.suffix in (".yaml", ".yml", ".json"):
        return Document.load(path)
    return find_profile(name).plain_document()


@spec_group.command("lint", epilog="Example: lakeproof spec lint openapi.yaml")
@click.argument("document", metavar="FILE")
def spec_lint(document: str) -> int:
    """Find defects that change the meaning of a document.

    FILE may also be a profile; its document is checked as published, without the kit's corrections. Exit 1 if there
    are defects.
    """
    defects = lint_document(_plain(document))
    if not has_second_opinion():
        out.print(f"[yellow]Checked without openapi-core. For a second opinion: {escape(install_command('lint'))}[/]")
    table = table_of("check", "place", "defect")
    for defect in defects:
        table.add_row(defect.check, defect.pointer, defect.message)
    if defects:
        out.print(table)
    out.print(f"{len(defects)} defects" if defects else "no defects found")
    return EXIT_FAILS if defects else EXIT_CONFORMS
