"""Warehouses: their names, the locations of their tables and views, and the locations that the server may access.

A location is a URI or a local path. It is never percent-decoded: Iceberg clients use it unchanged.
"""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath

from reference_server.backends import OWN_FOLDER
from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.files.buckets import S3_SCHEMES, Bucket, is_s3, parse_bucket
from reference_server.storage.places import Place, check_size
from specs.problems import Problem

DEFAULT = "default"
FILE_SCHEME = "file"
TENANTS = "_t"  # folder of tenants in a warehouse on S3
SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
UNSAFE = re.compile(r"[^A-Za-z0-9_.-]|^\.")
SLUG_LENGTH = 80
MOST_PATHS = 4_096  # cached paths: every loadTable checks that a file exists
OWN_NAME = re.compile(r".*-[0-9a-f]{32}")
RESERVED = frozenset({"namespaces", "tables", "views", "transactions", "config", "oauth"})


@dataclass(frozen=True, slots=True)
class Warehouse:
    """A warehouse: its name is also the prefix of its paths, its URI the root of its tables.

    `bucket` is the bucket of a warehouse on S3.
    """

    name: str
    uri: str
    bucket: Bucket | None = None

    @property
    def prefix(self) -> tuple[str, ...]:
        """The segments of the prefix."""
        return tuple(self.name.split("/"))

    def new_location(self, path: Path, folder: str = "") -> str:
        """Return a never used location for a new table or view, with as much of its name as is safe."""
        return f"{self.plain_location(path, folder)}-{secrets.token_hex(16)}"

    def plain_location(self, path: Path, folder: str = "") -> str:
        """Return the location that Iceberg's own catalogs give to a table or view, as far as its name is safe.

        `folder` is the location of its namespace, "" for a namespace without one.
        """
        return f"{folder or self._folder(path[:-1])}/{_slug(path[-1])}"

    def _folder(self, namespace: Path) -> str:
        return f"{self.uri}/{_slug('.'.join(namespace))}"

    def is_own(self, location: str) -> bool:
        """Return whether `new_location` returned a location: then no other object uses it."""
        return self.folder_of(location) == location

    def folder_of(self, path: str) -> str | None:
        """Return the location from `new_location` that a path is at or below, None when there is none."""
        folder, _, rest = path.removeprefix(f"{self.uri}/").partition("/")
        name = rest.partition("/")[0]
        is_own = path.startswith(f"{self.uri}/") and _slug(folder) == folder and OWN_NAME.fullmatch(name)
        return f"{self.uri}/{folder}/{name}" if is_own else None


def parse_warehouses(texts: Sequence[str], data_root: str, tenant: str = "") -> list[Warehouse]:
    """Parse the values of `--warehouse`, `NAME` or `NAME=URI`; the first one is the default.

    Without a URI a warehouse lies in a folder of the data root. A tenant has a folder in a warehouse on S3, and none of
    the server's other URIs. buckets.py describes S3 URIs. Raises Problem for a name that cannot be a prefix or occurs
    twice and for a relative path, and the errors of `parse_bucket`.
    """
    warehouses: dict[str, Warehouse] = {}
    for text in texts or (DEFAULT,):
        name, _, uri = text.partition("=")
        if not all(name.split("/")) or name.split("/")[0] in RESERVED or name in warehouses:
            raise Problem(
                f"Invalid or repeated name of a warehouse: {name!r}.",
                f"Every warehouse has a name of its own, other than {', '.join(sorted(RESERVED))}.",
            )
        if tenant:
            uri = _of_tenant(uri, tenant) if is_s3(uri) else ""
        if is_s3(uri):
            warehouses[name] = Warehouse(name, *parse_bucket(uri))
        else:
            warehouses[name] = Warehouse(name, _checked(uri.rstrip("/")) or f"file://{data_root}/{_slug(name)}")
    return list(warehouses.values())


def _of_tenant(uri: str, tenant: str) -> str:
    """Return the URI of a tenant's folder in a warehouse on S3."""
    path, mark, options = uri.partition("?")
    return f"{path.rstrip('/')}/{TENANTS}/{tenant}{mark}{options}"


def _checked(uri: str) -> str:
    try:
        if uri:
            local_path(uri)
    except InvalidInput as error:
        raise Problem(error.message, "Example: --warehouse demo=file:///data/demo") from None
    return uri


@lru_cache(MOST_PATHS)
def local_path(location: str) -> FilePath | None:
    """Return the path of a local location, None for one of another scheme.

    Raises InvalidInput for a relative path and for one that is too long.
    """
    check_size(location)
    scheme = SCHEME.match(location)
    if scheme and scheme[1].lower() != FILE_SCHEME:
        return None
    path = location[scheme.end() :] if scheme else location
    if path.startswith("//"):
        authority, _, rest = path[2:].partition("/")
        path = f"/{rest}" if authority in ("", "localhost") else ""
    if not path.startswith("/") or "\0" in path:
        raise InvalidInput(f"The location {location!r:.300} is neither a URI nor an absolute path.")
    return FilePath(path)


def origin(location: str) -> str:
    """Return scheme and bucket of a remote location; all S3 schemes become one."""
    scheme, _, rest = location.partition("://")
    scheme = scheme.lower()
    return f"{'s3' if scheme in S3_SCHEMES else scheme}://{rest.partition('/')[0]}"


class AllowedLocations:
    """Locations that may be read and written: the warehouses, and the local system's temporary directory.

    `remote` are the remote warehouses by their origin: all objects in the same bucket may be accessed.
    """

    def __init__(self, warehouses: Sequence[Warehouse]) -> None:
        self._roots = [self.place_of(place) for place in (tempfile.gettempdir(), *(each.uri for each in warehouses))]
        self.remote: dict[str, Warehouse] = {}
        for warehouse in warehouses:
            if local_path(warehouse.uri) is None:
                self.remote.setdefault(origin(warehouse.uri), warehouse)

    def place_of(self, location: str) -> Place:
        """Return the folders of a location, equal for all its spellings. Raises InvalidInput."""
        path = self.path_of(location)
        if path is None:
            return (origin(location), *filter(None, location.partition("://")[2].split("/")[1:]))
        try:
            return (FILE_SCHEME, *path.resolve().parts[1:])
        except (OSError, RuntimeError) as error:
            raise InvalidInput(f"The location {location!r:.300} cannot be resolved: {error}.") from None

    def is_around(self, place: Place) -> bool:
        """Return whether a place is, or contains, a whole warehouse or the temporary directory."""
        return any(root[: len(place)] == place for root in self._roots)

    def path_of(self, location: str) -> FilePath | None:
        """Return the local path of a location, None for a remote one. Raises InvalidInput; see local_path."""
        return local_path(location)

    def warehouse_of(self, location: str) -> Warehouse | None:
        """Return a warehouse in the same storage as a remote location, None if there is none."""
        return self.remote.get(origin(location)) if self.remote else None

    def check(self, location: str) -> Place:
        """Return the place of a location. Raises InvalidInput for one that must not be accessed."""
        place = self.place_of(location)
        if place[0] != FILE_SCHEME:
            if place[0] not in self.remote:
                raise InvalidInput(f"The location {location!r:.300} is not in the storage of any warehouse.")
        elif OWN_FOLDER in place or not any(place[: len(root)] == root for root in self._roots):
            raise InvalidInput(f"The location {location!r:.300} is outside the warehouses.")
        return place


def _slug(text: str) -> str:
    return UNSAFE.sub("_", text)[:SLUG_LENGTH] or "_"
