"""Tables whose snapshots are written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.reference_server.iceberg.conftest import BAD_REQUEST
from tests.reference_server.iceberg.written_manifests import Written, snapshot

TABLE = "namespaces/a/tables/t"
FIELDS = {
    "id": (1, "long"),
    "Name": (2, "string"),
    "tags": (3, {"type": "list", "element-id": 4, "element": "string", "element-required": True}),
    "point": (5, {"type": "struct", "fields": [{"id": 6, "name": "x", "type": "double", "required": False}]}),
    "any": (7, "variant"),
}
SCHEMA: dict[str, Any] = {
    "type": "struct",
    "fields": [{"id": id, "name": name, "type": kind, "required": name == "id"} for name, (id, kind) in FIELDS.items()],
}


class Staged:
    """A table whose snapshots are written by hand, one manifest for each, named by numbers from 1."""

    def __init__(self, api, **fields):
        self.api = api
        fields = {"schema": SCHEMA, "properties": {"format-version": "3"}, **fields}
        metadata = api.table(**fields).body["metadata"]
        self.folder = Path(urlsplit(metadata["location"]).path) / "metadata"
        self.lists = []

    def commit(self, *files, operation="append", manifests=None, number=None, **more):
        """Add a snapshot with what the ones before it had and these files."""
        number = number or len(self.lists) + 1
        added = manifests or [Written(list(files), number, snapshot=number)]
        parent = {"parent-snapshot-id": self.lists[-1][0]} if self.lists else {}
        previous = self.lists[-1][1] if self.lists else []
        summary = {"operation": operation}
        content = snapshot(self.folder, number, number, [*previous, *added], summary=summary, **parent, **more)
        rows = {"first-row-id": 0, "added-rows": 0}
        ref = {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": number}
        self.api.commit([{"action": "add-snapshot", "snapshot": {**rows, **content}}, ref], expect=200)
        self.lists.append((number, [*previous, *added]))
        return self

    def plan(self, expect=200, headers=None, **request):
        sent = {key.replace("_", "-"): value for key, value in request.items()}
        return self.api.call("POST", f"{TABLE}/plan", sent, headers=headers, expect=expect)

    def files(self, **request):
        return paths(self.plan(**request))


def paths(answer):
    return [task["data-file"]["file-path"] for task in answer.body["file-scan-tasks"]]


def is_bad(answer):
    return answer.status == 400 and answer.type in BAD_REQUEST
