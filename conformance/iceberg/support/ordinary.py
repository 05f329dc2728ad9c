"""Ordinary requests of the operations with a JSON body: with all fields that a server accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.client import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import Id, change
from conformance.iceberg.support import stored, update_actions
from conformance.iceberg.support.metadata import MAIN
from conformance.iceberg.support.registrations import registered_before
from conformance.iceberg.support.stored import ORDER, SAMPLES, SCHEMA, SPEC, Sample, full_view
from conformance.iceberg.support.update_actions import ACTIONS
from conformance.iceberg.support.updates import LAST_ADDED, TOUCH, add_schema, requirement, update

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ordinary:
    """What IcebergCatalog.send takes beside the operation. See conformance/common/ordinary.py."""

    path: Mapping[str, str] | None
    body: Any

    def with_content(self, body: Any) -> Ordinary:
        """Return the request with another JSON body."""
        return replace(self, body=body)

    def send(self, catalog: IcebergCatalog, operation: str) -> Answer:
        """Send it, whatever the answer."""
        return catalog.send(operation, self.path, self.body, expect=None)


Prepare = Callable[[IcebergCatalog, str], Ordinary]


def _namespace(catalog: IcebergCatalog, name: str) -> Ordinary:
    return Ordinary(None, {"namespace": list(catalog.namespace_id(name)), "properties": {"a": "1"}})


def _properties(catalog: IcebergCatalog, name: str) -> Ordinary:
    id = catalog.new_namespace(name, properties={"a": "1"})
    return Ordinary(catalog.namespace_path(id), {"removals": ["a"], "updates": {"b": "2"}})


def _table(catalog: IcebergCatalog, name: str) -> Ordinary:
    id = catalog.table_id(name)
    catalog.note_tables([id])
    fields = {"schema": SCHEMA, "partition_spec": SPEC, "write_order": ORDER, "stage_create": False, "properties": {}}
    return Ordinary(catalog.namespace_path(id[:-1]), catalog.body("createTable", id, **fields))


def _view(catalog: IcebergCatalog, name: str) -> Ordinary:
    id = catalog.table_id(name)
    catalog.note_views([id])
    return Ordinary(catalog.namespace_path(id[:-1]), catalog.body("createView", id, **full_view(catalog.home)))


def _registration(catalog: IcebergCatalog, name: str) -> Ordinary:
    location, id = registered_before(catalog, name), catalog.table_id(name)
    return Ordinary(catalog.namespace_path(id[:-1]), {"name": id[-1], "metadata-location": str(location)})


def _of_table(body: Json) -> Prepare:
    return lambda catalog, name: Ordinary(catalog.table_path(catalog.new_table(name)), body)


def _commit_to(catalog: IcebergCatalog, id: Id, updates: list[Json], claims: Sequence[Json] = ()) -> Ordinary:
    """Return a commit as the document writes it, with the claims that it has. Raises Unoffered for other updates."""
    catalog.revision.require_call("updateTable", {"updates": updates})
    known = [claim for claim in claims if catalog.revision.has_requirement(claim["type"])]
    return Ordinary(
        catalog.table_path(id),
        {"requirements": known, "updates": catalog.convert("updateTable", "updates", updates)},
    )


def _commit(catalog: IcebergCatalog, name: str) -> Ordinary:
    """Return a commit that assumes all that can be assumed of a table."""
    id = catalog.new_table(name)
    metadata = catalog.metadata(id)
    claims = [requirement(type, **{field: metadata[key]}) for type, (field, key) in CLAIMS.items()]
    claims.append(requirement("assert-ref-snapshot-id", ref=MAIN, snapshot_id=None))
    return _commit_to(catalog, id, [TOUCH], claims)


def _storing(sample: Sample) -> Prepare:
    def prepare(catalog: IcebergCatalog, name: str) -> Ordinary:
        id, sent = stored.prepare(catalog, sample, name)
        return _commit_to(catalog, id, sample.updates(sent))

    return prepare


def _changing(action: str) -> Prepare:
    def prepare(catalog: IcebergCatalog, name: str) -> Ordinary:
        catalog.revision.require_updates([{"action": action}])
        id, files = update_actions.prepare(catalog, action, name)
        return _commit_to(catalog, id, [ACTIONS[action].update(files)])

    return prepare


def _transaction(catalog: IcebergCatalog, name: str) -> Ordinary:
    return Ordinary(None, {"table-changes": [change(catalog.new_table(name), [TOUCH])]})


def _view_commit(catalog: IcebergCatalog, name: str) -> Ordinary:
    id = catalog.new_view(name)
    claims = [requirement("assert-view-uuid", uuid=catalog.view_metadata(id)["view-uuid"])]
    version = {**full_view(catalog.home)["view_version"], "version-id": 2, "schema-id": LAST_ADDED}
    updates = [
        add_schema(SCHEMA),
        update("add-view-version", view_version=version),
        update("set-current-view-version", view_version_id=LAST_ADDED),
        TOUCH,
        update("remove-properties", removals=["touched"]),
    ]
    return Ordinary(catalog.view_path(id), {"requirements": claims, "updates": updates})


SCAN: Json = {
    "select": ["id"],
    "filter": {"type": "eq", "term": "id", "value": 1},
    "min-rows-requested": 1,
    "case-sensitive": True,
    "use-snapshot-schema": False,
    "stats-fields": ["id"],
}
CLAIMS = {  # of a table, by type: the field of the requirement, and that of the metadata
    "assert-table-uuid": ("uuid", "table-uuid"),
    "assert-last-assigned-field-id": ("last_assigned_field_id", "last-column-id"),
    "assert-current-schema-id": ("current_schema_id", "current-schema-id"),
    "assert-last-assigned-partition-id": ("last_assigned_partition_id", "last-partition-id"),
    "assert-default-spec-id": ("default_spec_id", "default-spec-id"),
    "assert-default-sort-order-id": ("default_sort_order_id", "default-sort-order-id"),
}
PREPARATIONS: dict[str, Prepare] = {
    "createNamespace": _namespace,
    "updateProperties": _properties,
    "createTable": _table,
    "planTableScan": _of_table(SCAN),
    "registerTable": _registration,
    "updateTable": _commit,
    "commitTransaction": _transaction,
    "createView": _view,
    "replaceView": _view_commit,
}
STORING: dict[str, Prepare] = {name: _storing(sample) for name, sample in SAMPLES.items()}
CHANGING: dict[str, Prepare] = {
    action.replace("-", "_"): _changing(action) for action in ACTIONS if not action.startswith("add-")
}
COMMITS = STORING | CHANGING  # by what the updates of a commit to a table do
