"""Transactions, which a change of a table tells of."""

from __future__ import annotations

from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.values.outcomes import Unoffered
from specs.lance.identifiers import DELIMITER, join_parts


def new_transaction(catalog: LanceCatalog, name: str = "t") -> str:
    """Change a new table and return the id of the transaction that did it. Raises Unoffered where none is told."""
    id = catalog.new_table(name)
    for answer in (
        catalog.restore_table(id, version=catalog.version(id), expect=None),
        catalog.insert_into_table(id, stream(tables(1)), expect=None),
    ):
        transaction = answer.get("transaction_id") if answer.status == 200 else None
        if transaction:
            return known_transaction(catalog, id, str(transaction))
    raise Unoffered("no change of a table tells the id of its transaction")


def known_transaction(catalog: LanceCatalog, table: Names, transaction: str) -> str:
    """Return an id of a transaction in the form that its server takes: as it was told, or after the table's."""
    if catalog.describe_transaction(transaction, expect=None).status == 200:
        return transaction
    return transaction if DELIMITER in transaction else join_parts((*table, transaction))
