"""The names of indices: given, chosen by the server, taken, hostile."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.author.checks import equal, same_items, text
from conformance.author.requirement import given, must, should
from conformance.author.strategies import names
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.index_building import BTREE, BUILDERS, CREATE, build, new_table
from conformance.lance.support.indexing import KINDS, all_indices, index_names, wait_for_index, wait_for_indices
from conformance.lance.support.routers import routed
from conformance.target import hostile
from specs.openapi import Operation

Body = dict[str, Any]


@must("lance.index.{}.name", clause="index-name", each=BUILDERS)
@given(name=names())
def test_index_name(catalog: LanceCatalog, case: Operation, name: str) -> None:
    """An index has the name that it was given."""
    id = new_table(catalog)
    catalog.send(case.id, id, {**BTREE, "name": name})
    equal(wait_for_index(catalog, id, name)["columns"], ["id"], "the columns of the index")


NO_NAMES: dict[str, Body] = {"left_out": {}, "null": {"name": None}}


@must("lance.index.create.unnamed.{}", operations=CREATE, clause="index-name", each=NO_NAMES)
def test_index_without_name(catalog: LanceCatalog, case: Body) -> None:
    """An index without a name ({}) gets one from the server."""
    id = new_table(catalog)
    catalog.create_table_index(id, **BTREE, **case)
    indexes = wait_for_indices(catalog, id, lambda entry: bool(entry["columns"] == ["id"]), "an index without a name")
    text(indexes[0]["index_name"], "the index_name of the index without a name")


@must("lance.index.create.unnamed_twice", operations=CREATE, clause="index-name")
def test_indices_without_names(catalog: LanceCatalog) -> None:
    """Two indices without names, on different columns, get different names."""
    id = new_table(catalog)
    for kind in (KINDS["btree"], KINDS["bitmap"]):
        catalog.create_table_index(id, **kind.body)
    indexes = wait_for_indices(catalog, id, lambda _: True, "one of two indices", count=2)
    same_items([entry["columns"] for entry in indexes], [["color"], ["id"]], "the columns of the indices")
    equal(len({entry["index_name"] for entry in indexes}), 2, "the number of different names of the indices")


@should("lance.index.create.unnamed_other_type", operations=CREATE, clause="index-name")
def test_indices_of_one_column_without_names(catalog: LanceCatalog) -> None:
    """Two indices of different types on the same column, without names, get different names."""
    id = new_table(catalog)
    for kind in ("BTREE", "BITMAP"):
        catalog.create_table_index(id, column="color", index_type=kind)
    indexes = wait_for_indices(catalog, id, lambda _: True, "one of two indices", count=2)
    equal(len({entry["index_name"] for entry in indexes}), 2, "the number of different names of the indices")


@must("lance.index.{}.conflict", clause="index-exists", kind="error", each=BUILDERS)
def test_taken_index_name(catalog: LanceCatalog, case: Operation) -> None:
    """A name that another index of the table has is refused with 409 and code 7; that index stays."""
    id = new_table(catalog)
    build(catalog, case, id)
    before = wait_for_index(catalog, id, "idx")
    refused = catalog.send(case.id, id, {"column": "color", "index_type": "BITMAP", "name": "idx"}, expect=409)
    equal(refused.code, 7, "the code of the error")
    equal(all_indices(catalog, id), [before], "the indices of the table")


@must("lance.index.create.same_name_elsewhere", operations=CREATE, clause="index-name")
def test_same_name_in_two_tables(catalog: LanceCatalog) -> None:
    """Indices of two tables may have the same name."""
    for name in ("one", "other"):
        id = catalog.new_table(name)
        catalog.create_table_index(id, **BTREE, name="idx")
        wait_for_index(catalog, id, "idx")


# Hostile names

# A client takes "." and ".." out of a path before it sends it, and an empty segment names nothing.
UNNAMEABLE = {"dot": ".", "dot_dot": "..", "empty": ""}
NAMEABLE = {name: text for name, text in hostile.NAMES.items() if text not in UNNAMEABLE.values()}


@must(
    "lance.index.named.{}",
    operations=CREATE,
    clause="names-kept",
    kind="hostile",
    each=NAMEABLE,
)
def test_hostile_index_name(catalog: LanceCatalog, case: str) -> None:
    """An unusual index name ({}) is kept exactly, or refused with 400 and code 13."""
    id, name = catalog.new_table(), hostile.own(case, catalog.target.prefix)
    answer = catalog.create_table_index(id, **BTREE, name=name, expect=(200, 400))
    if answer.status == 400:
        equal(answer.code, 13, "the code of the error")
        return
    wait_for_index(catalog, id, name)
    routed(name, (200,), partial(catalog.describe_table_index_stats, id, name))
    catalog.drop_table_index(id, name)
    equal(index_names(catalog, id), [], "the names of the indices")


@should(
    "lance.index.unnameable.{}",
    operations=CREATE,
    clause="index-unnameable",
    kind="hostile",
    each=UNNAMEABLE,
)
def test_unnameable_index(catalog: LanceCatalog, case: str) -> None:
    """An index name that no URL can hold ({}) is refused with 400 and code 13."""
    refused = catalog.create_table_index(catalog.new_table(), **BTREE, name=case, expect=400)
    equal(refused.code, 13, "the code of the error")


@must("lance.index.reserved", operations=CREATE, clause="index-reserved", kind="hostile")
def test_reserved_index_name(catalog: LanceCatalog) -> None:
    """An index name that Lance keeps for itself is kept, or refused with 400 and code 13; the table stays usable."""
    id = catalog.new_table()
    answer = catalog.create_table_index(id, **BTREE, name="__lance_frag_reuse", expect=(200, 400))
    if answer.status == 400:
        equal(answer.code, 13, "the code of the error")
    else:
        wait_for_index(catalog, id, "__lance_frag_reuse")
    equal([row["id"] for row in catalog.rows(id, filter="id = 1")], [1], "the ids of the rows found")
