"""Vended credentials for the files of tables, in the form of each storage type."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.author.checks import contains, equal, exactly, holds
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.addresses import check_refresh
from conformance.iceberg.support.content import SCHEMA
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG
from conformance.polaris.storage import STORAGES, storages_for
from conformance.polaris.support.access.holes import let_through
from conformance.values.outcomes import Skipped, Unoffered

VENDED = {"X-Iceberg-Access-Delegation": "vended-credentials"}
VENDED_GENERIC = {"Polaris-Generic-Table-Access-Delegation": "vended-credentials"}
CONTENT = {"type": "catalog", "privilege": "CATALOG_MANAGE_CONTENT"}
PROPERTIES = {"type": "catalog", "privilege": "TABLE_READ_PROPERTIES"}
LOAD = ["loadTable"]
Id = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vending:
    """Storage type with the prefixes of the config keys that contain its credentials."""

    id: str
    keys: tuple[str, ...]


VENDINGS = {
    "s3": Vending("S3", ("s3.access-key-id", "s3.secret-access-key", "s3.session-token")),
    "gcs": Vending("GCS", ("gcs.oauth2.token",)),
    "azure": Vending("AZURE", ("adls.sas-token.",)),
}


def _table(catalog: PolarisCatalog, storage: str) -> tuple[IcebergClient, Id]:
    """Create a table as `_table_in` does; return the operations of a caller that may read it, and its id."""
    _, tables, id = _table_in(catalog, storage)
    return tables, id


def _table_in(catalog: PolarisCatalog, storage: str) -> tuple[str, IcebergClient, Id]:
    """Create a catalog on a storage type with a table; return its name, the operations of a reader, and the table's id.

    Raises Skipped if the run has no place there, and Unoffered if the server does not create tables there.
    """
    if storage not in storages_for(catalog.target):
        raise Skipped(f"the run has no place on {storage}", "--location")
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id, storage=STORAGES[storage])
    with catalog.client.preparing():
        if catalog.create(CATALOG, id, value, expect=(201, 400)).status == 400:
            raise Unoffered(f"the server does not take catalogs on {storage}")
        caller = catalog.new_caller(CONTENT, catalog=id[0])
        tables, namespace = catalog.within(id[0], caller.client), (catalog.target.new_name(),)
        tables.create_namespace(namespace)
        made = tables.create_table((*namespace, "t"), SCHEMA, expect=None)
    if not made.succeeded:
        raise Unoffered(f"the server makes no tables on {storage}: it cannot reach it")
    return id[0], tables, (*namespace, "t")


def _begun(config: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    """Return the prefixes with which at least one config key starts."""
    return [name for name in names if any(setting.startswith(name) for setting in config)]


@should("polaris.vending.{}", operations=LOAD, clause="vended-settings", each=VENDINGS)
def test_credentials_are_vended(catalog: PolarisCatalog, case: Vending) -> None:
    """loadTable with access delegation returns credentials for {} in config, under the documented keys."""
    tables, id = _table(catalog, case.id)
    config = tables.load_table(id, _headers=VENDED)["config"]
    contains(_begun(config, case.keys), case.keys, "the settings of the table")


@should("polaris.vending.{}.unasked", operations=LOAD, clause="vended-on-request", each=VENDINGS)
def test_credentials_are_not_given_away(catalog: PolarisCatalog, case: Vending) -> None:
    """loadTable without access delegation returns no credentials for a table on {}."""
    tables, id = _table(catalog, case.id)
    answer = tables.load_table(id)
    equal(_begun(answer.get("config") or {}, case.keys), [], "the credentials among the settings")
    equal(answer.get("storage-credentials") or [], [], "the storage-credentials")


@should(
    "polaris.vending.{}.listed", operations=[*LOAD, "loadCredentials"], clause="vended-list", each=VENDINGS, since="1.7"
)
def test_credentials_are_listed(catalog: PolarisCatalog, case: Vending) -> None:
    """loadTable and loadCredentials return one storage credential for a table on {}, with a prefix that contains it."""
    tables, id = _table(catalog, case.id)
    loaded = tables.load_table(id, _headers=VENDED)
    for credentials in (loaded["storage-credentials"], tables.load_credentials(id)["storage-credentials"]):
        (entry,) = exactly(credentials, 1, "the storage-credentials")
        location = str(loaded["metadata"]["location"])
        holds(location.startswith(str(entry["prefix"])), "the table lies in the prefix of its credentials")
        contains(_begun(entry["config"], case.keys), case.keys, "the settings of the credentials")


@should(
    "polaris.vending.{}.generic", operations=["loadGenericTable"], clause="vended-generic", each=VENDINGS, since="1.7"
)
def test_credentials_of_generic_tables(catalog: PolarisCatalog, case: Vending) -> None:
    """loadGenericTable on {} returns credentials for the table with access delegation, and none without it."""
    tables, id = _table(catalog, case.id)
    location, generic = f"{tables.load_table(id)['metadata']['location']}-generic", PolarisClient(tables.client)
    sent: dict[str, Any] = {"name": "g", "format": "delta", "base-location": location}
    made = generic.create_generic_table(id[:-1], expect=(200, 400, 403), **sent)
    if not made.succeeded:
        raise Unoffered(f"the server makes no generic tables on {case.id}")
    load = partial(generic.load_generic_table, id[:-1], "g")
    (access,) = exactly(load(_headers=VENDED_GENERIC)["storage-access-configs"], 1, "the storage-access-configs")
    holds(location.startswith(str(access["prefix"])), "the table lies in the prefix of its credentials")
    contains(_begun(access["config"], case.keys), case.keys, "the settings of the credentials")
    equal(load().get("storage-access-configs") or [], [], "the credentials of who asks for none")


@must("polaris.vending.{}.without_privilege", operations=LOAD, clause="access-data", kind="auth", each=VENDINGS)
def test_credentials_need_a_privilege(catalog: PolarisCatalog, case: Vending) -> None:
    """loadTable and loadCredentials return no credentials for {} to a caller with TABLE_READ_PROPERTIES alone."""
    name, tables, id = _table_in(catalog, case.id)
    caller = catalog.within(name, catalog.new_caller(PROPERTIES, catalog=name).client)
    with catalog.client.preparing():
        if not _vended(tables.load_table(id, _headers=VENDED), case):
            raise Unoffered(f"the server vends no credentials for {case.id}")
        caller.load_table(id)
    answers = [caller.load_table(id, _headers=VENDED, expect=None)]
    if not catalog.client.lacks("loadCredentials"):
        answers.append(caller.load_credentials(id, expect=None))
    for answer in answers:
        if answer.succeeded and _vended(answer, case):
            raise let_through(answer, f"a caller with {PROPERTIES['privilege']} on the catalog")


def _vended(answer: Answer, vending: Vending) -> bool:
    """True when an answer has credentials in its config or among its storage-credentials."""
    listed = [entry["config"] for entry in answer.get("storage-credentials") or []]
    return any(_begun(config, vending.keys) for config in (answer.get("config") or {}, *listed))


@should("polaris.vending.file", operations=LOAD, clause="vended-settings")
def test_local_files_need_no_credentials(catalog: PolarisCatalog) -> None:
    """loadTable with access delegation returns a table on local files without credentials."""
    tables, id = _table(catalog, "FILE")
    answer = tables.load_table(id, _headers=VENDED)
    for vending in VENDINGS.values():
        equal(_begun(answer.get("config") or {}, vending.keys), [], "the credentials among the settings")


@should(
    "polaris.vending.{}.expiry",
    operations=[*LOAD, "loadCredentials"],
    clause="vended-expiry",
    each=VENDINGS,
    since="1.7",
)
def test_credentials_end_in_the_future(catalog: PolarisCatalog, case: Vending) -> None:
    """Every end of credentials for {} in loadTable and loadCredentials is in the future, in milliseconds."""
    tables, id = _table(catalog, case.id)
    loaded = tables.load_table(id, _headers=VENDED)
    configs = [loaded["config"]]
    for answer in (loaded, tables.load_credentials(id)):
        configs += [entry["config"] for entry in answer["storage-credentials"]]
    ends = [value for config in configs for name, value in config.items() if EXPIRES in name]
    if not ends:
        raise Unoffered("the credentials have no end")
    now = time.time() * 1000
    for end in ends:
        holds(str(end).isdecimal() and now < int(end) < now + YEAR, "credentials end within a year from now")


@should(
    "polaris.vending.{}.refresh",
    operations=[*LOAD, "loadCredentials"],
    clause="vended-refresh",
    each=VENDINGS,
    since="1.7",
)
def test_credentials_are_refreshed(catalog: PolarisCatalog, case: Vending) -> None:
    """A GET of the endpoint that loadTable names for fresh credentials for {} returns them with 200."""
    tables, id = _table(catalog, case.id)
    check_refresh(tables, id, tables.load_table(id, _headers=VENDED))


EXPIRES, YEAR = "expires-at", 366 * 86_400_000  # milliseconds
