"""Versions staged as clients of managed versioning do it: data in place, the manifest beside its place.

A staged version is made by appending to a copy of the dataset. Its new files go to the table's own
location, the manifest under a name that no reader takes for a version; to make it one is the
catalog's part.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from conformance.lance.catalog import LanceCatalog, Names
from conformance.outcomes import Unoffered
from conformance.strategies import tables

VERSIONS = "_versions"
NEWEST = 2**64 - 1


def stage(catalog: LanceCatalog, id: Names, rows: int = 2) -> dict[str, Any]:
    """Stage the version that follows a table's latest and adds rows to it.

    Returns the body that CreateTableVersion takes. Raises Unoffered when the table's location cannot
    be written from here.
    """
    return stage_in(local_directory(catalog.describe_table(id)["location"]), rows)


def stage_in(directory: Path, rows: int) -> dict[str, Any]:
    """Stage a version of the dataset in a directory; see `stage`."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(directory, copy)
        version = _append(copy, rows)
        manifest = copy / VERSIONS / f"{NEWEST - version:020}.manifest"
        staged = directory / VERSIONS / f"{manifest.name}-{uuid.uuid4()}"
        for new in copy.rglob("*"):
            place = directory / new.relative_to(copy)
            if new.is_file() and new.parent.name != VERSIONS and not place.exists():
                place.parent.mkdir(exist_ok=True)
                shutil.copy2(new, place)
        shutil.copy2(manifest, staged)
    return {
        "version": version,
        "manifest_path": str(staged).lstrip("/"),
        "manifest_size": staged.stat().st_size,
        "naming_scheme": "V2",
    }


def local_directory(location: str) -> Path:
    """Return the directory that a table's location means. Raises Unoffered when it is not one of ours."""
    split = urlsplit(location)
    path = Path(unquote(split.path) if split.scheme == "file" else location)
    if split.scheme not in ("", "file") or not path.is_dir():
        raise Unoffered(f"staging a version needs access to the files of the table, which lie at {location}")
    return path


def _append(copy: Path, rows: int) -> int:
    import lance  # noqa: PLC0415 - slow to import

    version: int = lance.write_dataset(tables(rows, first=1000), str(copy), mode="append").version
    return version
