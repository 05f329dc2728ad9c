"""Bodies of requests on objects in a catalog; changes name a version or UUID that no object has, and so fail."""

from __future__ import annotations

from typing import Any

from conformance.target.hostile import UNUSED

NOBODY = "00000000-0000-4000-8000-000000000000"  # the UUID of no table
SCHEMA = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "x", "type": "long", "required": False}]}
SQL = {"type": "sql", "sql": "SELECT 1 AS x", "dialect": "spark"}
POLICY_TYPE = "system.data-compaction"
POLICY_CONTENT = '{"version": "2025-02-03", "enable": true}'
STALE = 1_000_000  # the version of no object
SNAPSHOT = {
    "snapshot-id": 1,
    "sequence-number": 1,
    "timestamp-ms": 1,
    "manifest-list": f"{UNUSED}/none.avro",
    "summary": {"operation": "append"},
    "schema-id": 0,
}
STATISTICS = {
    "snapshot-id": 1,
    "statistics-path": f"{UNUSED}/none.puffin",
    "file-size-in-bytes": 1,
    "file-footer-size-in-bytes": 1,
    "blob-metadata": [],
}
PARTITION_STATISTICS = {"snapshot-id": 1, "statistics-path": f"{UNUSED}/none.parquet", "file-size-in-bytes": 1}
REF = {"ref-name": "main", "type": "branch", "snapshot-id": 1}


def view_version(namespace: str) -> dict[str, Any]:
    """Return the body of a view version."""
    fixed = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}}
    return {**fixed, "representations": [SQL], "default-namespace": [namespace]}


def new_view(namespace: str, name: str) -> dict[str, Any]:
    """Return the body that creates a view."""
    return {"name": name, "schema": SCHEMA, "view-version": view_version(namespace), "properties": {}}


def new_policy(name: str) -> dict[str, Any]:
    """Return the body that creates a policy."""
    return {"name": name, "type": POLICY_TYPE, "content": POLICY_CONTENT}


def updates(location: str) -> dict[str, list[dict[str, Any]]]:
    """Return the updates of each commit request, by the name of the request."""
    bodies: dict[str, dict[str, Any]] = {
        "assign-uuid": {"uuid": NOBODY},
        "upgrade-format-version": {"format-version": 2},
        "add-schema": {"schema": SCHEMA, "last-column-id": 1},
        "set-current-schema": {"schema-id": 0},
        "add-spec": {"spec": {"spec-id": 0, "fields": []}},
        "set-default-spec": {"spec-id": 0},
        "add-sort-order": {"sort-order": {"order-id": 0, "fields": []}},
        "set-default-sort-order": {"sort-order-id": 0},
        "add-snapshot": {"snapshot": SNAPSHOT},
        "set-snapshot-ref": REF,
        "remove-snapshots": {"snapshot-ids": [1]},
        "remove-snapshot-ref": {"ref-name": "none"},
        "set-location": {"location": location},
        "set-properties": {"updates": {"a": "1"}},
        "remove-properties": {"removals": ["b"]},
        "set-statistics": {"snapshot-id": 1, "statistics": STATISTICS},
        "remove-statistics": {"snapshot-id": 1},
        "set-partition-statistics": {"partition-statistics": PARTITION_STATISTICS},
        "remove-partition-statistics": {"snapshot-id": 1},
        "remove-partition-specs": {"spec-ids": [7]},
        "remove-schemas": {"schema-ids": [7]},
    }
    named = {action: {"action": action, **fields} for action, fields in bodies.items()}
    return {
        "commit_nothing": [],
        **{f"commit_{action.replace('-', '_')}": [update] for action, update in named.items()},
        "commit_append": [named["add-snapshot"], named["set-snapshot-ref"]],
        "commit_properties": [named["set-properties"], named["remove-properties"]],
    }


def commit(changes: list[dict[str, Any]], namespace: str, table: str) -> dict[str, Any]:
    """Return the body of a commit that fails, since it requires a UUID that the table does not have."""
    return {
        "identifier": {"namespace": [namespace], "name": table},
        "requirements": [{"type": "assert-table-uuid", "uuid": NOBODY}],
        "updates": changes,
    }


def scan_report(table: str) -> dict[str, Any]:
    """Return the body of a scan report."""
    projection: dict[str, Any] = {"schema-id": 0, "projected-field-ids": [1], "projected-field-names": ["x"]}
    filter = {"type": "is-null", "term": "x"}
    return {"report-type": "scan-report", **_reported(table), "filter": filter, **projection}


def commit_report(table: str) -> dict[str, Any]:
    """Return the body of a commit report."""
    return {"report-type": "commit-report", **_reported(table), "sequence-number": 1, "operation": "append"}


def _reported(table: str) -> dict[str, Any]:
    return {"table-name": table, "snapshot-id": 1, "metrics": {}}
