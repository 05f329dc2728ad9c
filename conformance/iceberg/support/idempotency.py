"""Idempotency keys, and the mutations that are repeated with them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import ours
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.registrations import dropped_file, dropped_view
from conformance.iceberg.support.updates import set_properties

HEADER = "Idempotency-Key"


def new_key() -> str:
    """Return a UUID of version 7: milliseconds since 1970, then random bits."""
    random = secrets.randbits(74)
    value = (time.time_ns() // 1_000_000) << 80 | 0x7 << 76 | (random >> 62) << 64 | 0b10 << 62 | random & (2**62 - 1)
    return str(UUID(int=value))


@dataclass(frozen=True, slots=True)
class Mutation:
    """Mutation with operation `id`: `prepare` creates its objects and returns a sender that takes headers.

    `look` returns the state that a second execution would change, where the answer does not show it.
    """

    id: str
    prepare: Callable[[IcebergCatalog], Callable[..., Answer]]
    look: Callable[[IcebergCatalog], Any] = lambda _: None


def _update(catalog: IcebergCatalog) -> Callable[..., Answer]:
    return partial(catalog.update_table, catalog.new_table(), [set_properties(n="1")])


def _transaction(catalog: IcebergCatalog) -> Callable[..., Answer]:
    return partial(catalog.commit_transaction, [change(catalog.new_table(), [set_properties(n="1")])])


def _register(catalog: IcebergCatalog) -> Callable[..., Answer]:
    location = dropped_file(catalog)
    return partial(catalog.register_table, catalog.table_id(), metadata_location=location)


def _register_view(catalog: IcebergCatalog) -> Callable[..., Answer]:
    location, _ = dropped_view(catalog)
    return partial(catalog.register_view, catalog.table_id("v"), metadata_location=location)


def _file_of_view(catalog: IcebergCatalog) -> Any:
    return catalog.load_view(catalog.table_id("v")).get("metadata-location")


MUTATIONS = {
    "create_namespace": Mutation(
        "createNamespace", lambda catalog: partial(catalog.create_namespace, catalog.namespace_id())
    ),
    "drop_namespace": Mutation(
        "dropNamespace", lambda catalog: partial(catalog.drop_namespace, catalog.new_namespace())
    ),
    "update_properties": Mutation(
        "updateProperties",
        lambda catalog: partial(
            catalog.update_properties, catalog.new_namespace(properties={"a": "1"}), removals=["a"]
        ),
    ),
    "create_table": Mutation(
        "createTable", lambda catalog: partial(catalog.create_table, catalog.table_id(), schema=SCHEMA)
    ),
    "register_table": Mutation("registerTable", _register),
    "update_table": Mutation("updateTable", _update),
    "unregister_table": Mutation(
        "unregisterTable", lambda catalog: partial(catalog.unregister_table, catalog.new_table())
    ),
    "drop_table": Mutation("dropTable", lambda catalog: partial(catalog.drop_table, catalog.new_table())),
    "rename_table": Mutation(
        "renameTable",
        lambda catalog: partial(catalog.rename_table, catalog.new_table(), catalog.table_id("renamed")),
    ),
    "commit_transaction": Mutation(
        "commitTransaction", _transaction, lambda catalog: ours(catalog, catalog.metadata(catalog.table_id()))
    ),
    "create_view": Mutation(
        "createView", lambda catalog: partial(catalog.create_view, catalog.table_id("v"), **view_body(catalog.home))
    ),
    "replace_view": Mutation(
        "replaceView",
        lambda catalog: partial(catalog.replace_view, catalog.new_view(), [set_properties(n="1")]),
        _file_of_view,
    ),
    "register_view": Mutation("registerView", _register_view),
    "drop_view": Mutation("dropView", lambda catalog: partial(catalog.drop_view, catalog.new_view())),
    "rename_view": Mutation(
        "renameView",
        lambda catalog: partial(catalog.rename_view, catalog.new_view(), catalog.table_id("renamed")),
    ),
}
