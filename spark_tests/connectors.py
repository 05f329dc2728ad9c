"""Connectors: the jar of an API for a line of Spark, and the configuration of its catalogs.

The table is `connectors.toml`. A connector that is chosen by its coordinates replaces the API's connector.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from conformance.values.settings import Settings
from spark_tests.jars import resolve
from specs.files import read_toml
from specs.problems import Problem

TABLE = Path(__file__).with_name("connectors.toml")
LINE, GROUP = "spark", "group"  # tables of connectors.toml that are not APIs
LIKE = "like"
AUTHORIZATION = "Authorization"


@dataclass(frozen=True, slots=True)
class SparkCatalog:
    """Catalog in Spark SQL: its name, its API, its base URL, and further settings of the connector.

    The connector sends `headers` with every request.
    """

    name: str
    api: str
    url: str
    settings: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Connector:
    """Connector of an API: the coordinates of its jar and the settings of its catalogs.

    `waits` is a class in which its tasks may deadlock, "" for none.
    """

    api: str
    coordinates: str
    catalog: str
    extensions: str
    headers: str
    settings: Mapping[str, str]
    waits: str


@dataclass(frozen=True, slots=True)
class SqlTables:
    """Tables that a connector writes by SQL, and its error names for writes that it did not acknowledge.

    Errors in `conflicts` mean that the write was rejected, errors in `unknown` that its outcome is unknown.
    """

    format: str
    properties: Mapping[str, str]
    conflicts: Sequence[str]
    unknown: Sequence[str]


@cache
def table() -> dict[str, Any]:
    """Return the table of connectors; an API with `like` inherits all fields of the other API."""
    raw = read_toml(TABLE)
    for api in connectable(raw):
        if base := raw[api].get(LIKE):
            raw[api] = raw[base] | raw[api]
            for line in (row for row in raw[LINE].values() if base in row):
                line[api] = line[base]
    return raw


def connectable(rows: Mapping[str, Any] | None = None) -> list[str]:
    """Return the APIs with a connector, in the table or in `rows`."""
    return [name for name in (table() if rows is None else rows) if name not in (LINE, GROUP)]


def default_connector() -> str:
    """Return the API that Spark commands use if none is named."""
    return connectable()[0]


def sql_tables(api: str) -> SqlTables | None:
    """Return the tables that the connector of an API can append to and merge into, None if it cannot."""
    entry = table()[api].get("sql")
    return SqlTables(**entry) if entry else None


def client_modules(apis: Collection[str]) -> set[str]:
    """Return the modules of Java's runtime that the HTTP clients of connectors need."""
    return {module for api in apis if (module := table()[api].get("module"))}


def spoken_profile(api: str, chosen: Sequence[str] = ()) -> str:
    """Return the profile of an API that its connector speaks, "" for the default. Raises Problem, see `connector`."""
    revision = _entry(api, _chosen(api, chosen)).get("revision")
    return f"{api}/{revision}" if revision else ""


def connector(api: str, line: str, chosen: Sequence[str] = ()) -> Connector:
    """Return the connector of an API for a line of Spark, such as "3.5"; coordinates in `chosen` replace it.

    Raises Problem if there is none, and for coordinates in `chosen` with an unknown group.
    """
    coordinates = _chosen(api, chosen) or str(table()[LINE].get(line, {}).get(api, ""))
    if not coordinates:
        raise Problem(
            f"There is no connector for {api} on Spark {line}.",
            "Choose one with --connector GROUP:ARTIFACT:VERSION, or install another pyspark.",
        )
    entry = _entry(api, coordinates)
    own_settings, extensions, waits = entry["settings"], entry.get("extensions", ""), entry.get("waits", "")
    return Connector(api, coordinates, entry["catalog"], extensions, entry["headers"], own_settings, waits)


def _chosen(api: str, chosen: Sequence[str]) -> str:
    """Return the coordinates of an API's connector in `chosen`, "" without one."""
    wanted = table()[api].get(LIKE, api)
    return next((coordinates for coordinates in chosen if _api_of(coordinates) == wanted), "")


def _entry(api: str, coordinates: str) -> dict[str, Any]:
    """Return the row of an API's connector: what its group says replaces what the API says."""
    entry: dict[str, Any] = table()[api] | table()[GROUP].get(coordinates.partition(":")[0], {})
    return entry


def _api_of(coordinates: str) -> str:
    """Return the API of a connector. Raises Problem for coordinates with an unknown group."""
    parts = coordinates.split(":")
    known = {group: entry["api"] for group, entry in table()[GROUP].items()}
    own = [api for api in connectable() if LIKE not in table()[api]]
    known |= {line[api].partition(":")[0]: api for line in table()[LINE].values() for api in own if api in line}
    if len(parts) != 3 or parts[0] not in known:
        raise Problem(
            f"--connector: unknown connector {coordinates!r}.",
            f"Write it as GROUP:ARTIFACT:VERSION; groups: {', '.join(sorted(known))}.",
        )
    return str(known[parts[0]])


def java_module(line: str) -> str:
    """Return the module of Java's runtime that a line of Spark needs to start, "" for none."""
    return str(table()[LINE].get(line, {}).get("module", ""))


def jar_files(apis: Collection[str], line: str, chosen: Sequence[str] = ()) -> list[str]:
    """Return the connectors' jars, and fetch missing ones. Raises Problem for a jar that cannot be fetched."""
    coordinates = dict.fromkeys(connector(api, line, chosen).coordinates for api in sorted(apis))
    return [str(resolve(name)) for name in coordinates]


def catalog_settings(catalog: SparkCatalog, line: str, chosen: Sequence[str] = ()) -> dict[str, str]:
    """Return the settings of a catalog; they can be set in a running session."""
    needed = connector(catalog.api, line, chosen)
    prefix = f"spark.sql.catalog.{catalog.name}"
    headers = {f"{needed.headers}.{name}": value for name, value in catalog.headers.items()}
    all_settings = {**needed.settings, **headers, **catalog.settings}
    options = {f"{prefix}.{name}": str(value) for name, value in all_settings.items()}
    return {prefix: needed.catalog, f"{prefix}.uri": catalog.url, **options}


def catalog_for(name: str, settings: Settings) -> SparkCatalog:
    """Return the catalog for the target of a run, with its credentials, under a name in SQL."""
    headers = dict(settings.pairs("header"))
    supported = table()[settings.api].get("takes", [])
    options = {name: getattr(settings, name) for name in supported}
    if settings.token:  # a connector with both would request another token
        options.pop("credential", None)
        if "token" not in supported:
            headers[AUTHORIZATION] = f"Bearer {settings.token}"
    nonempty = {name: value for name, value in options.items() if value}
    url = settings.server.rstrip("/") + table()[settings.api].get("path", "")
    return SparkCatalog(name, settings.api, url, nonempty, headers)
