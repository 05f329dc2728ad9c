"""Commits, transactions and registrations as tests ask for them."""

from __future__ import annotations

from pathlib import Path

from tests.reference_server.iceberg.conftest import SCHEMA

UUID = "7a1a6b4e-6a4e-4d27-8a53-0d9c1e4f1111"
CREATE = {"type": "assert-create"}
STALE = {"type": "assert-table-uuid", "uuid": UUID}


def creation(location=None):
    """Return the updates of a commit that makes a table."""
    updates = [
        {"action": "assign-uuid", "uuid": UUID},
        {"action": "upgrade-format-version", "format-version": 2},
        {"action": "add-schema", "schema": SCHEMA, "last-column-id": 4},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": {"spec-id": 0, "fields": []}},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": {"order-id": 0, "fields": []}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
    ]
    return [*updates, {"action": "set-location", "location": location}] if location else updates


def set_property(key="k", value="v"):
    return {"action": "set-properties", "updates": {key: value}}


def transact(api, *changes, **rest):
    """Commit changes, each a table name, updates and requirements."""
    sent = [
        {"identifier": {"namespace": ["a"], "name": name}, "updates": updates, "requirements": requirements}
        for name, updates, requirements in changes
    ]
    return api.call("POST", "transactions/commit", {"table-changes": sent}, **rest)


def metadata_files(api, table="t"):
    location = api.load(f"a/tables/{table}").body["metadata"]["location"]
    return sorted(path.name[:5] for path in (Path(location.removeprefix("file://")) / "metadata").iterdir())


def register(api, location, name="t", **rest):
    fields = {"overwrite": rest.pop("overwrite")} if "overwrite" in rest else {}
    body = {"name": name, "metadata-location": location, **fields}
    return api.call("POST", "namespaces/a/register", body, **rest)
