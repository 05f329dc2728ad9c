"""Large integers in predicates, expressions and new columns: the numbers that were sent, to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.queries import ids
from conformance.values.numbers import EXACT, PAST_DOUBLE, PAST_INT

SCHEMA = pa.schema([("id", pa.int64()), ("n", pa.int64())])
IDS = (1, PAST_INT, EXACT, PAST_DOUBLE)
LARGEST = f"id = {PAST_DOUBLE}"


@dataclass(frozen=True, slots=True)
class SentNumber:
    """Operation that takes a number as SQL; `check` sends it and compares what the table has then."""

    id: str
    check: Callable[[LanceCatalog, Names], None]


def _count(catalog: LanceCatalog, id: Names) -> None:
    for place, number in enumerate(IDS):
        predicate = f"id >= {number}"
        count = catalog.count_table_rows(id, predicate=predicate).json
        equal(count, len(IDS) - place, f"the count of rows with {predicate}")


def _query(catalog: LanceCatalog, id: Names) -> None:
    for number in IDS:
        same_items(ids(catalog.rows(id, filter=f"id = {number}")), [number], f"the ids of the rows with id = {number}")


def _update(catalog: LanceCatalog, id: Names) -> None:
    updated = catalog.update_table(id, predicate=LARGEST, updates=[["n", str(PAST_DOUBLE)]]).get("updated_rows")
    equal(updated, 1, f"the updated_rows with {LARGEST}")
    rows = [[row["id"], row["n"]] for row in catalog.rows(id)]
    same_items(rows, [[number, PAST_DOUBLE if number == PAST_DOUBLE else 0] for number in IDS], "the rows as id and n")


def _delete(catalog: LanceCatalog, id: Names) -> None:
    catalog.delete_from_table(id, predicate=LARGEST)
    same_items(ids(catalog.rows(id)), [number for number in IDS if number != PAST_DOUBLE], "the remaining ids")


def _add(catalog: LanceCatalog, id: Names) -> None:
    added = [{"name": "large", "expression": str(PAST_DOUBLE)}]
    catalog.alter_table_add_columns(id, new_columns=added)
    values = [row["large"] for row in catalog.rows(id)]
    same_items(values, [PAST_DOUBLE] * len(IDS), "the values of the new column")


SENT = {
    "count": SentNumber("CountTableRows", _count),
    "query": SentNumber("QueryTable", _query),
    "update": SentNumber("UpdateTable", _update),
    "delete": SentNumber("DeleteFromTable", _delete),
    "add_columns": SentNumber("AlterTableAddColumns", _add),
}


@must("lance.large.{}", clause="numbers-kept", kind="data", each=SENT)
def test_large_numbers_are_kept(catalog: LanceCatalog, case: SentNumber) -> None:
    """{} takes an integer beyond 2^31 or 2^53 in SQL as it was sent, with all digits."""
    rows = pa.Table.from_pylist([{"id": number, "n": 0} for number in IDS], schema=SCHEMA)
    case.check(catalog, catalog.new_table_of(rows))
