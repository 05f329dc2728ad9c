"""Entries of a Lance catalog: the properties of namespaces, tables, and records of their versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Path = tuple[str, ...]
Properties = Mapping[str, str]
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table's entry in the catalog.

    `location` is relative to the data root. `created` is True once the table is known to have data: a client can write
    data of a declared table without the catalog. `recorded` is False for a table that is known by its directory alone.
    Neither field matters for equality.
    """

    location: str
    properties: Properties = field(default_factory=dict)
    created: bool = field(default=False, compare=False)
    recorded: bool = field(default=True, compare=False)


Entry = Properties | Table | Record


class Listed(NamedTuple):
    """A table in a listing: its path and its entry."""

    path: Path
    table: Table


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Requested page of a listing; `maximum` is the server's own page size."""

    token: str | None
    limit: int | None
    maximum: int
