"""Invalid predicates, and what writes of rows answer."""

from __future__ import annotations

from conformance.http.client import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.values.outcomes import Unoffered

BAD_PREDICATES = {
    "syntax": "(((",
    "column": "nowhere > 1",
    "type": "id = 'text'",
    "value": "id",
    "leftover": "id >= 1 AN name = 'row 1'",
    "statement": "id >= 1; DROP TABLE t",
}


def check_transaction(catalog: LanceCatalog, answer: Answer) -> None:
    """Check that a transaction_id in an answer names a transaction. Raises Unoffered where there is none."""
    if not answer.get("transaction_id"):
        raise Unoffered("the answer has no transaction_id")
    catalog.describe_transaction(answer["transaction_id"])
