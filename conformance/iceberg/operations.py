"""Operations of the Iceberg REST catalog, and the configuration that lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.common.operations import operations_of, with_json_body
from conformance.http.answers import Answer
from specs.openapi import Operation
from specs.profiles import newest_profile

DOCUMENT = newest_profile("iceberg").document()
OPERATIONS = operations_of("iceberg")
# Operations that a catalog without `endpoints` in its configuration offers, by the document.
DEFAULT_OPERATIONS = frozenset(
    {
        "listNamespaces",
        "createNamespace",
        "loadNamespaceMetadata",
        "dropNamespace",
        "updateProperties",
        "listTables",
        "createTable",
        "loadTable",
        "updateTable",
        "dropTable",
        "renameTable",
        "registerTable",
        "reportMetrics",
        "commitTransaction",
    }
)
ALWAYS = frozenset({"getConfig", "getToken"})  # operations that clients call before they know `endpoints`
JSON_OPERATIONS = with_json_body(OPERATIONS)
SETTINGS = ("defaults", "overrides")  # maps of a configuration; the second takes precedence
HEAD_OPERATIONS = {name: operation for name, operation in OPERATIONS.items() if operation.method == "HEAD"}


def endpoint(operation: Operation) -> str:
    """Return the entry of `endpoints` for an operation."""
    return f"{operation.method} {operation.own_path}"


def with_slash(entry: object) -> str:
    """Return an entry of `endpoints` with a slash at the beginning of its path."""
    method, _, path = str(entry).partition(" ")
    return f"{method} /{path.removeprefix('/')}"


def path_prefix(config: Mapping[str, Any] | Answer, given: str) -> str:
    """Return the prefix of paths: the overridden one, the given one, or the default, in the order of clients."""
    defaults, overrides = (value if isinstance(value := config.get(name), dict) else {} for name in SETTINGS)
    return str(overrides.get("prefix") or given or defaults.get("prefix") or "").strip("/")


def config_settings(config: Mapping[str, Any] | Answer) -> dict[str, Any]:
    """Return the effective settings of a configuration; another requirement tests that both maps exist."""
    maps = [config.get(name) for name in SETTINGS]
    return {name: value for settings in maps if isinstance(settings, dict) for name, value in settings.items()}
