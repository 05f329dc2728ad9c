"""Details of a table beside its rows: tags, indices, schema metadata, versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.columns import metadata
from conformance.lance.support.indexing import KINDS, index_names, new_index
from conformance.lance.support.versions import numbers

NAME = "kept"


@dataclass(frozen=True, slots=True)
class TableDetail:
    """A detail of a table: `give` adds it, `look` reads it, `what` names it in messages."""

    what: str
    give: Callable[[LanceCatalog, Names], object]
    look: Callable[[LanceCatalog, Names], Any]


def _tags(catalog: LanceCatalog, id: Names) -> dict[str, Any]:
    return {name: tag["version"] for name, tag in catalog.list_table_tags(id)["tags"].items()}


def _metadata(catalog: LanceCatalog, id: Names) -> dict[str, Any]:
    return {name: value for name, value in metadata(catalog, id).items() if name == NAME}


def _indices(catalog: LanceCatalog, id: Names) -> list[str]:
    return sorted(index_names(catalog, id))


TAGS = TableDetail(
    "the versions of the tags",
    lambda catalog, id: catalog.create_table_tag(id, tag=NAME, version=catalog.version(id)),
    _tags,
)
INDICES = TableDetail(
    "the names of the indices", lambda catalog, id: new_index(catalog, id, KINDS["btree"], NAME), _indices
)
METADATA = TableDetail(
    f"the metadata {NAME} of the schema",
    lambda catalog, id: catalog.update_table_schema_metadata(id, {NAME: "yes"}),
    _metadata,
)
VERSIONS = TableDetail(
    "the listed versions", lambda catalog, id: catalog.insert_into_table(id, stream(tables(1, first=3))), numbers
)
# Details of a version, and of the table.
OF_VERSION = {"tags": TAGS, "indices": INDICES, "metadata": METADATA}
OF_TABLE = {**OF_VERSION, "versions": VERSIONS}
