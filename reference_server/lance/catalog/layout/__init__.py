"""The published directory catalog, which pylance and lancedb open in place.

    <root>/__manifest/          a Lance table of the names: the record for all but root tables
    <root>/<name>.lance/        a table of the root namespace, known by its directory too
    <root>/<hash>_<id>/         a table of a child namespace
    <root>/.lakeproof/          state without a place in the layout: a lock, transactions

`rows.py` converts entries to rows, `manifest_table.py` reads and writes the manifest table, `manifest.py` makes it a
storage of entries, `upkeep.py` keeps it small. `root_tables.py` knows directories, `entries.py` combines both,
`locations.py` has the locations of tables.
"""

from pathlib import Path

from reference_server.backends import OWN_FOLDER
from reference_server.lance.catalog.catalog import EntryCatalog
from reference_server.lance.catalog.layout.entries import LayoutEntries
from reference_server.lance.catalog.layout.locations import LayoutLocations
from reference_server.lance.catalog.layout.manifest import ManifestStorage
from reference_server.lance.catalog.layout.root_tables import RootTables
from reference_server.lance.catalog.removal import clear_removed, take_back


def open_layout(root: Path, *, managed: bool = False) -> EntryCatalog:
    """Return the catalog of a directory, repaired if a server was killed during a change."""
    own_folder = root / OWN_FOLDER
    tables = RootTables(root, own_folder / "in-doubt")
    manifest = ManifestStorage(root, own_folder / "lock")
    entries = LayoutEntries(manifest, tables)
    entries.recover()
    take_back(root, entries)
    clear_removed(root)
    return EntryCatalog(entries, LayoutLocations(root, tables, manifest, managed=managed))


__all__ = ["open_layout"]
