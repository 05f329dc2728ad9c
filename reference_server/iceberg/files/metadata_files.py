"""Metadata files: written once, read, deleted; the latest ones are cached, parsed and as bytes.

A file never changes, so a cached one is never outdated; only its existence must be checked.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import orjson

from reference_server import limits
from reference_server.errors import InvalidInput
from reference_server.iceberg.files.file_io import FileIO
from reference_server.iceberg.metadata.reading import Json
from reference_server.json_text import compact, parse

CACHE_BYTES = 16 << 20
"""Bytes of text. With its document, a cached file takes about eight times as much."""
GZIP_MAGIC = b"\x1f\x8b"
GZIPPED = (".gz.metadata.json", ".metadata.json.gz")
VERSION = re.compile(r"v?(\d{1,9})[-.]")
Reader = Callable[[Any, str], Json]


@dataclass(frozen=True, slots=True)
class MetadataFile:
    """A metadata file: its location, its document, and the document as JSON text."""

    location: str
    metadata: Json
    text: bytes

    @property
    def next_version(self) -> int:
        """The number for the name of the next file; 0 after a name that does not follow the pattern."""
        match = VERSION.match(self.location.rpartition("/")[2])
        return int(match[1]) + 1 if match else 0


class MetadataFiles:
    """Metadata files of all warehouses; those used last are cached. All methods except `recall` may block."""

    def __init__(self, file_io: FileIO) -> None:
        self._file_io = file_io
        self._kept: OrderedDict[str, MetadataFile] = OrderedDict()
        self._kept_bytes = 0
        self._lock = Lock()

    def recall(self, location: str, identity: str) -> MetadataFile | None:
        """Return a cached file that still exists, as far as that can be checked without blocking.

        `identity` is the field that distinguishes tables from views: `table-uuid` or `view-uuid`.
        """
        with self._lock:
            file = self._kept.get(location)
            if file is not None:
                self._kept.move_to_end(location)
        return file if file is not None and identity in file.metadata and self.exists(location) else None

    def exists(self, location: str) -> bool:
        """Return whether a local file exists; a remote file is assumed to exist."""
        return self._file_io.exists(location)

    def write(self, location: str, metadata: Json) -> MetadataFile:
        """Write a new file. Raises the errors of `FileIO.write`, and InvalidInput for too large metadata."""
        text = compact(orjson.dumps(metadata))
        _check_size(location, text)
        self._file_io.write(location, gzip.compress(text, 6, mtime=0) if location.endswith(GZIPPED) else text)
        written = MetadataFile(location, metadata, text)
        self._keep(written)
        return written

    def write_bytes(self, location: str, content: bytes) -> None:
        """Write a new file of another kind, which is not cached. Raises the errors of `FileIO.write`."""
        self._file_io.write(location, content)

    def read(self, location: str, identity: str, reader: Reader) -> MetadataFile:
        """Return a file; `reader` converts its JSON and its location to metadata. `identity` is as in `recall`.

        Raises FileNotFound for a missing file, InvalidInput for one that is not JSON or must not be accessed.
        """
        file = self.recall(location, identity)
        if file is None:
            metadata = reader(self.read_json(location), location)
            file = MetadataFile(location, metadata, compact(orjson.dumps(metadata)))
            self._keep(file)
        return file

    def read_json(self, location: str) -> Any:
        """Return the JSON of a file without caching it. Raises FileNotFound and InvalidInput."""
        return _parse(location, self._file_io.read(location))

    def delete(self, locations: Sequence[str]) -> None:
        """Delete files, and directories that are empty then; missing files and forbidden locations are ignored."""
        for location in locations:
            with self._lock:
                self._forget(location)
            self._file_io.delete(location)

    def has_folders(self, location: str) -> bool:
        """Return whether a location is in a storage with folders: a local one."""
        return self._file_io.has_folders(location)

    def make_folder(self, location: str) -> None:
        """Make a local folder. Raises InvalidInput for a location that cannot be written, and ServiceUnavailable."""
        self._file_io.make_folder(location)

    def delete_folder(self, location: str) -> None:
        """Delete a local folder and its parent, if they are empty."""
        self._file_io.delete_folder(location)

    def delete_tree(self, location: str) -> None:
        """Delete all files and folders below a location."""
        below = location.rstrip("/") + "/"
        with self._lock:
            for cached in [cached for cached in self._kept if cached.startswith(below)]:
                self._forget(cached)
        self._file_io.delete_tree(location)

    def _keep(self, file: MetadataFile) -> None:
        with self._lock:
            self._forget(file.location)
            self._kept[file.location] = file
            self._kept_bytes += len(file.text)
            while self._kept_bytes > CACHE_BYTES and len(self._kept) > 1:
                self._forget(next(iter(self._kept)))

    def _forget(self, location: str) -> None:
        file = self._kept.pop(location, None)
        self._kept_bytes -= len(file.text) if file else 0


def _parse(location: str, data: bytes) -> Any:
    try:
        text = _unpacked(data) if data.startswith(GZIP_MAGIC) else data
        _check_size(location, text)
        return parse(text)
    except (orjson.JSONDecodeError, zlib.error, OSError, EOFError) as error:
        raise InvalidInput(f"The file {location!r:.300} is not metadata: {error}.") from None


def _unpacked(data: bytes) -> bytes:
    """Return the content of a gzip file, up to one byte beyond the limit of metadata."""
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        return file.read(limits.METADATA + 1)


def _check_size(location: str, text: bytes) -> None:
    if len(text) > limits.METADATA:
        raise InvalidInput(f"The metadata in {location!r:.300} have more than {limits.METADATA} bytes.")
