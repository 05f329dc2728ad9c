"""A table with tags."""

from __future__ import annotations

from conformance.author.checks import equal
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream


def new_tagged(catalog: LanceCatalog) -> tuple[Names, int, int]:
    """Create a table with two versions and a tag `old` on the first; return it and their numbers."""
    id = catalog.new_table(rows=3)
    first = catalog.version(id)
    catalog.insert_into_table(id, stream(tables(2, first=3)))
    catalog.create_table_tag(id, tag="old", version=first)
    return id, first, catalog.version(id)


def check_tag(catalog: LanceCatalog, id: Names, tag: str, version: int) -> None:
    """Check which version a tag names."""
    equal(catalog.get_table_tag_version(id, tag=tag)["version"], version, f"the version of the tag {tag}")
