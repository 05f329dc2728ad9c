"""The operations that build an index, and the plainest one that they can build."""

from __future__ import annotations

from conformance.author.checks import holds, text
from conformance.http.client import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.indexing import KINDS, indexable
from conformance.lance.support.transactions import known_transaction
from specs.openapi import Operation

CREATE = ["CreateTableIndex"]
BTREE = KINDS["btree"].body
BUILDERS = {"create": OPERATIONS["create_table_index"], "create_scalar": OPERATIONS["create_table_scalar_index"]}


def new_table(catalog: LanceCatalog, name: str = "t") -> Names:
    """Create a table worth indexing."""
    return catalog.new_table_of(indexable(), name)


def build(catalog: LanceCatalog, operation: Operation, id: Names, expect: int | tuple[int, ...] = 200) -> Answer:
    """Ask for an index of the plainest type, named `idx`."""
    return catalog.send(operation.id, id, {**BTREE, "name": "idx"}, expect=expect)


def check_known(catalog: LanceCatalog, id: Names, answer: Answer) -> None:
    """Check that the transaction of an answer can be described, by its id as it is or after that of its table."""
    transaction = known_transaction(catalog, id, text(answer["transaction_id"], "the transaction_id"))
    known = catalog.describe_transaction(transaction, expect=None)
    holds(known.status == 200, "DescribeTransaction knows the transaction_id of the answer")
