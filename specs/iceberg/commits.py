"""Names of the updates and requirements in the commits of a document of the Iceberg API.

An update is identified by its schema. Its action, the word in a commit, may differ in a dialect: `add-spec`
is `add-partition-spec` in the Tables API.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from specs.openapi import Document
from specs.profiles import find_profile

UNIONS = ("TableUpdate", "ViewUpdate")


def actions(document: Document) -> dict[str, str]:
    """Return the actions of the updates in a document, by the names of their schemas."""
    return document.once(actions, lambda: _actions(document))


def _actions(document: Document) -> dict[str, str]:
    schemas = document.raw["components"]["schemas"]
    references = [choice["$ref"] for union in UNIONS for choice in schemas.get(union, {}).get("anyOf", ())]
    return {reference.rpartition("/")[2]: _action(document.resolve({"$ref": reference})) for reference in references}


def requirement_types(document: Document) -> frozenset[str]:
    """Return the types of the requirements in a document."""
    branches = document.raw["components"]["schemas"]["TableRequirement"]["oneOf"]
    return frozenset(branch["properties"]["type"]["const"] for branch in branches)


def _action(schema: Mapping[str, Any]) -> str:
    action = schema["properties"]["action"]
    named: str = action["const"] if "const" in action else action["enum"][0]
    return named


@cache
def newest_actions() -> dict[str, str]:
    """Return the actions of the updates in the newest document, by the names of their schemas."""
    return actions(find_profile("iceberg").document())


@cache
def newest_requirement_types() -> frozenset[str]:
    """Return the types of the requirements in the newest document."""
    return requirement_types(find_profile("iceberg").document())


def spelling(document: Document) -> dict[str, str]:
    """Return the actions that a document names differently: from the newest document's word to this document's."""
    return document.once(spelling, lambda: _spelling(document))


def _spelling(document: Document) -> dict[str, str]:
    standard, spelled = newest_actions(), actions(document)
    return {
        standard[schema]: spelled[schema]
        for schema in standard.keys() & spelled.keys()
        if standard[schema] != spelled[schema]
    }
