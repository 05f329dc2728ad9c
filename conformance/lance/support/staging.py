"""Staged versions of managed versioning: data files in place, the manifest beside its final place.

A version is staged by appending to a copy of the dataset. Its new files go to the table's location, the manifest
under a name that no reader takes for a version; CreateTableVersion moves it into place.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from conformance.author.checks import text
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.values.outcomes import Skipped

VERSIONS = "_versions"
NEWEST = 2**64 - 1


def stage(catalog: LanceCatalog, id: Names, rows: int = 2) -> dict[str, Any]:
    """Stage the version after the latest version of a table, with `rows` more rows.

    Returns the body of CreateTableVersion. Raises Skipped when the kit cannot write to the table's location, or
    finds no dataset there.
    """
    location = text(catalog.describe_table(id)["location"], "the location of the table")
    directory = local_directory(location)
    if not (directory / VERSIONS).is_dir():  # other files there are not the run's to copy
        raise Skipped("staging a version needs a dataset, and the location of the table has none")
    try:
        staged = stage_in(directory, rows)
    except (OSError, ValueError, RuntimeError) as error:
        raise Skipped(f"staging a version needs a dataset that Lance can append to from here: {error}") from None
    catalog.client.note_beside("staged", location, thing=f"version {staged['version']} of a Lance dataset")
    return staged


@contextmanager
def restaging(catalog: LanceCatalog, staged: dict[str, Any]) -> Iterator[Callable[[], None]]:
    """Keep a copy of a staged manifest within the block; yields a function that stages the same bytes again."""
    manifest = Path("/", staged["manifest_path"])
    with tempfile.TemporaryDirectory() as folder:
        kept = shutil.copy2(manifest, folder)

        def stage_again() -> None:
            shutil.copy2(kept, manifest)
            catalog.client.note_beside("staged", manifest.as_uri(), thing="the same manifest")

        yield stage_again


def stage_in(directory: Path, rows: int) -> dict[str, Any]:
    """Stage a version of the dataset in a directory, as `stage` does."""
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
    """Return the manifest name of a version in naming scheme V2, in which the newest name sorts first."""
    return f"{NEWEST - version:020}.manifest"


def version_body(version: int, manifest: Path) -> dict[str, Any]:
    """Return the body of CreateTableVersion for a staged manifest."""
    return {
        "version": version,
        "manifest_path": str(manifest).lstrip("/"),
        "manifest_size": manifest.stat().st_size,
        "naming_scheme": "V2",
    }


def local_directory(location: str) -> Path:
    """Return the directory of a table's location. Raises Skipped when it is not a local directory."""
    path = _local_path(location)
    if path is None:
        raise Skipped("staging a version needs tables whose files lie on this machine", "--location PATH")
    return path


def _local_path(location: str) -> Path | None:
    try:
        split = urlsplit(location)
        path = Path(unquote(split.path) if split.scheme == "file" else location)
        return path if split.scheme in ("", "file") and path.is_dir() else None
    except (ValueError, OSError):  # not a URL, or an invalid path
        return None


def _append(copy: Path, rows: int) -> int:
    import lance  # noqa: PLC0415 - slow to import

    version: int = lance.write_dataset(tables(rows, first=1000), str(copy), mode="append").version
    return version
