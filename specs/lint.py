"""Lint checks: defects that change the meaning of a document.

A check is a function from a document to its defects; the registry lists the checks.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema_rs
from jsonpointer import JsonPointerException, resolve_pointer

from specs.openapi import Document
from specs.validation import compile_schema, pointer

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Defect:
    """Defect of a document: the check that found it, its place, and its description."""

    check: str
    pointer: str
    message: str


Check = Callable[[Document], Iterator[Defect]]
CHECKS: dict[str, Check] = {}


def check(name: str) -> Callable[[Check], Check]:
    """Register a lint check under a name. Raises ValueError for a name used twice."""

    def register(function: Check) -> Check:
        if name in CHECKS:
            raise ValueError(f"lint check {name} is registered twice")
        CHECKS[name] = function
        return function

    return register


def lint_document(document: Document) -> list[Defect]:
    """Run every check over a document."""
    return [defect for function in CHECKS.values() for defect in function(document)]


def nodes(node: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield every object of a document tree with its path."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from nodes(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from nodes(value, (*path, index))


@check("operation-id")
def operation_ids(document: Document) -> Iterator[Defect]:
    """Yield missing and repeated operationIds."""
    counts = Counter(operation.id for operation in document.operations.values())
    declared = Counter(
        item[method].get("operationId", "")
        for item in document.raw["paths"].values()
        for method in item
        if isinstance(item[method], dict) and "responses" in item[method]
    )
    for name, count in declared.items():
        if not name:
            yield Defect("operation-id", "/paths", f"{count} operations have no operationId")
        elif count > 1 and counts[name]:
            yield Defect("operation-id", "/paths", f"the operationId {name} is used {count} times")


@check("reference")
def references(document: Document) -> Iterator[Defect]:
    """Yield references without a target."""
    for path, node in nodes(document.raw):
        target = node.get("$ref")
        if isinstance(target, str) and target.startswith("#/") and not _resolves(document, target):
            yield Defect("reference", pointer(list(path)), f"the target {target} does not exist")


def _resolves(document: Document, target: str) -> bool:
    try:
        resolve_pointer(document.raw, target.removeprefix("#"))
    except JsonPointerException:
        return False
    return True


@check("path-parameter")
def path_parameters(document: Document) -> Iterator[Defect]:
    """Yield path parameters that only the path template or only the operation declares."""
    for operation in document.operations.values():
        in_path = set(re.findall(r"{([^}]+)}", operation.path))
        for name in sorted(in_path.symmetric_difference(operation.path_names)):
            side = "declared nowhere" if name in in_path else "not in the path"
            yield Defect("path-parameter", f"/paths/{operation.path}", f"{operation.id}: {name} is {side}")


@check("void-nullable")
def void_nullable(document: Document) -> Iterator[Defect]:
    """Yield uses of `nullable`, which has no meaning since OpenAPI 3.1."""
    if str(document.raw["openapi"]).startswith("3.0"):
        return
    for path, node in nodes(document.raw):
        if node.get("nullable") is True:
            yield Defect(
                "void-nullable",
                pointer(list(path)),
                "`nullable` has no meaning in OpenAPI 3.1: validators reject null",
            )


@check("discriminator")
def discriminators(document: Document) -> Iterator[Defect]:
    """Yield discriminators without a mapping, which cannot be expanded."""
    for path, node in nodes(document.raw):
        raw = node.get("discriminator")
        if isinstance(raw, dict) and "propertyName" in raw and not raw.get("mapping") and "oneOf" not in node:
            yield Defect(
                "discriminator",
                pointer(list(path)),
                "a discriminator without oneOf or mapping validates nothing",
            )


@check("required-property")
def required_properties(document: Document) -> Iterator[Defect]:
    """Yield required properties without a schema."""
    for path, node in nodes(document.raw):
        required, properties = node.get("required"), node.get("properties")
        if not isinstance(required, list) or not isinstance(properties, dict) or "allOf" in node:
            continue
        for name in required:
            if name not in properties:
                yield Defect("required-property", pointer(list(path)), f"{name} is required but has no schema")


@check("example")
def examples(document: Document) -> Iterator[Defect]:
    """Yield examples that do not match their schema."""
    for path, node in nodes(document.raw):
        if "example" not in node or not isinstance(node.get("schema", node.get("type")), dict | str):
            continue
        schema = node["schema"] if "schema" in node else {key: node[key] for key in node if key != "example"}
        try:
            validator = compile_schema(document, schema)
        except jsonschema_rs.ValidationError as error:
            yield Defect("schema", pointer(list(path)), error.message)
            continue
        for finding in validator.iter_errors(node["example"]):
            yield Defect("example", pointer([*path, "example"]), finding.message)


@check("second-opinion")
def second_opinion(document: Document) -> Iterator[Defect]:
    """Yield the errors that openapi-core finds, if it is installed (`lakeproof[lint]`)."""
    if not has_second_opinion():
        return
    from openapi_core import OpenAPI  # noqa: PLC0415 - slow to import, and optional
    from openapi_spec_validator import OpenAPIV31SpecValidator  # noqa: PLC0415

    try:
        for error in OpenAPIV31SpecValidator(document.raw).iter_errors():
            yield Defect("second-opinion", pointer(list(error.absolute_path)), str(error.message).splitlines()[0])
        OpenAPI.from_dict(document.raw)
    except Exception as error:  # any exception is a finding
        yield Defect("second-opinion", "", f"openapi-core cannot load the document: {error}")


def has_second_opinion() -> bool:
    """True if openapi-core is installed."""
    return importlib.util.find_spec("openapi_core") is not None
