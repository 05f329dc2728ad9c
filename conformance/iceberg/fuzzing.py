"""What drawn bodies of the Iceberg REST catalog are about; see conformance/fuzz/fuzzing.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.fuzz.fuzzing import Fuzzing, Subject
from conformance.iceberg.catalog import IcebergCatalog, Names
from specs.openapi import Operation

Json = dict[str, Any]
ABOUT_VIEWS = ("replaceView", "renameView")


def _identifier(id: Names) -> Json:
    return {"namespace": list(id[:-1]), "name": id[-1]}


def _renamed(id: Names) -> Json:
    return {"source": _identifier(id), "destination": _identifier((*id[:-1], f"{id[-1]}2"))}


# What names something in the run's own bodies, for the thing that each is about.
OWN: dict[str, Callable[[Names], Json]] = {
    "createTable": lambda id: {"name": f"{id[-1]}2"},
    "createView": lambda id: {"name": f"{id[-1]}2"},
    "updateTable": lambda id: {"identifier": _identifier(id)},
    "replaceView": lambda id: {"identifier": _identifier(id)},
    "renameTable": _renamed,
    "renameView": _renamed,
    "commitTransaction": lambda id: {"table-changes": [{"identifier": _identifier(id)}]},
    "reportMetrics": lambda id: {"table-name": ".".join(id)},
}


def prepare(catalog: IcebergCatalog, operation: Operation) -> Subject:
    """Make a table or a view, and note what else may come into being beside it."""
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
