"""Existence, drops and renames, for tables and views alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.listing import Item, tables_in, views_in
from conformance.iceberg.support.metadata import renamed

NO_MOVE = (403, 406)  # rejections of a move into another namespace


class Lifecycle(NamedTuple):
    """Operations on tables or on views. `id` is the kind in words; `listed` lists those of a namespace."""

    id: str
    new: Callable[[IcebergCatalog], Names]
    load: Callable[..., Answer]
    exists: Callable[..., Answer]
    drop: Callable[..., Answer]
    rename: Callable[..., Answer]
    listed: Callable[[IcebergCatalog, Names], list[Item]]


of = IcebergCatalog
KINDS = {
    "table": Lifecycle(
        "table", of.new_table, of.load_table, of.table_exists, of.drop_table, of.rename_table, tables_in
    ),
    "view": Lifecycle("view", of.new_view, of.load_view, of.view_exists, of.drop_view, of.rename_view, views_in),
}


def _rename(kind: Lifecycle) -> list[str]:
    return [f"rename{kind.id.title()}"]


@must(
    "iceberg.{}.exists.present",
    operations=lambda kind: [f"{kind.id}Exists"],
    clause="{}-exists",
    each=KINDS,
    reads=True,
)
def test_what_is_there_exists(catalog: IcebergCatalog, case: Lifecycle) -> None:
    """{}Exists on an existing {} returns 204."""
    case.exists(catalog, case.new(catalog))


@must("iceberg.{}.rename.same", operations=_rename, clause="rename-{}", each=KINDS, twin=True)
def test_renamed_is_the_same(catalog: IcebergCatalog, case: Lifecycle) -> None:
    """A renamed {} can be loaded and listed under its new name only, with unchanged metadata."""
    id, other = case.new(catalog), catalog.table_id("renamed")
    before = renamed(case.load(catalog, id)["metadata"])
    case.rename(catalog, id, other)
    equal(renamed(case.load(catalog, other)["metadata"]), before, f"the metadata of the {case.id}")
    case.load(catalog, id, expect=404)
    same_items(case.listed(catalog, catalog.home), [other], f"the listed {case.id}s")


@must("iceberg.{}.rename.across", operations=_rename, clause="rename-{}-across", each=KINDS)
def test_rename_into_another_namespace(catalog: IcebergCatalog, case: Lifecycle) -> None:
    """Renaming a {} into another namespace moves it, or returns 403 or 406 and changes nothing."""
    id, other = case.new(catalog), (*catalog.new_namespace(), "moved")
    moved = case.rename(catalog, id, other, expect=(204, *NO_MOVE)).succeeded
    case.load(catalog, other, expect=200 if moved else 404)
    case.load(catalog, id, expect=404 if moved else 200)
