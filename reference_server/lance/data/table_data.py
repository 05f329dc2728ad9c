"""Table data: real Lance datasets below one root, accessed through pylance.

All methods except `exists` and `watch` take milliseconds and block: handlers run them in a thread. Locations are
relative to the root, and nothing outside the root is ever accessed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

from reference_server.backends import OWN_FOLDER
from reference_server.errors import InvalidInput, TableNotFound
from reference_server.lance.catalog.branch_names import OWN_FOLDERS, REFS, TREE
from reference_server.lance.catalog.dataset_files import DiskFiles, MemoryFiles, VersionName, version_name
from reference_server.lance.catalog.folder_names import FolderNames
from reference_server.lance.catalog.layout.manifest_table import TABLE as CATALOG
from reference_server.lance.catalog.removal import remove_tree
from reference_server.lance.catalog.version_files import DatasetVersions
from reference_server.lance.catalog.version_names import FOLDER
from reference_server.lance.data.arrow_json import schema_to_json
from reference_server.lance.data.open_datasets import OpenDatasets
from reference_server.lance.data.pylance_errors import translate
from reference_server.storage.places import check_size

if TYPE_CHECKING:
    import pyarrow as pa

os.environ.setdefault("LANCE_LOG", "error")  # read once, when lance is imported
MEMORY_SCHEME = "shared-memory://"
MANIFEST = ".manifest"
APPEND = "append"
ELSEWHERE = "://"
NO_TABLES = (OWN_FOLDER, CATALOG)  # folders of the root that contain the catalog itself
KEPT_FOLDERS = 256  # folders of versions with cached names
KEPT_ADDRESSES = 4096
LONGEST_NAME = 255  # of a file, as file systems have them


@contextmanager
def translated() -> Iterator[None]:
    """Translate errors of pylance and pyarrow to errors of the catalog; unknown errors are raised unchanged.

    A panic of the native library is a BaseException and is translated too.
    """
    try:
        yield
    except Exception as error:
        known = translate(error)
        if known is error:  # it would become its own cause
            raise
        raise known from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise translate(RuntimeError(str(error))) from error


T = TypeVar("T")


class TableData:
    """Datasets below `root`: a directory, or a `shared-memory://` URI that only this process sees."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._in_memory = root.startswith(MEMORY_SCHEME)
        self._version_names = lru_cache(KEPT_FOLDERS)(_version_names)
        self._datasets = OpenDatasets(in_memory=self._in_memory)

    def uri(self, location: str) -> str:
        """Return the complete URI of a location."""
        address = self._address(location)
        return address if self._in_memory else _file_uri(address)

    def _address(self, location: str) -> str:
        return f"{self.root}/{location}"

    def relative(self, location: str) -> str:
        """Return the location of a client's text, which may be relative, absolute or a URI, but below the root.

        Raises InvalidInput for anything else.
        """
        check_size(location)
        try:
            text = location.removeprefix(self.root + "/") if self._in_memory else self._local(location)
        except (ValueError, OSError, RuntimeError):  # it cannot be parsed, or resolved
            text = ELSEWHERE
        parts = text.split("/")
        too_long = any(len(part.encode()) > LONGEST_NAME for part in parts)
        odd = any(part in ("", ".", "..") for part in parts) or parts[0] in NO_TABLES
        if ELSEWHERE in text or "\0" in text or too_long or odd:
            shown = f"{location!r:.300}"
            raise InvalidInput(f"The location {shown} is not one for tables below the root {self.uri('')}.")
        return text

    def _local(self, location: str) -> str:
        split = urlsplit(location)
        path = unquote(split.path) if split.scheme == "file" and not split.netloc else location
        if not path.startswith("/"):
            return path
        root = FilePath(self.root).resolve()
        resolved = FilePath(path).resolve()
        return str(resolved.relative_to(root)) if resolved.is_relative_to(root) and resolved != root else ELSEWHERE

    def exists(self, location: str) -> bool:
        """Return whether a location has data: at least one version. Takes microseconds."""
        if not self._in_memory:
            try:
                with os.scandir(f"{self._address(location)}/_versions") as versions:
                    return any(version.name.endswith(MANIFEST) for version in versions)
            except (FileNotFoundError, NotADirectoryError):
                return False
        try:
            with translated():
                self._open(location)
        except TableNotFound:
            return False
        return True

    def write(self, location: str, table: pa.Table, mode: str, *, existing: bool = False) -> Any:
        """Write a table and return the dataset at its new version. `mode` is create, append or overwrite.

        With `existing` a missing dataset is not created. Raises TableAlreadyExists (create), TableNotFound (existing),
        TableSchemaValidationError, ConcurrentModification.
        """
        import lance  # noqa: PLC0415 - half a second that a server without data never spends

        with translated():
            is_open = existing or (mode == APPEND and self.exists(location))
            target = self._open(location) if is_open else self._address(location)
            return lance.write_dataset(table, target, mode=mode)

    def count_rows(self, location: str, version: int | None, predicate: str | None) -> int:
        """Count rows. Raises TableVersionNotFound, and InvalidInput for an invalid predicate."""
        with translated():
            count: int = self._open(location, version).count_rows(filter=predicate)
        return count

    def describe(
        self, location: str, version: int | None, form: Callable[[Any], dict[str, Any]] = schema_to_json
    ) -> dict[str, Any]:
        """Return version, schema in JSON of a form, stats and metadata of a dataset. Raises TableVersionNotFound."""
        with translated():
            dataset = self._open(location, version)
            stats = dataset.stats.dataset_stats()
            return {
                "version": dataset.version,
                "schema": form(dataset.schema),
                "stats": {key: stats[key] for key in ("num_deleted_rows", "num_fragments")},
                "metadata": dict(dataset.metadata),
            }

    def check_version(self, location: str, version: int) -> None:
        """Raise TableVersionNotFound when the dataset has no such version."""
        with translated():
            self._open(location, version)

    def delete(self, location: str) -> None:
        """Delete the data at a location; missing data are ignored."""
        self._datasets.forget(self._address(location))
        if not self._in_memory:
            remove_tree(FilePath(self.root), location)
            return
        self._delete_in_memory(location)

    def _delete_in_memory(self, location: str) -> None:
        from lance.file import LanceFileSession  # noqa: PLC0415

        with translated():
            session = LanceFileSession(self._address(location))
            for name in session.list():
                session.delete_file(name)

    def clear_branch(self, location: str) -> None:
        """Delete what is left at the location of a branch that no file names any more.

        Lance leaves the files of a branch `a` while there is a branch `a/b`, and a killed server those of half a
        branch; Lance creates no branch over them.
        """
        for folder in OWN_FOLDERS:
            if self._in_memory:
                self._delete_in_memory(f"{location}/{folder}")
            else:
                remove_tree(FilePath(self.root), f"{location}/{folder}")
        self._datasets.forget(self._address(location))

    def forget_past(self, location: str) -> None:
        """Delete the tags, the branches and all but the newest version of a dataset on disk.

        A table that is replaced where it lies is a new one. Another process may read and write it meanwhile.
        """
        import lance  # noqa: PLC0415

        for folder in (REFS, TREE):
            remove_tree(FilePath(self.root), f"{location}/{folder}")
        with translated():
            lance.dataset(self._address(location)).cleanup_old_versions(timedelta(0))
        self._datasets.forget(self._address(location))

    def on_dataset(self, location: str, version: int | None, function: Callable[[Any], T]) -> T:
        """Run a function that reads a dataset and return its result.

        Raises TableVersionNotFound, and the translated errors of pylance.
        """
        with translated():
            return function(self._open(location, version))

    def watch(self, location: str) -> Callable[[], bool] | None:
        """Return a function that tells whether the data at a location are still the same, None when that is unknown."""
        return self._datasets.watch(self._address(location))

    def change(self, location: str, version: int | None, function: Callable[[Any], T]) -> T:
        """Run a function that changes a dataset in place and return its result.

        Raises TableVersionNotFound unless the dataset has the requested version, and the translated errors of pylance.
        """
        import lance  # noqa: PLC0415

        with translated():
            if version is not None:
                self.versions(location).listed(version)
            return function(lance.dataset(self._address(location)))

    def versions(self, location: str) -> DatasetVersions:
        """Return the versions of a dataset as files."""
        address = self._address(location)
        return DatasetVersions(
            MemoryFiles(address) if self._in_memory else DiskFiles(address, self._version_names(address))
        )

    def object_path(self, location: str) -> str:
        """Return a location in the form of object stores: without a scheme and a leading slash."""
        return self._address(location).rpartition("://")[2].lstrip("/")

    def name_below(self, location: str, path: str) -> str:
        """Return a client's path relative to the dataset that must contain it.

        Clients write it from the root of the store, from the root of the file system, as a URI, or relative to the
        dataset. Raises InvalidInput for any other place.
        """
        text = path.rpartition("://")[2].lstrip("/")
        name = text.removeprefix(self.object_path(location) + "/")
        parts = name.split("/")
        if len(parts) != 2 or parts[0] != FOLDER or parts[1] in ("", ".", ".."):
            raise InvalidInput(f"The manifest {path!r} does not lie in {self.object_path(location)}/{FOLDER}.")
        return name

    def transaction(self, location: str, uuid: str) -> dict[str, str] | None:
        """Return the properties of a transaction of a dataset, None for an unknown id.

        Lance names the file of a transaction after the version that it read and its id.
        """
        versions = self.versions(location)
        names = [name for name in versions.transactions() if name.endswith(f"-{uuid}.txn")]
        if not names:
            return None
        read = int(names[0].rpartition("/")[2].partition("-")[0])
        for manifest in versions.manifests():
            if manifest.version > read:
                with translated():
                    transaction = _transaction(self._version(location, manifest.version))
                if transaction is not None and transaction.uuid == uuid:
                    return {
                        "operation": type(transaction.operation).__name__,
                        **(transaction.transaction_properties or {}),
                    }
        return None

    def _open(self, location: str, version: int | None = None) -> Any:
        """Return the newest version of a dataset, or a listed one. Raises TableVersionNotFound."""
        if version is None:
            return self._datasets.newest(self._address(location))
        self.versions(location).listed(version)
        return self._version(location, version)

    def _version(self, location: str, version: int) -> Any:
        """Return a version of a dataset, even one whose record was deleted."""
        import lance  # noqa: PLC0415

        return lance.dataset(self._address(location), version=version)


@lru_cache(KEPT_ADDRESSES)
def _file_uri(address: str) -> str:
    return "file://" + quote(address, safe="/$")


def _version_names(address: str) -> FolderNames[VersionName]:
    return FolderNames(FilePath(address) / FOLDER, version_name)


def _transaction(dataset: Any) -> Any:
    return dataset.read_transaction(dataset.version)
