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

from conformance.author.checks import text
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.values.outcomes import Unoffered

VERSIONS = "_versions"
NEWEST = 2**64 - 1


def stage(catalog: LanceCatalog, id: Names, rows: int = 2) -> dict[str, Any]:
    """Stage the version that follows a table's latest and adds rows to it.

    Returns the body that CreateTableVersion takes. Raises Unoffered when the table's location cannot
    be written from here, or has no dataset.
    """
    location = text(catalog.describe_table(id)["location"], "the location of the table")
    directory = local_directory(location)
    if not (directory / VERSIONS).is_dir():  # whatever else lies there is none of ours to copy
        raise Unoffered(f"staging a version needs a dataset, and there is none at {location}")
    try:
        return stage_in(directory, rows)
    except (OSError, ValueError, RuntimeError) as error:
        raise Unoffered(f"staging a version needs a dataset that Lance can append to from here: {error}") from None


def stage_in(directory: Path, rows: int) -> dict[str, Any]:
    """Stage a version of the dataset in a directory; see `stage`."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(directory, copy)
        version = _append(copy, rows)
        manifest = copy / VERSIONS / manifest_name(version)
        staged = directory / VERSIONS / f"{manifest.name}-{uuid.uuid4()}"
        for new in copy.rglob("*"):
            place = directory / new.relative_to(copy)
            if new.is_file() and new.parent.name != VERSIONS and not place.exists():
                place.parent.mkdir(exist_ok=True)
                shutil.copy2(new, place)
        shutil.copy2(manifest, staged)
    return version_body(version, staged)


def manifest_name(version: int) -> str:
    """Return what the manifest of a version is called, in the naming scheme V2: the newest is listed first."""
    return f"{NEWEST - version:020}.manifest"


def version_body(version: int, manifest: Path) -> dict[str, Any]:
    """Return the body with which CreateTableVersion makes a version of a staged manifest."""
    return {
        "version": version,
        "manifest_path": str(manifest).lstrip("/"),
        "manifest_size": manifest.stat().st_size,
        "naming_scheme": "V2",
    }


def local_directory(location: str) -> Path:
    """Return the directory that a table's location means. Raises Unoffered when it is not one of ours."""
    path = _local_path(location)
    if path is None:
        raise Unoffered(f"staging a version needs access to the files of the table, which lie at {location}")
    return path


def _local_path(location: str) -> Path | None:
    try:
        split = urlsplit(location)
        path = Path(unquote(split.path) if split.scheme == "file" else location)
        return path if split.scheme in ("", "file") and path.is_dir() else None
    except (ValueError, OSError):  # no URL, or a path that no system takes
        return None


def _append(copy: Path, rows: int) -> int:
    import lance  # noqa: PLC0415 - slow to import

    version: int = lance.write_dataset(tables(rows, first=1000), str(copy), mode="append").version
    return version
