"""Connectors: which jar an API needs on a line of Spark, and how a catalog is configured in Spark.

The table is `connectors.toml`. A connector that is chosen by its coordinates replaces that of its API.
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
LINE, GROUP = "spark", "group"  # what the table has beside APIs
LIKE = "like"
AUTHORIZATION = "Authorization"


@dataclass(frozen=True, slots=True)
class Catalog:
    """A catalog as SQL calls it: its name, its API, its base URL, and settings of the connector besides.

    `headers` go with every request.
    """

    name: str
    api: str
    url: str
    settings: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Connector:
    """What Spark needs for one API: the coordinates of its jar and the settings of its catalogs.

    `waits` is a class in which its tasks may wait for themselves, "" for none.
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
    """Tables that a connector writes by SQL, and what its errors name of writes that were not acknowledged.

    `conflicts` came too late, of `unknown` nobody knows what became of them.
    """

    format: str
    properties: Mapping[str, str]
    conflicts: Sequence[str]
    unknown: Sequence[str]


@cache
def table() -> dict[str, Any]:
    """Return the table of connectors; an API that is like another has all that the other has."""
    raw = read_toml(TABLE)
    for api in connectable(raw):
        if base := raw[api].get(LIKE):
            raw[api] = raw[base] | raw[api]
            for line in (row for row in raw[LINE].values() if base in row):
                line[api] = line[base]
    return raw


def connectable(rows: Mapping[str, Any] | None = None) -> list[str]:
    """Return the APIs that Spark has a connector for, in the table or in other rows of one."""
    return [name for name in (table() if rows is None else rows) if name not in (LINE, GROUP)]


def default_connector() -> str:
    """Return the API that is meant where none is named."""
    return connectable()[0]


def sql_tables(api: str) -> SqlTables | None:
    """Return what tables are like that the connector of an API appends to and merges into, None if it cannot."""
    entry = table()[api].get("sql")
    return SqlTables(**entry) if entry else None


def client_modules(apis: Collection[str]) -> set[str]:
    """Return the parts of Java's runtime that the HTTP clients of connectors cannot do without."""
    return {module for api in apis if (module := table()[api].get("module"))}


def connector(api: str, line: str, chosen: Sequence[str] = ()) -> Connector:
    """Return the connector of an API on a line of Spark, "3.5" for example; `chosen` are coordinates instead.

    Raises Problem when there is none.
    """
    wanted = table()[api].get(LIKE, api)
    coordinates_of_api = next((coordinates for coordinates in chosen if _api_of(coordinates) == wanted), "")
    coordinates = coordinates_of_api or str(table()[LINE].get(line, {}).get(api, ""))
    if not coordinates:
        raise Problem(
            f"There is no connector for {api} on Spark {line} in the table.",
            "Choose one with --connector GROUP:ARTIFACT:VERSION, or install another pyspark.",
        )
    entry = table()[api] | table()[GROUP].get(coordinates.partition(":")[0], {})
    own_settings, extensions, waits = entry["settings"], entry.get("extensions", ""), entry.get("waits", "")
    return Connector(api, coordinates, entry["catalog"], extensions, entry["headers"], own_settings, waits)


def _api_of(coordinates: str) -> str:
    """Return the API that a connector is for. Raises Problem for coordinates of another kind."""
    parts = coordinates.split(":")
    known = {group: entry["api"] for group, entry in table()[GROUP].items()}
    own = [api for api in connectable() if LIKE not in table()[api]]
    known |= {line[api].partition(":")[0]: api for line in table()[LINE].values() for api in own if api in line}
    if len(parts) != 3 or parts[0] not in known:
        raise Problem(
            f"{coordinates!r} is not a connector that the kit knows.",
            f"Write it as GROUP:ARTIFACT:VERSION; groups: {', '.join(sorted(known))}.",
        )
    return str(known[parts[0]])


def java_module(line: str) -> str:
    """Return the part of Java's runtime that a line of Spark cannot start without, "" for none."""
    return str(table()[LINE].get(line, {}).get("module", ""))


def jar_files(apis: Collection[str], line: str, chosen: Sequence[str] = ()) -> list[str]:
    """Return the connectors' jars, fetched when they are not there. Raises Problem when one is not to be had."""
    coordinates = dict.fromkeys(connector(api, line, chosen).coordinates for api in sorted(apis))
    return [str(resolve(name)) for name in coordinates]


def catalog_settings(catalog: Catalog, line: str, chosen: Sequence[str] = ()) -> dict[str, str]:
    """Return the settings that make a catalog. They can be given to a session that runs."""
    needed = connector(catalog.api, line, chosen)
    prefix = f"spark.sql.catalog.{catalog.name}"
    headers = {f"{needed.headers}.{name}": value for name, value in catalog.headers.items()}
    all_settings = {**needed.settings, **headers, **catalog.settings}
    options = {f"{prefix}.{name}": str(value) for name, value in all_settings.items()}
    return {prefix: needed.catalog, f"{prefix}.uri": catalog.url, **options}


def catalog_for(name: str, settings: Settings) -> Catalog:
    """Return the catalog that shows the target of a run, with its credentials, under a name of SQL's."""
    headers = dict(settings.pairs("header"))
    supported = table()[settings.api].get("takes", [])
    options = {name: getattr(settings, name) for name in supported}
    if settings.token:  # a connector that got both would get itself another token
        options.pop("credential", None)
        if "token" not in supported:
            headers[AUTHORIZATION] = f"Bearer {settings.token}"
    nonempty = {name: value for name, value in options.items() if value}
    url = settings.server.rstrip("/") + table()[settings.api].get("path", "")
    return Catalog(name, settings.api, url, nonempty, headers)
