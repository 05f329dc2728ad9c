"""Valid requests of every operation, with all fields of their JSON bodies that a server accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.common.ordinary import Unprepared
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import Id, change, identifier
from conformance.iceberg.support import stored, update_actions
from conformance.iceberg.support.content import REPORTS
from conformance.iceberg.support.metadata import MAIN, current_snapshot
from conformance.iceberg.support.registrations import dropped_file, dropped_view, registered_before
from conformance.iceberg.support.stored import ORDER, SAMPLES, SCHEMA, SPEC, Sample, full_view
from conformance.iceberg.support.update_actions import ACTIONS
from conformance.iceberg.support.updates import LAST_ADDED, TOUCH, add_schema, requirement, update
from specs.openapi import JSON_TYPE, Operation

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class IcebergRequest:
    """Request of an operation: the arguments of IcebergCatalog.send beside the operation."""

    path: Mapping[str, str] | None
    body: Any
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)

    def with_content(self, body: Any) -> IcebergRequest:
        """Return the request with another JSON body."""
        return replace(self, body=body)

    def send(self, catalog: IcebergCatalog, operation: str) -> Answer:
        """Send the request and return the answer, whatever its status."""
        return catalog.send(operation, self.path, self.body, query=self.query, headers=dict(self.headers), expect=None)


Prepare = Callable[[IcebergCatalog, str], IcebergRequest]


def _namespace(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    return IcebergRequest(None, {"namespace": list(catalog.namespace_id(name)), "properties": {"a": "1"}})


def _properties(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    id = catalog.new_namespace(name, properties={"a": "1"})
    return IcebergRequest(catalog.namespace_path(id), {"removals": ["a"], "updates": {"b": "2"}})


def _table(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    id = catalog.table_id(name)
    catalog.note_tables([id])
    fields = {"schema": SCHEMA, "partition_spec": SPEC, "write_order": ORDER, "stage_create": False, "properties": {}}
    return IcebergRequest(catalog.namespace_path(id[:-1]), catalog.body("createTable", id, **fields))


def _view(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    id = catalog.table_id(name)
    catalog.note_views([id])
    return IcebergRequest(catalog.namespace_path(id[:-1]), catalog.body("createView", id, **full_view(catalog.home)))


def _registration(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    location, id = registered_before(catalog, name), catalog.table_id(name)
    return IcebergRequest(catalog.namespace_path(id[:-1]), {"name": id[-1], "metadata-location": str(location)})


def _unseen_registration(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    """Return the registration of a metadata file that was never registered before."""
    location, id = dropped_file(catalog, name), catalog.table_id(name)
    return IcebergRequest(catalog.namespace_path(id[:-1]), {"name": id[-1], "metadata-location": str(location)})


def _view_registration(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    location, _ = dropped_view(catalog, name)
    id = catalog.table_id(name)
    catalog.note_views([id])
    return IcebergRequest(catalog.namespace_path(id[:-1]), {"name": id[-1], "metadata-location": location})


def _empty_namespace(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    return IcebergRequest(catalog.namespace_path(catalog.new_namespace(name)), None)


def _of_table(body: Json) -> Prepare:
    return lambda catalog, name: IcebergRequest(catalog.table_path(catalog.new_table(name)), body)


def _report(kind: str) -> Prepare:
    return _of_table({name.replace("_", "-"): value for name, value in REPORTS[kind].items()})


def _filtered(condition: Json) -> Prepare:
    """Return the preparation of a scan with a filter in the newer form. It raises Unoffered for older documents."""

    def prepare(catalog: IcebergCatalog, name: str) -> IcebergRequest:
        catalog.revision.require_schema("Predicate")
        return _of_table({"filter": condition})(catalog, name)

    return prepare


def _renaming(operation: str) -> Prepare:
    def prepare(catalog: IcebergCatalog, name: str) -> IcebergRequest:
        source = catalog.new_view(name) if operation == "renameView" else catalog.new_table(name)
        destination = catalog.table_id(f"{name}2")
        catalog.sandbox.note_renamed(operation, source, destination)
        return IcebergRequest(None, {"source": identifier(source), "destination": identifier(destination)})

    return prepare


def _plain(operation: Operation) -> Prepare:
    """Return the preparation of a request without a body, for an existing table or view if the path names one."""

    def prepare(catalog: IcebergCatalog, name: str) -> IcebergRequest:
        if "{view}" in operation.path:
            name = catalog.new_view(name)[-1]
        elif "{table}" in operation.path:
            name = catalog.new_table(name)[-1]
        return IcebergRequest(catalog.any_path(operation, name), None)

    return prepare


def _commit_to(catalog: IcebergCatalog, id: Id, updates: list[Json], claims: Sequence[Json] = ()) -> IcebergRequest:
    """Return a commit in the document's form, with the claims that it knows. Raises Unoffered for unknown updates."""
    catalog.revision.require_call("updateTable", {"updates": updates})
    known = [claim for claim in claims if catalog.revision.has_requirement(claim["type"])]
    return IcebergRequest(
        catalog.table_path(id),
        {"requirements": known, "updates": catalog.convert("updateTable", "updates", updates)},
    )


def _commit(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    """Return a commit with a requirement of every type."""
    id = catalog.new_table(name)
    metadata = catalog.metadata(id)
    claims = [requirement(type, **{field: metadata[key]}) for type, (field, key) in CLAIMS.items()]
    claims.append(requirement("assert-ref-snapshot-id", ref=MAIN, snapshot_id=current_snapshot(metadata)))
    plain = _commit_to(catalog, id, [TOUCH], claims)
    return plain.with_content({"identifier": identifier(id), **plain.body})


def _storing(sample: Sample) -> Prepare:
    def prepare(catalog: IcebergCatalog, name: str) -> IcebergRequest:
        id, sent = stored.prepare(catalog, sample, name)
        return _commit_to(catalog, id, sample.updates(sent))

    return prepare


def _changing(action: str) -> Prepare:
    def prepare(catalog: IcebergCatalog, name: str) -> IcebergRequest:
        catalog.revision.require_updates([{"action": action}])
        id, files = update_actions.prepare(catalog, action, name)
        return _commit_to(catalog, id, [ACTIONS[action].update(files)])

    return prepare


def _transaction(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    return IcebergRequest(None, {"table-changes": [change(catalog.new_table(name), [TOUCH])]})


def _view_commit(catalog: IcebergCatalog, name: str) -> IcebergRequest:
    id = catalog.new_view(name)
    uuid = catalog.view_metadata(id)["view-uuid"]
    claims = [requirement("assert-view-uuid", uuid=uuid)]
    version = {**full_view(catalog.home)["view_version"], "version-id": 2, "schema-id": LAST_ADDED}
    updates = [
        update("assign-uuid", uuid=uuid),
        update("upgrade-format-version", format_version=1),
        add_schema(SCHEMA),
        update("add-view-version", view_version=version),
        update("set-current-view-version", view_version_id=LAST_ADDED),
        TOUCH,
        update("remove-properties", removals=["touched"]),
    ]
    body = {"identifier": identifier(id), "requirements": claims, "updates": updates}
    return IcebergRequest(catalog.view_path(id), body)


SCAN: Json = {
    "select": ["id"],
    "filter": {"type": "eq", "term": "id", "value": 1},
    "min-rows-requested": 1,
    "case-sensitive": True,
    "use-snapshot-schema": False,
    "stats-fields": ["id"],
}
CLAIMS = {  # by type of requirement: its field, and the field of table metadata
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
    "reportMetrics": _report("scan"),
}
FILTERS: dict[str, Json] = {
    "transformed": {
        "type": "eq",
        "term": {"type": "transform", "transform": "bucket[4]", "term": "id"},
        "value": {"type": "literal", "value": 1, "data-type": "int"},
    },
    "set": {"type": "in", "term": "id", "values": {"type": "literals", "values": [1, 2], "data-type": "long"}},
    "literals": {"type": "in", "term": "id", "values": [{"type": "literal", "value": 1, "data-type": "long"}]},
}
OTHERS: dict[str, tuple[str, Prepare]] = {  # by operation and feature of the request
    "report_metrics.commit": ("reportMetrics", _report("commit")),
    **{f"plan_table_scan.{what}": ("planTableScan", _filtered(condition)) for what, condition in FILTERS.items()},
}
# Requests that a server may reject for its own reasons, or that contain only names.
LOOSE: dict[str, Prepare] = {
    "fetchScanTasks": _of_table({"plan-task": "lakeproof-issued-by-nobody"}),
    "renameTable": _renaming("renameTable"),
    "renameView": _renaming("renameView"),
    "registerView": _view_registration,
}
# Operations on what only the server issues or creates: their valid requests here name something that does not exist.
ISSUED = ("fetchPlanningResult", "cancelPlanning", "fetchScanTasks", "loadFunction")
SIGNING = "signRequest"  # its bodies name files in a storage
STORING: dict[str, Prepare] = {name: _storing(sample) for name, sample in SAMPLES.items()}
CHANGING: dict[str, Prepare] = {
    action.replace("-", "_"): _changing(action) for action in ACTIONS if not action.startswith("add-")
}
COMMITS = STORING | CHANGING  # by effect of the updates of a commit


def preparation(operation: Operation) -> Prepare:
    """Return the preparation of a new valid request of an operation, Unprepared where there is none."""
    known = {**PREPARATIONS, **LOOSE, "dropNamespace": _empty_namespace, "registerTable": _unseen_registration}
    bodiless = operation.request is None or JSON_TYPE not in operation.request.content or operation.id == SIGNING
    return known.get(operation.id) or (_plain(operation) if bodiless else Unprepared(operation.id))
