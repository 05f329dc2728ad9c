"""Metadata files: written once, read, deleted; the latest of them are kept in memory, parsed and as bytes.

A file never changes, so what is kept cannot be wrong; only whether it is still there has to be looked up.
Local files are handled directly, those of other storages through pyarrow.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path as FilePath
from threading import Lock
from typing import Any

import orjson

from reference_server.errors import FileNotFound, InvalidInput, ServiceUnavailable
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.warehouses import Places, local_path

CACHE_BYTES = 64 << 20
GZIP_MAGIC = b"\x1f\x8b"
GZIPPED = (".gz.metadata.json", ".metadata.json.gz")
VERSION = re.compile(r"v?(\d{1,9})[-.]")
Reader = Callable[[Any, str], Json]


@dataclass(frozen=True, slots=True)
class MetadataFile:
    """A metadata file: where it is, its document, and the document as JSON text."""

    location: str
    metadata: Json
    text: bytes

    @property
    def next_version(self) -> int:
        """The number for the name of the file after this one; what does not follow the pattern counts as none."""
        found = VERSION.match(self.location.rpartition("/")[2])
        return int(found[1]) + 1 if found else 0


class MetadataFiles:
    """The metadata files of all warehouses. All methods may block, but for `recall`."""

    def __init__(self, places: Places, *, durable: bool) -> None:
        self._places = places
        self._durable = durable
        self._kept: OrderedDict[str, MetadataFile] = OrderedDict()
        self._kept_bytes = 0
        self._lock = Lock()

    def recall(self, location: str, identity: str) -> MetadataFile | None:
        """Return a file that is kept and, as far as that can be told at once, still there.

        `identity` is the field that tells tables from views: `table-uuid` or `view-uuid`.
        """
        found = self._kept.get(location)
        return found if found is not None and identity in found.metadata and self.is_there(location) else None

    def is_there(self, location: str) -> bool:
        """Return whether a local file is there; other storages are taken to have what they were given."""
        path = local_path(location)
        return path is None or os.path.exists(path)  # noqa: PTH110 - on the path of every loadTable

    def write(self, location: str, metadata: Json) -> MetadataFile:
        """Write a new file. Raises InvalidInput for a location that cannot be written."""
        self._places.check(location)
        text = orjson.dumps(metadata)
        data = gzip.compress(text, 6, mtime=0) if location.endswith(GZIPPED) else text
        path = local_path(location)
        if path is None:
            _write_remote(location, data)
        else:
            _write_local(path, data, durable=self._durable)
        written = MetadataFile(location, metadata, text)
        self._keep(written)
        return written

    def read(self, location: str, identity: str, reader: Reader) -> MetadataFile:
        """Return a file; `reader` makes metadata of its JSON and its location. `identity` is as in `recall`.

        Raises FileNotFound for one that is gone, InvalidInput for one that is no JSON or not to be touched.
        """
        found = self.recall(location, identity)
        if found is None:
            self._places.check(location)
            path = local_path(location)
            data = _read_remote(location) if path is None else _read_local(location, path)
            metadata = reader(_parse(location, data), location)
            found = MetadataFile(location, metadata, orjson.dumps(metadata))
            self._keep(found)
        return found

    def delete(self, locations: Sequence[str]) -> None:
        """Delete files, and directories that are empty then; what is gone, or not ours to touch, is left alone."""
        for location in locations:
            with self._lock:
                self._forget(location)
            with suppress(FileNotFound, InvalidInput, OSError):
                self._places.check(location)
                path = local_path(location)
                if path is None:
                    filesystem, name = _remote(location)
                    filesystem.delete_file(name)
                else:
                    path.unlink()
                    path.parent.rmdir()
                    path.parent.parent.rmdir()

    def delete_tree(self, location: str) -> None:
        """Delete everything below a location."""
        with suppress(FileNotFound, InvalidInput, OSError):
            self._places.check(location)
            path = local_path(location)
            if path is None:
                filesystem, name = _remote(location)
                filesystem.delete_dir(name)
            else:
                shutil.rmtree(path, ignore_errors=True)
                path.parent.rmdir()

    def _keep(self, one: MetadataFile) -> None:
        with self._lock:
            self._forget(one.location)
            self._kept[one.location] = one
            self._kept_bytes += len(one.text)
            while self._kept_bytes > CACHE_BYTES and len(self._kept) > 1:
                self._forget(next(iter(self._kept)))

    def _forget(self, location: str) -> None:
        gone = self._kept.pop(location, None)
        self._kept_bytes -= len(gone.text) if gone else 0


def _parse(location: str, data: bytes) -> Any:
    try:
        return orjson.loads(gzip.decompress(data) if data.startswith(GZIP_MAGIC) else data)
    except (orjson.JSONDecodeError, OSError, EOFError) as error:
        raise InvalidInput(f"The file {location!r:.300} is no metadata: {error}.") from None


def _write_local(path: FilePath, data: bytes, *, durable: bool) -> None:
    try:
        for attempt in (1, 2):  # whoever deletes the last file of a directory may remove it in between
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                _write_new(path, data, durable=durable)
                return
            except FileNotFoundError:
                if attempt == 2:
                    raise
    except OSError as error:
        raise InvalidInput(f"The file {str(path)!r:.300} cannot be written: {error.strerror}.") from None


def _write_new(path: FilePath, data: bytes, *, durable: bool) -> None:
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


def _read_local(location: str, path: FilePath) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFound(f"Failed to open input stream for file: {location}") from None
    except OSError as error:
        raise InvalidInput(f"The file {location!r:.300} cannot be read: {error.strerror}.") from None


def _remote(location: str) -> tuple[Any, str]:
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    from pyarrow.fs import FileSystem  # noqa: PLC0415

    try:
        filesystem, path = FileSystem.from_uri(location)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InvalidInput(f"The location {location!r:.300} cannot be used: {error}.") from None
    return filesystem, path


def _write_remote(location: str, data: bytes) -> None:
    filesystem, path = _remote(location)
    try:
        with filesystem.open_output_stream(path) as stream:
            stream.write(data)
    except OSError as error:
        raise ServiceUnavailable(f"The storage of {location!r:.300} does not work: {error}.") from None


def _read_remote(location: str) -> bytes:
    filesystem, path = _remote(location)
    try:
        with filesystem.open_input_file(path) as stream:
            data: bytes = stream.read()
            return data
    except FileNotFoundError:
        raise FileNotFound(f"Failed to open input stream for file: {location}") from None
    except OSError as error:
        raise ServiceUnavailable(f"The storage of {location!r:.300} does not work: {error}.") from None
