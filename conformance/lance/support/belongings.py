"""What belongs to a table beside its rows: how it is given to a table, and looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.columns import schema_of
from conformance.lance.support.indexing import KINDS, index_names, new_index
from conformance.lance.support.versions import numbers

NAME = "kept"


@dataclass(frozen=True, slots=True)
class Belonging:
    """What a table can have: `look` tells it, as it is called in `what`."""

    what: str
    give: Callable[[LanceCatalog, Names], object]
    look: Callable[[LanceCatalog, Names], Any]


def _tags(catalog: LanceCatalog, id: Names) -> dict[str, Any]:
    return {name: tag["version"] for name, tag in catalog.list_table_tags(id)["tags"].items()}


def _metadata(catalog: LanceCatalog, id: Names) -> dict[str, Any]:
    metadata = schema_of(catalog, id).get("metadata") or {}
    return {name: metadata[name] for name in metadata if name == NAME}


def _indices(catalog: LanceCatalog, id: Names) -> list[str]:
    return sorted(index_names(catalog, id))


TAGS = Belonging(
    "the versions of the tags",
    lambda catalog, id: catalog.create_table_tag(id, tag=NAME, version=catalog.version(id)),
    _tags,
)
INDICES = Belonging(
    "the names of the indices", lambda catalog, id: new_index(catalog, id, KINDS["btree"], NAME), _indices
)
METADATA = Belonging(
    f"the metadata {NAME} of the schema",
    lambda catalog, id: catalog.update_table_schema_metadata(id, {NAME: "yes"}),
    _metadata,
)
VERSIONS = Belonging(
    "the listed versions", lambda catalog, id: catalog.insert_into_table(id, stream(tables(1, first=3))), numbers
)
# Of a version, and of the table that has it.
OF_VERSION = {"tags": TAGS, "indices": INDICES, "metadata": METADATA}
OF_TABLE = {**OF_VERSION, "versions": VERSIONS}
