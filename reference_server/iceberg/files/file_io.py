"""Files as bytes: read, written once, deleted; local, or through pyarrow in the storages of the warehouses.

Only locations that `AllowedLocations` allows are accessed. All methods may block.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from reference_server import limits
from reference_server.errors import CatalogError, InvalidInput, PermissionDenied, ServiceUnavailable
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse, origin
from reference_server.iceberg.errors import FileNotFound
from reference_server.machine import machine_fault
from specs.problems import Problem


class FileIO:
    """Files of all warehouses. With `durable`, `write` returns once a local file is on disk."""

    def __init__(self, allowed: AllowedLocations, *, durable: bool) -> None:
        self._allowed = allowed
        self._durable = durable
        self._opened: dict[str, tuple[Any, str]] = {}
        self._lock = Lock()

    def open(self) -> None:
        """Connect to the storages of all warehouses. Raises Problem for an unreachable one."""
        for warehouse in self._allowed.remote.values():
            try:
                self._filesystem(warehouse)
            except InvalidInput as error:
                raise Problem(error.message, "Look at the URI of --warehouse.") from None

    def read(self, location: str) -> bytes:
        """Return the content of a file. Raises FileNotFound, ServiceUnavailable, and InvalidInput for a large one."""
        self._allowed.check(location)
        path = self._allowed.path_of(location)
        return self._read_remote(location) if path is None else _read_local(location, path)

    def write(self, location: str, data: bytes) -> None:
        """Write a new file. Raises InvalidInput for a location that cannot be written, and ServiceUnavailable."""
        self._allowed.check(location)
        path = self._allowed.path_of(location)
        if path is None:
            self._write_remote(location, data)
        else:
            _write_local(path, data, durable=self._durable)

    def exists(self, location: str) -> bool:
        """Return whether a local file exists; a remote file is assumed to exist."""
        path = self._allowed.path_of(location)
        return path is None or os.path.exists(path)  # noqa: PTH110 - on the path of every loadTable

    def has_folders(self, location: str) -> bool:
        """Return whether a location is in a storage with folders: a local one."""
        return self._allowed.path_of(location) is not None

    def make_folder(self, location: str) -> None:
        """Make a local folder. Raises InvalidInput for a location that cannot be written, and ServiceUnavailable."""
        self._allowed.check(location)
        path = self._allowed.path_of(location)
        assert path is not None
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(path, "folder", error) from None

    def delete_folder(self, location: str) -> None:
        """Delete a local folder and its parent, if they are empty."""
        with suppress(InvalidInput, PermissionDenied, OSError):
            self._allowed.check(location)
            path = self._allowed.path_of(location)
            if path is not None:
                _delete_empty(path)

    def delete(self, location: str) -> None:
        """Delete a file, and directories that are empty then; missing files and forbidden locations are ignored."""
        with suppress(FileNotFound, InvalidInput, PermissionDenied, OSError):
            self._allowed.check(location)
            path = self._allowed.path_of(location)
            if path is None:
                filesystem, name = self._remote(location)
                filesystem.delete_file(name)
            else:
                path.unlink(missing_ok=True)
                _delete_empty(path.parent)

    def delete_tree(self, location: str) -> None:
        """Delete all files and folders below a location."""
        with suppress(FileNotFound, InvalidInput, PermissionDenied, OSError):
            self._allowed.check(location)
            path = self._allowed.path_of(location)
            if path is None:
                filesystem, name = self._remote(location)
                filesystem.delete_dir(name)
            else:
                shutil.rmtree(path, ignore_errors=True)
                path.parent.rmdir()

    def _read_remote(self, location: str) -> bytes:
        filesystem, name = self._remote(location)
        try:
            with filesystem.open_input_file(name) as stream:
                data: bytes = stream.read(limits.MANIFEST + 1)
                return _bounded(location, data)
        except FileNotFoundError:
            raise FileNotFound(f"Failed to open input stream for file: {location}") from None
        except OSError as error:
            raise _broken(location, error) from None

    def _write_remote(self, location: str, data: bytes) -> None:
        filesystem, name = self._remote(location)
        try:
            with filesystem.open_output_stream(name) as stream:
                stream.write(data)
        except OSError as error:
            raise _broken(location, error) from None

    def _remote(self, location: str) -> tuple[Any, str]:
        """Return the file system of a location, and the location's path in it."""
        start = origin(location)
        filesystem, head = self._filesystem(self._allowed.remote[start])
        return filesystem, head + location[len(location.partition("://")[0]) + len("://") :].partition("/")[2]

    def _filesystem(self, warehouse: Warehouse) -> tuple[Any, str]:
        """Return a warehouse's file system, opened once, and the prefix of its paths."""
        start = origin(warehouse.uri)
        with self._lock:
            if start not in self._opened:
                self._opened[start] = _open(warehouse)
            return self._opened[start]


def _open(warehouse: Warehouse) -> tuple[Any, str]:
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    from pyarrow.fs import FileSystem  # noqa: PLC0415

    try:
        if warehouse.bucket is not None:
            return warehouse.bucket.open(), f"{warehouse.bucket.name}/"
        filesystem, root = FileSystem.from_uri(warehouse.uri)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise InvalidInput(f"The warehouse {warehouse.uri!r:.300} cannot be used: {error}.") from None
    head = root.removesuffix(warehouse.uri.partition("://")[2].partition("/")[2])
    return filesystem, head if not head or head.endswith("/") else f"{head}/"


def _broken(location: str, error: OSError) -> ServiceUnavailable:
    return ServiceUnavailable(f"The storage of {location!r:.300} does not work: {error}.")


def _write_local(path: Path, data: bytes, *, durable: bool) -> None:
    try:
        for attempt in (1, 2):  # another thread may remove the directory with its last file in between
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                _write_new(path, data, durable=durable)
                return
            except FileNotFoundError:
                if attempt == 2:
                    raise
    except OSError as error:
        raise _unwritable(path, "file", error) from None


def _unwritable(path: Path, what: str, error: OSError) -> CatalogError:
    return machine_fault(error) or InvalidInput(f"The {what} {str(path)!r:.300} cannot be written: {error.strerror}.")


def _delete_empty(folder: Path) -> None:
    """Delete a folder and its parent. Raises OSError for one that is not empty."""
    for empty in (folder, folder.parent):
        with suppress(FileNotFoundError):
            empty.rmdir()


def _write_new(path: Path, data: bytes, *, durable: bool) -> None:
    with path.open("xb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    if durable:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _read_local(location: str, path: Path) -> bytes:
    """Return the content of a regular file: reading a pipe or a device might block forever."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InvalidInput(f"The location {location!r:.300} is not that of a file.")
        with path.open("rb") as file:
            return _bounded(location, file.read(limits.MANIFEST + 1))
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFound(f"Failed to open input stream for file: {location}") from None
    except OSError as error:
        fault = machine_fault(error)
        raise fault or InvalidInput(f"The file {location!r:.300} cannot be read: {error.strerror}.") from None


def _bounded(location: str, data: bytes) -> bytes:
    if len(data) > limits.MANIFEST:
        raise InvalidInput(f"The file {location!r:.300} has more than {limits.MANIFEST} bytes.")
    return data
