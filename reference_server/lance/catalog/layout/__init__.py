"""The published directory catalog: what pylance and lancedb open in place.

    <root>/__manifest/          a Lance table of the names: the record for all but root tables
    <root>/<name>.lance/        a table of the root namespace, known by its directory too
    <root>/<hash>_<id>/         a table of a child namespace
    <root>/.lakeproof/          what the layout has no place for: a lock, transactions

`rows.py` says how names are rows, `manifest.py` makes the manifest table a storage, `root_tables.py`
knows directories, `catalog.py` puts them together.
"""

from reference_server.lance.catalog.layout.catalog import LayoutCatalog

__all__ = ["LayoutCatalog"]
