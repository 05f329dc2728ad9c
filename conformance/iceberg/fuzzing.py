"""Subjects of drawn bodies of the Iceberg REST catalog, in the form of conformance/fuzz/fuzzing.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.fuzz.fuzzing import Fuzzing, Subject
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import identifier
from specs.openapi import Operation

Json = dict[str, Any]
ABOUT_VIEWS = ("replaceView", "renameView")


def _renamed(id: Names) -> Json:
    return {"source": identifier(id), "destination": identifier((*id[:-1], f"{id[-1]}2"))}


# Fields that name objects of the run, by operation, for the subject of its body.
OWN: dict[str, Callable[[Names], Json]] = {
    "createTable": lambda id: {"name": f"{id[-1]}2"},
    "createView": lambda id: {"name": f"{id[-1]}2"},
    "updateTable": lambda id: {"identifier": identifier(id)},
    "replaceView": lambda id: {"identifier": identifier(id)},
    "renameTable": _renamed,
    "renameView": _renamed,
    "commitTransaction": lambda id: {"table-changes": [{"identifier": identifier(id)}]},
    "reportMetrics": lambda id: {"table-name": ".".join(id)},
}


def prepare(catalog: IcebergCatalog, operation: Operation) -> Subject:
    """Create the namespace, table or view of a drawn body, and note the objects that it may create."""
    if operation.id == "createNamespace":
        namespace = catalog.namespace_id()
        return Subject({"namespace": list(namespace)}, _sender(catalog, operation, {}))
    id = catalog.new_view() if operation.id in ABOUT_VIEWS else catalog.new_table()
    beside = (*id[:-1], f"{id[-1]}2")
    catalog.note_tables([beside])
    catalog.note_views([beside])
    own = OWN[operation.id](id) if operation.id in OWN else {}
    return Subject(own, _sender(catalog, operation, catalog.any_path(operation, id[-1])))


def _sender(catalog: IcebergCatalog, operation: Operation, path: dict[str, str]) -> Callable[[Any], Any]:
    return lambda body: catalog.send(operation.id, path, body, expect=None)


FUZZING = Fuzzing(
    IcebergCatalog,
    prepare,
    names=(
        "namespace",
        "location",
        "metadata-location",
        "identifier",
        "source",
        "destination",
        "manifest-list",
        "statistics-path",
        "file-path",
        "key-metadata",
        "table-name",
        "default-namespace",
        "default-catalog",
    ),
    top_names=("name",),
    left_out={
        "registerTable": "its body says where a file lies, and nothing else",
        "registerView": "its body says where a file lies, and nothing else",
        "signRequest": "what it signs is a request to a storage",
    },
)
