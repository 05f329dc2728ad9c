"""Files at the locations of tables: on this machine, or on S3 with keys from the server or the settings.

Keys in this machine's environment are never used: they were given for something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from conformance.http.client import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.storage import (
    ACCESS_KEY,
    CREDENTIALS,
    S3_SCHEMES,
    VENDED,
    Config,
    covers,
    load_for,
    location_of,
    open_s3,
)
from conformance.values.outcomes import Blocked, Unoffered, Violation

UNREACHABLE = "the files of the server's tables cannot be reached from here"
UNWRITTEN = "the files of the server's tables cannot be written from here, and this needs some that can be read"


class Files(Protocol):
    """Files by their locations. Each method raises Unoffered where the storage cannot be reached."""

    def read(self, location: str) -> bytes:
        """Return the content of a file."""

    def write(self, location: str, content: bytes) -> None:
        """Write a file."""

    def exists(self, location: str) -> bool:
        """True when the file exists."""

    def remove(self, location: str) -> None:
        """Remove a file, if it exists."""


class LocalFiles:
    """Files on this machine."""

    def read(self, location: str) -> bytes:
        """Return the content of a file."""
        with reachable():
            return _path(location).read_bytes()

    def write(self, location: str, content: bytes) -> None:
        """Write a file, creating its folder."""
        with reachable():
            path = _path(location)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def exists(self, location: str) -> bool:
        """True when the file exists."""
        with reachable():
            return _path(location).is_file()

    def remove(self, location: str) -> None:
        """Remove a file, if it exists."""
        with reachable():
            _path(location).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class S3Files:
    """Files on S3: `settings` are keys, endpoint and region, named as in a table's config."""

    settings: Config

    @property
    def _system(self) -> Any:
        return _opened(tuple(sorted(self.settings.items())))

    def read(self, location: str) -> bytes:
        """Return the content of an object."""
        with reachable(), self._system.open_input_file(_key(location)) as stream:
            content: bytes = stream.read()
            return content

    def write(self, location: str, content: bytes) -> None:
        """Write an object."""
        with reachable(), self._system.open_output_stream(_key(location)) as stream:
            stream.write(content)

    def exists(self, location: str) -> bool:
        """True when the object exists."""
        with reachable():
            return bool(self._system.get_file_info(_key(location)).is_file)

    def remove(self, location: str) -> None:
        """Remove an object, if it exists."""
        with reachable(), suppress(FileNotFoundError):
            self._system.delete_file(_key(location))


class UnwrittenFiles:
    """Files that metadata name and nobody writes, for servers that never read them."""

    def read(self, location: str) -> bytes:
        """Raise Unoffered: there is nothing to read."""
        raise Unoffered(UNWRITTEN)

    def write(self, location: str, content: bytes) -> None:
        """Do nothing."""

    def exists(self, location: str) -> bool:
        """Raise Unoffered: no file exists."""
        raise Unoffered(UNWRITTEN)

    def remove(self, location: str) -> None:
        """Raise Unoffered: no file exists."""
        raise Unoffered(UNWRITTEN)


def local_files(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Files:
    """Return the files of a table on this machine. Raises Unoffered where its location is elsewhere."""
    if local_path(location_of(loaded)) is None:
        raise Unoffered(UNREACHABLE)
    return LocalFiles()


def files_by_options(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Files:
    """Return the files of a table on S3, with keys from --storage-option. Raises Unoffered without them."""
    options = dict(catalog.target.settings.pairs("storage_option"))
    if not _on_s3(location_of(loaded)):
        raise Unoffered(UNREACHABLE)
    if not options:
        raise Unoffered(f"{UNREACHABLE}: --storage-option gives the keys to them")
    return S3Files({**(loaded.get("config") or {}), **options})


def files_by_credentials(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Files:
    """Return the files of a table on S3, with credentials from the server. Raises Unoffered without keys."""
    location = location_of(loaded)
    if not _on_s3(location):
        raise Unoffered(UNREACHABLE)
    for offered in (_in_config, _vended, _refreshed):
        settings = {**(loaded.get("config") or {}), **offered(catalog, id, loaded)}
        if settings.get(ACCESS_KEY):
            return S3Files({name: value for name, value in settings.items() if isinstance(value, str)})
    raise Unoffered(UNREACHABLE)


def unwritten_files(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Files:
    """Return the files of a table without writing any."""
    return UnwrittenFiles()


FilesOf = Callable[[IcebergCatalog, Names, Answer], Files]
WRITTEN: Mapping[str, FilesOf] = {
    "files on this machine": local_files,
    "files on S3 with keys of the settings": files_by_options,
    "files on S3 with keys that the server hands out": files_by_credentials,
}
WAYS: Mapping[str, FilesOf] = {**WRITTEN, "manifest lists that are named and not written": unwritten_files}


def _in_config(_catalog: IcebergCatalog, _id: Names, loaded: Answer) -> Config:
    return _fitting(loaded.get(CREDENTIALS), location_of(loaded))


def _vended(catalog: IcebergCatalog, id: Names, _loaded: Answer) -> Config:
    with suppress(Violation, Blocked, Unoffered):
        asked = load_for(catalog, id, VENDED)
        return {**(asked.get("config") or {}), **_fitting(asked.get(CREDENTIALS), location_of(asked))}
    return {}


def _refreshed(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Config:
    with suppress(Violation, Blocked, Unoffered):
        catalog.require("loadCredentials")
        return _fitting(catalog.load_credentials(id).get(CREDENTIALS), location_of(loaded))
    return {}


def _fitting(credentials: Any, location: str) -> Config:
    """Return the settings of the credentials with the longest prefix that covers a location."""
    well_formed = [
        entry for entry in credentials or () if isinstance(entry, dict) and isinstance(entry.get("config"), dict)
    ]
    fitting = [entry for entry in well_formed if covers(str(entry.get("prefix")), location)]
    return max(fitting, key=lambda entry: len(entry["prefix"]), default={"config": {}})["config"]


@lru_cache(maxsize=64)
def _opened(settings: tuple[tuple[str, str], ...]) -> Any:
    return open_s3({}, dict(settings))


def _on_s3(location: str) -> bool:
    return location.partition("://")[0] in S3_SCHEMES


def _key(location: str) -> str:
    """Return the bucket and key of an object, the path that pyarrow expects."""
    return location.partition("://")[2]


def _path(location: str) -> Path:
    """Return the path of a location on this machine. Raises Unoffered for one elsewhere."""
    path = local_path(location)
    if path is None:
        raise Unoffered(UNREACHABLE)
    return path


@contextmanager
def reachable() -> Iterator[None]:
    """Raise Unoffered instead of errors of the storage and of malformed locations."""
    try:
        yield
    except (OSError, ValueError):
        raise Unoffered(UNREACHABLE) from None


def local_path(uri: str) -> Path | None:
    """Return the path of a location on this machine, None for one elsewhere and for a relative or invalid one."""
    try:
        split = urlsplit(uri)
    except ValueError:
        return None
    if split.scheme == "":
        path = uri
    elif split.scheme == "file" and split.netloc in ("", "localhost"):
        path = unquote(split.path)
    else:
        return None
    return Path(path) if path.startswith("/") else None
