"""Commits, transactions and registrations as tests ask for them."""

from __future__ import annotations

from pathlib import Path

UUID = "7a1a6b4e-6a4e-4d27-8a53-0d9c1e4f1111"
STALE = {"type": "assert-table-uuid", "uuid": UUID}


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
