"""Ownership of files: the table's own files among those that its metadata name, which may be deleted.

Clients write the names in metadata, so a name alone is no reason to delete a file: it must lie below the table's
location, and outside every folder that the server gave to another table.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.warehouses import Warehouse, local_path, origin
from reference_server.iceberg.context import IcebergContext


def own_files(context: IcebergContext, location: str, named: Iterable[str]) -> list[str]:
    """Return the files below a table's location that are in no folder given to another table. May block."""
    followed = _Followed()
    own = [(warehouse, followed.folder(warehouse, location)) for warehouse in context.services.warehouses.values()]
    return [
        path
        for path in dict.fromkeys(named)
        if _is_in(path, location, followed)
        and all(followed.folder(warehouse, path) in (None, folder) for warehouse, folder in own)
    ]


class _Followed:
    """Resolved local paths; each folder is resolved once, however many of its files are purged."""

    def __init__(self) -> None:
        self._folders: dict[Path, Path] = {}

    def real(self, path: Path) -> Path:
        """Return a path without links. Raises OSError or RuntimeError for one that cannot be resolved."""
        if path.name == ".." or path.is_symlink():
            return path.resolve()
        if path.parent not in self._folders:
            self._folders[path.parent] = path.parent.resolve()
        return self._folders[path.parent] / path.name

    def folder(self, warehouse: Warehouse, location: str) -> str | None:
        """Return the table folder of a warehouse that a location is at or below, in whatever spelling."""
        path, root = local_path(location), local_path(warehouse.uri)
        if path is None or root is None:
            return warehouse.folder_of(location)
        real, real_root = self.real(path), self.real(root)
        inside = real.relative_to(real_root).as_posix() if real.is_relative_to(real_root) else ""
        return warehouse.folder_of(f"{warehouse.uri}/{inside}")


def _is_in(location: str, place: str, followed: _Followed) -> bool:
    """Return whether a file is below a place."""
    with suppress(InvalidInput, OSError, RuntimeError):
        path, folder = local_path(location), local_path(place)
        if path is not None:
            return folder is not None and followed.real(path).is_relative_to(followed.real(folder))
        return folder is None and _normalized(location).startswith(f"{_normalized(place).rstrip('/')}/")
    return False


def _normalized(location: str) -> str:
    """Return a remote location in its normalized spelling."""
    return f"{origin(location)}/{location.partition('://')[2].partition('/')[2]}"
