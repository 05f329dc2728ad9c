"""The operations that Apache Polaris adds to those of Iceberg, as cases of requirements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.author.requirement import leveled
from conformance.common.operations import operations_of, with_json_body
from specs.openapi import Operation
from specs.profiles import find_profile, newest_profile

API = "polaris"
DOCUMENT = newest_profile(API).document()
OPERATIONS = {
    name: operation for name, operation in operations_of(API).items() if find_profile(API).suite_of(operation.id) == API
}
JSON_OPERATIONS = with_json_body(OPERATIONS)
MANAGEMENT = {name: operation for name, operation in OPERATIONS.items() if "{prefix}" not in operation.path}
NAMING = {name: operation for name, operation in MANAGEMENT.items() if operation.parameters}


def is_managing(operation: Operation) -> bool:
    """True for an operation of the management API, whose document declares no 400."""
    return operation.name in MANAGEMENT


def by_document(clause: str) -> Callable[[Any], str]:
    """Return the clause about a bad request of each case: the document of catalogs declares 400, so it has its own."""
    return lambda case: clause if is_managing(_operation(case)) else f"{clause}-catalog"


def _operation(case: Any) -> Operation:
    """Return the operation of a case, or the case itself, which is one."""
    operation: Operation = getattr(case, "operation", case)
    return operation


# A MUST for the operations whose document declares 400, a SHOULD for the others.
declared = leveled(lambda case: "SHOULD" if is_managing(_operation(case)) else "MUST")
