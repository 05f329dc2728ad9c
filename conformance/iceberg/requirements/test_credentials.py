"""Access to table files: delegation header, vended credentials, and other settings in a table's config."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import equal, find, holds, one_of, text
from conformance.author.requirement import given, may, must, should
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.addresses import check_refresh
from conformance.iceberg.support.assertions import type_is
from conformance.iceberg.support.content import SCHEMA, now_ms
from conformance.iceberg.support.registrations import registered_before
from conformance.iceberg.support.storage import (
    CREDENTIALS,
    DELEGATION,
    EXPIRY,
    S3_SCHEMES,
    SIGNING,
    VENDED,
    asking,
    covers,
    load_for,
    location_of,
    open_s3,
    secrets_in,
    vended,
)
from conformance.values.outcomes import Skipped, Unoffered, Violation

LOAD, CREDENTIALS_OF = ["loadTable"], ["loadCredentials"]
LISTS = st.sampled_from([f"{VENDED},{SIGNING}", f"{SIGNING}, {VENDED}"])
NO_TABLE, NO_NAMESPACE = "NoSuchTableException", "NoSuchNamespaceException"
NOT_FOUND = "load-credentials-not-found"
MOST_MS = 10 * 365 * 86_400_000


@dataclass(frozen=True, slots=True)
class TableRequest:
    """Operation whose answer contains a table; `send` sends it with headers."""

    id: str
    send: Callable[[IcebergCatalog, dict[str, str]], Answer]


def _create(catalog: IcebergCatalog, headers: dict[str, str]) -> Answer:
    return catalog.create_table(catalog.table_id(), schema=SCHEMA, _headers=headers)


def _load(catalog: IcebergCatalog, headers: dict[str, str]) -> Answer:
    return catalog.load_table(catalog.new_table(), _headers=headers)


def _register(catalog: IcebergCatalog, headers: dict[str, str]) -> Answer:
    location = registered_before(catalog)
    return catalog.register_table(catalog.table_id(), metadata_location=location, _headers=headers)


SHOWN = {
    "create": TableRequest("createTable", _create),
    "load": TableRequest("loadTable", _load),
    "register": TableRequest("registerTable", _register),
}


@must("iceberg.access.list.{}", clause="access-delegation-list", each=SHOWN, reads=True)
@given(words=LISTS)
def test_several_ways_of_access(catalog: IcebergCatalog, case: TableRequest, words: str) -> None:
    """{} returns the table when X-Iceberg-Access-Delegation lists several values."""
    answer = case.send(catalog, {DELEGATION: words})
    text(answer["metadata"]["table-uuid"], "the table-uuid")


# Credentials


@should("iceberg.storage.vended.refresh", operations=[*LOAD, *CREDENTIALS_OF], clause="vended-credentials-refresh")
def test_credentials_are_refreshed(catalog: IcebergCatalog) -> None:
    """A GET of the endpoint that a load names for fresh credentials returns them with 200."""
    id = catalog.new_table()
    loaded = load_for(catalog, id, VENDED)
    vended(catalog, loaded)
    check_refresh(catalog, id, loaded)


@should("iceberg.storage.vended.{}", clause="vended-credentials", each=SHOWN)
def test_credentials_of_a_table(catalog: IcebergCatalog, case: TableRequest) -> None:
    """{} with vended-credentials returns storage-credentials, each with a location prefix and a config."""
    _well_formed(vended(catalog, case.send(catalog, asking(VENDED))))


@should("iceberg.storage.vended.alone", operations=CREDENTIALS_OF, clause="vended-credentials")
def test_credentials_alone(catalog: IcebergCatalog) -> None:
    """loadCredentials returns storage-credentials, each with a location prefix and a config."""
    _well_formed(vended(catalog, catalog.load_credentials(catalog.new_table())))


def _alone(catalog: IcebergCatalog, _: dict[str, str]) -> Answer:
    """Ask for the credentials of a second table, after those of a first one."""
    catalog.load_credentials(catalog.new_table("other"))
    return catalog.load_credentials(catalog.new_table())


GRANTS = {**SHOWN, "alone": TableRequest("loadCredentials", _alone)}


@should("iceberg.storage.vended.expiry.{}", clause="vended-credentials-expiry", each=GRANTS)
def test_expiry_of_credentials(catalog: IcebergCatalog, case: TableRequest) -> None:
    """An expiry in the credentials of {} is in milliseconds and in the future."""
    config = [entry["config"] for entry in vended(catalog, case.send(catalog, asking(VENDED)))]
    ends = {name: value for settings in config for name, value in settings.items() if EXPIRY in name}
    if not ends:
        raise Unoffered("the credentials do not say when they expire")
    now = now_ms()
    late = {name: end for name, end in ends.items() if not (str(end).isdecimal() and now < int(end) < now + MOST_MS)}
    equal(late, {}, "the expiries that are not milliseconds in the future")


OTHERS = {name: request for name, request in SHOWN.items() if name != "load"}


@should("iceberg.storage.vended.prefix.{}", clause="vended-credentials-prefix", each=OTHERS)
def test_prefixes_of_credentials_in_answers(catalog: IcebergCatalog, case: TableRequest) -> None:
    """A prefix in the credentials of {} covers the location of the table in the same answer."""
    with catalog.client.preparing():
        load_for(catalog, catalog.new_table("other"), VENDED)
    answer = case.send(catalog, asking(VENDED))
    _check_covered(location_of(answer), vended(catalog, answer))


@should("iceberg.access.unasked.{}", clause="vended-credentials-unasked", each=OTHERS)
def test_nobody_asked_another_operation(catalog: IcebergCatalog, case: TableRequest) -> None:
    """{} without X-Iceberg-Access-Delegation returns no storage secret in the table's config."""
    equal(secrets_in(case.send(catalog, {}).get("config")), [], "the secrets in the configuration of the table")


def _well_formed(credentials: list[dict[str, Any]]) -> None:
    holds(credentials, f"{CREDENTIALS} has an entry")
    unlocated = [
        entry["prefix"] for entry in credentials if "://" not in entry["prefix"] and entry["prefix"][:1] != "/"
    ]
    equal(unlocated, [], "the prefixes that are no locations")
    equal(
        [entry["prefix"] for entry in credentials if not entry["config"]], [], "the prefixes without anything in config"
    )


@should("iceberg.storage.vended.prefix", operations=[*LOAD, *CREDENTIALS_OF], clause="vended-credentials-prefix")
def test_prefixes_of_credentials(catalog: IcebergCatalog) -> None:
    """A prefix in the credentials of loadTable and of loadCredentials covers the table's location."""
    id = catalog.new_table()
    shown = load_for(catalog, id, VENDED)
    location, credentials = location_of(shown), vended(catalog, shown)
    _check_covered(location, credentials)
    catalog.require("loadCredentials")
    _check_covered(location, catalog.load_credentials(id)[CREDENTIALS])


def _check_covered(location: str, credentials: list[dict[str, Any]]) -> None:
    find(
        credentials,
        lambda entry: covers(entry["prefix"], location),
        f"a prefix of the credentials that covers {location}",
    )


@should("iceberg.storage.vended.work", operations=LOAD, clause="vended-credentials-work")
def test_credentials_open_the_table(catalog: IcebergCatalog) -> None:
    """The vended credentials of a table on S3 allow writing, reading and deleting a file below its location."""
    shown = load_for(catalog, catalog.new_table(), VENDED)
    location, credentials = location_of(shown), vended(catalog, shown)
    scheme, _, path = location.partition("://")
    if scheme not in S3_SCHEMES:
        raise Skipped("the tables of the target are not on S3", "--location or --warehouse on S3")
    fitting = [entry for entry in credentials if covers(entry["prefix"], location)]
    if not fitting:
        raise Violation("no credentials cover the location of the table")
    longest = max(fitting, key=lambda entry: len(entry["prefix"]))
    try:
        _round_trip(open_s3(longest["config"], shown.get("config") or {}), f"{path}/data/lakeproof.txt")
    except (OSError, ValueError) as error:  # ValueError: settings with which no storage can be reached
        raise Violation(f"the storage refuses: {error}") from None


def _round_trip(filesystem: Any, path: str) -> None:
    with filesystem.open_output_stream(path) as stream:
        stream.write(b"lakeproof")
    with filesystem.open_input_file(path) as stream:
        holds(stream.read() == b"lakeproof", "the file has the content that was written")
    filesystem.delete_file(path)


@should("iceberg.access.unasked", operations=LOAD, clause="vended-credentials-unasked", reads=True)
def test_nobody_asked_for_credentials(catalog: IcebergCatalog) -> None:
    """loadTable without X-Iceberg-Access-Delegation returns no storage secret in the table's config."""
    config = catalog.load_table(catalog.new_table()).get("config")
    equal(secrets_in(config), [], "the secrets in the configuration of the table")


@must("iceberg.access.credentials", operations=CREDENTIALS_OF, clause="load-credentials", reads=True, twin=True)
def test_credentials_are_answered(catalog: IcebergCatalog) -> None:
    """loadCredentials returns credentials for the same prefixes each time, or none if the storage needs none."""
    id = catalog.new_table()
    first, second = ([entry["prefix"] for entry in catalog.load_credentials(id)[CREDENTIALS]] for _ in range(2))
    equal(second, first, "the prefixes of the credentials that are asked for again")


@must("iceberg.access.credentials.missing", operations=CREDENTIALS_OF, clause=NOT_FOUND, kind="error", reads=True)
def test_credentials_for_a_missing_table(catalog: IcebergCatalog) -> None:
    """loadCredentials for a missing table returns 404 with type NoSuchTableException."""
    refused = catalog.load_credentials(catalog.table_id("missing"), expect=404)
    type_is(refused, NO_TABLE)


@must(
    "iceberg.access.credentials.namespace_missing",
    operations=CREDENTIALS_OF,
    clause=NOT_FOUND,
    kind="error",
    reads=True,
)
def test_credentials_in_a_missing_namespace(catalog: IcebergCatalog) -> None:
    """loadCredentials in a missing namespace returns 404 with type NoSuchTableException or NoSuchNamespaceException."""
    refused = catalog.load_credentials((*catalog.missing_namespace(), "t"), expect=404)
    type_is(refused, NO_TABLE, NO_NAMESPACE)


@may("iceberg.access.credentials.plan", operations=CREDENTIALS_OF, clause="load-credentials-plan", reads=True)
def test_credentials_for_a_planning(catalog: IcebergCatalog) -> None:
    """loadCredentials with the id of a scan plan returns a list of credentials."""
    catalog.require("planTableScan")
    id = catalog.new_table()
    plan = catalog.plan_table_scan(id).get("plan-id")
    if not plan:
        raise Unoffered("the server gives scan plans no id")
    holds(isinstance(catalog.load_credentials(id, planId=plan)[CREDENTIALS], list), f"{CREDENTIALS} is a list")


# Other settings of a table


@should("iceberg.access.scan_planning_mode", operations=LOAD, clause="scan-planning-mode")
def test_scan_planning_mode(catalog: IcebergCatalog) -> None:
    """The table setting scan-planning-mode is client or server; with server, planTableScan succeeds."""
    id = catalog.new_table()
    mode = (catalog.load_table(id).get("config") or {}).get("scan-planning-mode")
    if mode is None:
        raise Unoffered("the configuration of tables has no scan-planning-mode")
    one_of(mode, ("client", "server"), "scan-planning-mode")
    if mode == "server":
        catalog.plan_table_scan(id)


@may("iceberg.access.token", operations=LOAD, clause="table-token")
def test_token_of_a_table(catalog: IcebergCatalog) -> None:
    """The token in a table's config authorizes loading that table."""
    id = catalog.new_table()
    token = (catalog.load_table(id).get("config") or {}).get("token")
    if token is None:
        raise Unoffered("the configuration of tables has no token")
    catalog.load_table(id, _headers={"Authorization": f"Bearer {token}"})
