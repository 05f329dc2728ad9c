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

from conformance.http.answers import Answer
from conformance.http.client import Client
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
from conformance.target.local_files import local_path
from conformance.values.outcomes import NotTested, Skipped, Violation

UNREACHABLE = "the files of the server's tables cannot be reached from here"
REACHED_BY = "--storage-option KEY=VALUE or --location URI"
UNWRITTEN = "the files of the server's tables cannot be written from here, and this needs some that can be read"


def unreachable(why: str = UNREACHABLE) -> Skipped:
    """Return the outcome of a requirement for which files cannot be reached, with the options that would help."""
    return Skipped(why, REACHED_BY)


class Files(Protocol):
    """Files by their locations. Each method raises Skipped where the storage cannot be reached."""

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


@dataclass(frozen=True, slots=True)
class RecordedFiles:
    """Files whose changes become steps of the requirement that a client sends the requests of."""

    files: Files
    client: Client

    def read(self, location: str) -> bytes:
        """Return the content of a file."""
        return self.files.read(location)

    def write(self, location: str, content: bytes) -> None:
        """Write a file, as a step."""
        self.files.write(location, content)
        self.client.note_beside("wrote", location, content)

    def exists(self, location: str) -> bool:
        """True when the file exists."""
        return self.files.exists(location)

    def remove(self, location: str) -> None:
        """Remove a file, if it exists, as a step."""
        self.files.remove(location)
        self.client.note_beside("deleted", location)


class UnwrittenFiles:
    """Files that metadata name and nobody writes, for servers that never read them."""

    def read(self, location: str) -> bytes:
        """Raise Skipped: there is nothing to read."""
        raise unreachable(UNWRITTEN)

    def write(self, location: str, content: bytes) -> None:
        """Do nothing."""

    def exists(self, location: str) -> bool:
        """Raise Skipped: no file exists."""
        raise unreachable(UNWRITTEN)

    def remove(self, location: str) -> None:
        """Raise Skipped: no file exists."""
        raise unreachable(UNWRITTEN)


def local_files(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Files:
    """Return the files of a table on this machine. Raises Skipped where its location is elsewhere."""
    if local_path(location_of(loaded)) is None:
        raise unreachable()
    return RecordedFiles(LocalFiles(), catalog.client)


def files_by_options(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Files:
    """Return the files of a table on S3, with keys from --storage-option. Raises Unoffered without them."""
    options = dict(catalog.target.settings.pairs("storage_option"))
    if not options or not _on_s3(location_of(loaded)):
        raise unreachable()
    return RecordedFiles(S3Files({**(loaded.get("config") or {}), **options}), catalog.client)


def files_by_credentials(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Files:
    """Return the files of a table on S3, with credentials from the server. Raises Skipped without keys."""
    location = location_of(loaded)
    if not _on_s3(location):
        raise unreachable()
    for offered in (_in_config, _vended, _refreshed):
        settings = {**(loaded.get("config") or {}), **offered(catalog, id, loaded)}
        if settings.get(ACCESS_KEY):
            texts = {name: value for name, value in settings.items() if isinstance(value, str)}
            return RecordedFiles(S3Files(texts), catalog.client)
    raise unreachable()


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
    with suppress(Violation, NotTested):
        asked = load_for(catalog, id, VENDED)
        return {**(asked.get("config") or {}), **_fitting(asked.get(CREDENTIALS), location_of(asked))}
    return {}


def _refreshed(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Config:
    with suppress(Violation, NotTested):
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
    """Return the path of a location on this machine. Raises Skipped for one elsewhere."""
    path = local_path(location)
    if path is None:
        raise unreachable()
    return path


@contextmanager
def reachable() -> Iterator[None]:
    """Raise Skipped instead of errors of the storage and of malformed locations."""
    try:
        yield
    except (OSError, ValueError):
        raise unreachable() from None
