"""ETags of tables and conditional loads. Servers need not send ETags."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from conformance.author.checks import equal, exactly, holds, unequal
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.content import SCHEMA, now_ms
from conformance.iceberg.support.metadata import properties_of
from conformance.iceberg.support.storage import (
    CREDENTIALS,
    DELEGATION,
    VENDED,
    asking,
    expiries,
    load_for,
    secrets_in,
    vended,
)
from conformance.iceberg.support.updates import TOUCH, set_properties
from conformance.values.json_values import shown
from conformance.values.outcomes import Skipped, Unoffered

LOAD = ["loadTable"]
IF_NONE_MATCH = "If-None-Match"
LONGEST_WAIT_MS = 5_000
ENTITY_TAG = re.compile(r'(W/)?"[\x21\x23-\x7e\x80-\xff]*"')


def _opaque(etag: str) -> str:
    """Return an ETag without W/: ETags of the same state are compared weakly."""
    return etag.removeprefix("W/")


def _etag(catalog: IcebergCatalog, answer: Answer) -> str:
    """Return the ETag of an answer. Raises Unoffered when it has none, or the document defines no 304."""
    catalog.revision.require_status("loadTable", 304)
    etag = answer.header("ETag")
    if not etag:
        raise Unoffered("the server sends no ETag here")
    return etag


@must("iceberg.etag.changes", operations=[*LOAD, "updateTable"], clause="etag-changes")
def test_etag_changes(catalog: IcebergCatalog) -> None:
    """The ETag of a table stays the same without changes and differs after every commit."""
    id = catalog.new_table()
    seen = [_etag(catalog, catalog.load_table(id))]
    equal(_etag(catalog, catalog.load_table(id)), seen[0], "the ETag while nothing changed")
    for number in range(2):
        catalog.update_table(id, [set_properties(n=str(number))])
        seen.append(_etag(catalog, catalog.load_table(id)))
    exactly(set(seen), 3, "the different ETags after two commits")


@must("iceberg.etag.tables_differ", operations=LOAD, clause="etag-changes")
def test_etags_of_tables_differ(catalog: IcebergCatalog) -> None:
    """A table that is dropped and created again under the same name has another ETag."""
    id = catalog.new_table()
    first = _etag(catalog, catalog.load_table(id))
    catalog.drop_table(id)
    catalog.new_table()
    unequal(_etag(catalog, catalog.load_table(id)), first, "the ETag of the table that was created again")


@should("iceberg.etag.representation", operations=LOAD, clause="etag-representation", reads=True)
def test_representations_have_their_own(catalog: IcebergCatalog) -> None:
    """loadTable returns different ETags for snapshots=all and snapshots=refs."""
    id = catalog.new_table()
    everything, some = catalog.load_table(id, snapshots="all"), catalog.load_table(id, snapshots="refs")
    unequal(_etag(catalog, some), _etag(catalog, everything), "the ETag with the snapshots of refs alone")


@should("iceberg.etag.not_modified", operations=LOAD, clause="etag-not-modified", reads=True)
def test_not_modified(catalog: IcebergCatalog) -> None:
    """loadTable with the current ETag in If-None-Match returns 304 without a body."""
    id = catalog.new_table()
    etag = _etag(catalog, catalog.load_table(id))
    answer = catalog.load_table(id, _headers={IF_NONE_MATCH: etag}, expect=304)
    equal(len(answer.body), 0, "the length of the body")


@must("iceberg.etag.form", operations=LOAD, clause="etag-form", reads=True)
def test_form_of_etags(catalog: IcebergCatalog) -> None:
    """An ETag is a quoted string, preceded by W/ if it is weak."""
    etag = _etag(catalog, catalog.load_table(catalog.new_table()))
    holds(ENTITY_TAG.fullmatch(etag), f"{shown(etag)} is an entity tag in quotes")


@should("iceberg.etag.kept", operations=LOAD, clause="etag-in-304", reads=True)
def test_not_modified_has_an_etag(catalog: IcebergCatalog) -> None:
    """A 304 response of loadTable carries the same ETag as the 200 response."""
    id = catalog.new_table()
    etag = _etag(catalog, catalog.load_table(id))
    answer = catalog.load_table(id, _headers={IF_NONE_MATCH: etag}, expect=304)
    equal(_opaque(answer.header("ETag")), _opaque(etag), "the ETag of the answer 304")


CONDITIONS: dict[str, Callable[[str], str]] = {
    "list": lambda etag: f'"never-sent", {etag}',
    "weak": lambda etag: f"W/{_opaque(etag)}",
}


@should("iceberg.etag.condition.{}", operations=LOAD, clause="etag-conditions", each=CONDITIONS, reads=True)
def test_forms_of_the_condition(catalog: IcebergCatalog, case: Callable[[str], str]) -> None:
    """loadTable returns 304 for the current ETag in another valid form of If-None-Match ({})."""
    id = catalog.new_table()
    etag = _etag(catalog, catalog.load_table(id))
    catalog.load_table(id, _headers={IF_NONE_MATCH: case(etag)}, expect=304)


@should("iceberg.etag.from_create", operations=["createTable", *LOAD], clause="etag-not-modified")
def test_etag_of_the_creation(catalog: IcebergCatalog) -> None:
    """loadTable with snapshots=all and the ETag from createTable in If-None-Match returns 304."""
    id = catalog.table_id()
    etag = _etag(catalog, catalog.create_table(id, schema=SCHEMA))
    catalog.load_table(id, snapshots="all", _headers={IF_NONE_MATCH: etag}, expect=304)


@should("iceberg.etag.from_commit", operations=["updateTable", *LOAD], clause="etag-not-modified")
def test_etag_of_a_commit(catalog: IcebergCatalog) -> None:
    """loadTable with snapshots=all and the ETag from updateTable in If-None-Match returns 304."""
    id = catalog.new_table()
    etag = _etag(catalog, catalog.update_table(id, [TOUCH]))
    catalog.load_table(id, snapshots="all", _headers={IF_NONE_MATCH: etag}, expect=304)


@must("iceberg.etag.modified", operations=LOAD, clause="etag-modified")
def test_modified(catalog: IcebergCatalog) -> None:
    """loadTable with an outdated or unknown ETag in If-None-Match returns 200 with the current table."""
    id = catalog.new_table()
    old = _etag(catalog, catalog.load_table(id))
    catalog.update_table(id, [TOUCH])
    for etag in (old, '"never-sent"'):
        answer = catalog.load_table(id, _headers={IF_NONE_MATCH: etag})
        equal(properties_of(answer["metadata"]).get("touched"), "1", "the property that the commit set")


@must("iceberg.etag.unasked", operations=LOAD, clause="etag-unasked", reads=True)
def test_nobody_asked(catalog: IcebergCatalog) -> None:
    """loadTable without If-None-Match returns the table's metadata on every repeated load."""
    id = catalog.new_table()
    for _ in range(3):
        holds(catalog.load_table(id)["metadata"], "the answer has the metadata of the table")


@must("iceberg.etag.missing", operations=LOAD, clause="load-table-not-found", kind="error")
def test_etag_of_a_dropped_table(catalog: IcebergCatalog) -> None:
    """loadTable with the ETag of a dropped table returns 404."""
    id = catalog.new_table()
    etag = _etag(catalog, catalog.load_table(id))
    catalog.drop_table(id)
    catalog.load_table(id, _headers={IF_NONE_MATCH: etag}, expect=404)


# Credentials in the answer


def _without_credentials(catalog: IcebergCatalog, id: Names) -> Answer:
    """Load a table without credentials, if the server vends them to clients that request them, and to no others."""
    with catalog.client.preparing():
        vended(catalog, load_for(catalog, id, VENDED))
    plain = catalog.load_table(id)
    if plain.get(CREDENTIALS) or secrets_in(plain.get("config")):
        raise Unoffered("the server hands out credentials without a request for them")
    return plain


@should("iceberg.storage.etag.delegated", operations=LOAD, clause="etag-access")
def test_etag_of_a_load_without_credentials(catalog: IcebergCatalog) -> None:
    """loadTable with vended-credentials and the ETag of a load without them returns 200 with credentials."""
    id = catalog.new_table()
    etag = _etag(catalog, _without_credentials(catalog, id))
    answer = catalog.load_table(id, _headers={**asking(VENDED), IF_NONE_MATCH: etag}, expect=200)
    holds(answer.get(CREDENTIALS), f"the answer has {CREDENTIALS}")


@should("iceberg.storage.etag.expired", operations=LOAD, clause="etag-access")
def test_etag_of_expired_credentials(catalog: IcebergCatalog) -> None:
    """loadTable with the ETag of a response whose credentials have expired returns 200 with new credentials."""
    id = catalog.new_table()
    shown = load_for(catalog, id, VENDED)
    etag, ends = _etag(catalog, shown), expiries(vended(catalog, shown))
    if not ends:
        raise Unoffered("the credentials do not say when they expire")
    wait = min(ends) - now_ms()
    if wait > LONGEST_WAIT_MS:
        raise Skipped(
            f"the credentials are valid for longer than {LONGEST_WAIT_MS // 1000} s",
            f"a server whose credentials expire within {LONGEST_WAIT_MS // 1000} s",
        )
    time.sleep(max(0, wait + 1) / 1000)
    answer = catalog.load_table(id, _headers={**asking(VENDED), IF_NONE_MATCH: etag}, expect=200)
    unequal(expiries(vended(catalog, answer)), ends, "the expiries of the new credentials")


@should("iceberg.storage.etag.vary", operations=LOAD, clause="etag-vary")
def test_loads_vary(catalog: IcebergCatalog) -> None:
    """A cacheable response of loadTable that depends on X-Iceberg-Access-Delegation names the header in Vary."""
    plain = _without_credentials(catalog, catalog.new_table())
    if "no-store" in plain.header("Cache-Control").lower():
        raise Unoffered("the server forbids caches to store the table")
    named = [name.strip().lower() for name in plain.header("Vary").split(",")]
    holds({"*", DELEGATION.lower()} & set(named), f"the header Vary names {DELEGATION}")
