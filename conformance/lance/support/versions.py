"""Tables with versions and tags, and the transactions of their changes."""

from __future__ import annotations

from conformance.author.checks import equal, holds, listed, number, text
from conformance.author.strategies import tables
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.values.json_values import Items
from conformance.values.outcomes import Unoffered
from specs.lance.identifiers import DELIMITER, join_parts

VERSIONS = 4
MISSING_VERSION = 2**31 - 1  # an existing table, in a read-only run, may have thousands of versions


def numbers(catalog: LanceCatalog, id: Names) -> list[int]:
    """Return the versions of a table, smallest first; an index beyond them raises Violation."""
    versions = listed(catalog.list_table_versions(id)["versions"], "the listed versions")
    return Items(sorted(number(version["version"], "the number of a listed version") for version in versions))


def new_table_with_versions(catalog: LanceCatalog, rows: int = 1) -> Names:
    """Create a table with VERSIONS versions: the first has `rows` rows, each other one more."""
    id = catalog.new_table(rows=rows)
    for _ in range(VERSIONS - 1):
        catalog.insert_into_table(id, stream(tables(1)))
    return id


def new_tagged(catalog: LanceCatalog) -> tuple[Names, int, int]:
    """Create a table with two versions and a tag `old` on the first; return its id and both versions."""
    id = catalog.new_table(rows=3)
    first = catalog.version(id)
    catalog.insert_into_table(id, stream(tables(2, first=3)))
    catalog.create_table_tag(id, tag="old", version=first)
    return id, first, catalog.version(id)


def any_tagged(catalog: LanceCatalog) -> Names:
    """Return a table with a tag, or an existing one if the run is read-only."""
    return catalog.new_table() if catalog.target.read_only else new_tagged(catalog)[0]


def check_tag(catalog: LanceCatalog, id: Names, tag: str, version: int) -> None:
    """Check the version of a tag."""
    equal(catalog.get_table_tag_version(id, tag=tag)["version"], version, f"the version of the tag {tag}")


def new_transaction(catalog: LanceCatalog, name: str = "t") -> str:
    """Change a new table and return the transaction_id. Raises Unoffered where the server returns none."""
    id = catalog.new_table(name)
    for answer in (
        catalog.restore_table(id, version=catalog.version(id), expect=None),
        catalog.insert_into_table(id, stream(tables(1)), expect=None),
    ):
        transaction = answer.get("transaction_id") if answer.succeeded else None
        if transaction:
            return known_transaction(catalog, id, str(transaction))
    raise Unoffered("no change of a table tells the id of its transaction")


def known_transaction(catalog: LanceCatalog, table: Names, transaction: str) -> str:
    """Return a transaction_id in the form that the server accepts: as returned, or after the table's id."""
    if catalog.describe_transaction(transaction, expect=None).succeeded:
        return transaction
    return transaction if DELIMITER in transaction else join_parts((*table, transaction))


def check_transaction(catalog: LanceCatalog, answer: Answer) -> None:
    """Check that DescribeTransaction knows the transaction_id of a response. Raises Unoffered without one."""
    if not answer.get("transaction_id"):
        raise Unoffered("the answer has no transaction_id")
    catalog.describe_transaction(answer["transaction_id"])


def check_known(catalog: LanceCatalog, id: Names, answer: Answer) -> None:
    """Check that DescribeTransaction knows the transaction_id of a response, as returned or after the table's id."""
    transaction = known_transaction(catalog, id, text(answer["transaction_id"], "the transaction_id"))
    known = catalog.describe_transaction(transaction, expect=None)
    holds(known.succeeded, "DescribeTransaction knows the transaction_id of the answer")
