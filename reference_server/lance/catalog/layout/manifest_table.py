"""Manifest table on the level of Lance: differences of rows between versions, and writes of rows.

A commit is one merge-insert on `object_id`, which inserts, updates and deletes in one version of the table. Only known
columns are written: columns of other writers stay unchanged.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference_server.lance.catalog.layout.rows import ManifestRow
from reference_server.lance.catalog.version_names import FOLDER, SUFFIX, V1, V2, manifest_name

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "__manifest"
PRIMARY_KEY = {"lance-schema:unenforced-primary-key:position": "0"}
FULL_FRAGMENT = 16_384  # rows: a larger fragment is not rewritten any more
FAR_BEHIND = 8  # versions: comparing rows is quicker than reading the transaction of each
Fragment = tuple[int, tuple[str, ...], str]
"""Identity of a fragment's rows: its number, the files of its columns, and its deletion file."""


class ManifestTable:
    """The table `__manifest` below a root. All methods may block."""

    def __init__(self, root: Path) -> None:
        self._path = root / TABLE
        self._versions = self._path / FOLDER

    def exists(self) -> bool:
        """Return whether the table exists."""
        return self._versions.exists()

    def open(self) -> Any:
        """Return the newest version as a dataset."""
        import lance  # noqa: PLC0415 - slow to import

        return lance.dataset(str(self._path))

    def files(self, version: int) -> tuple[Path, Path]:
        """Return the file of a version, and the file name of the next version."""
        scheme = V2 if (self._path / manifest_name(version, V2)).exists() else V1
        return self._path / manifest_name(version, scheme), self._path / manifest_name(version + 1, scheme)

    def count_versions(self) -> int:
        """Return the number of retained versions."""
        with contextlib.suppress(FileNotFoundError), os.scandir(self._versions) as entries:
            return sum(entry.name.endswith(SUFFIX) for entry in entries)
        return 0

    def create(self) -> None:
        """Create an empty table unless the table exists."""
        import lance  # noqa: PLC0415

        with contextlib.suppress(OSError):  # another process was quicker
            lance.write_dataset(_empty(), str(self._path), mode="create", data_storage_version="2.2")

    def merge(self, rows: Sequence[ManifestRow], removed: Sequence[str]) -> tuple[int, int]:
        """Write rows and delete rows by id, in one version; return the version and its number of small fragments.

        Raises OSError when another process commits at the same time.
        """
        if not self.exists():
            self.create()
        dataset = self.open()
        builder = dataset.merge_insert("object_id").when_matched_update_all().when_not_matched_insert_all()
        if removed:
            ids = ", ".join("'" + name.replace("'", "''") + "'" for name in removed)
            builder = builder.when_not_matched_by_source_delete(f"object_id IN ({ids})")
        builder.conflict_retries(0).execute(_arrow(rows))
        small = sum(fragment.metadata.physical_rows < FULL_FRAGMENT for fragment in dataset.get_fragments())
        return dataset.version, small

    def compact(self) -> None:
        """Merge small fragments. Raises OSError when another process commits at the same time."""
        self.open().optimize.compact_files(target_rows_per_fragment=FULL_FRAGMENT)

    def remove_versions(self, older_than: timedelta) -> None:
        """Delete old versions and the files that only they use; the newest version stays."""
        self.open().cleanup_old_versions(older_than, error_if_tagged_old_versions=False)


class ReadRows:
    """Rows of the version that was read last, by fragment: of another version only different fragments are read."""

    def __init__(self) -> None:
        self._rows: dict[Fragment, set[ManifestRow]] = {}

    def difference(self, dataset: Any) -> tuple[set[ManifestRow], set[ManifestRow]]:
        """Read a version; return the rows that it no longer has, and its additional rows."""
        present = {_described(fragment): fragment for fragment in dataset.get_fragments()}
        gone = {fragment: self._rows.pop(fragment) for fragment in self._rows.keys() - present.keys()}
        arrived = {name: set(_read(dataset, present[name])) for name in present.keys() - self._rows.keys()}
        self._rows.update(arrived)
        before, after = set().union(*gone.values()), set().union(*arrived.values())
        return before - after, after - before

    def forget(self) -> set[ManifestRow]:
        """Forget and return all rows: the table no longer exists."""
        rows = set().union(*self._rows.values())
        self._rows.clear()
        return rows


def is_rearranged(dataset: Any, since: int) -> bool:
    """Return whether a version has the same rows as an earlier one: only compactions happened in between."""
    from lance.dataset import LanceOperation  # noqa: PLC0415

    if not since < dataset.version <= since + FAR_BEHIND:
        return False
    try:
        done = [type(dataset.read_transaction(version).operation) for version in range(since + 1, dataset.version + 1)]
    except (OSError, ValueError, AttributeError):  # a version or its transaction is no longer retained
        return False
    # pylance describes the reservation of fragment numbers, which precedes a rewrite, as an operation without a name
    return done[-1] is LanceOperation.Rewrite and set(done) <= {LanceOperation.Rewrite, LanceOperation.BaseOperation}


def _described(fragment: Any) -> Fragment:
    metadata = fragment.metadata
    return metadata.id, tuple(file.path for file in metadata.files), str(metadata.deletion_file)


def _read(dataset: Any, fragment: Any) -> Iterator[ManifestRow]:
    columns = dataset.scanner(columns=list(ManifestRow._fields), fragments=[fragment]).to_table().to_pydict()
    return map(ManifestRow, *(columns[name] for name in ManifestRow._fields))


def _arrow(rows: Sequence[ManifestRow]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    columns: Iterable[Sequence[str | None]] = zip(*rows, strict=True) if rows else ((), (), (), ())
    arrays = [pa.array(list(column), pa.string()) for column in columns]
    return pa.Table.from_arrays(arrays, schema=_schema())


def _schema(*more: Any) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415

    return pa.schema(
        [
            pa.field("object_id", pa.string(), nullable=False, metadata=PRIMARY_KEY),
            pa.field("object_type", pa.string(), nullable=False),
            pa.field("location", pa.string()),
            pa.field("metadata", pa.string()),
            *more,
        ]
    )


def _empty() -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    return _schema(pa.field("base_objects", pa.list_(pa.field("object_id", pa.string())))).empty_table()
