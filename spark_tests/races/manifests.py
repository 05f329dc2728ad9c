"""Staged versions of Lance tables that many clients try to create; their manifests are written before the race.

Every version has the rows of the first, so there is no data to stage, only a manifest of each version. A
client creates its own copy, under a name that no reader interprets as a version.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.staging import VERSIONS, local_directory, manifest_name, version_body

STAGED = "_staged"


@dataclass(frozen=True, slots=True)
class Staged:
    """Staged manifests of a table: the table's folder, its current version, and its last staged version."""

    directory: str
    first: int
    last: int

    def manifest(self, version: int) -> Path:
        """Return the path of a version's staged manifest."""
        return Path(self.directory) / STAGED / manifest_name(version)


def stage_versions(catalog: LanceCatalog, id: Names, count: int) -> Staged:
    """Stage the next `count` versions of a table. Raises Unoffered if its files are not accessible."""
    import lance  # noqa: PLC0415 - slow to import

    directory = local_directory(catalog.describe_table(id)["location"])
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(directory, copy)
        first: int = lance.dataset(str(copy)).version
        for _ in range(count):
            dataset = lance.dataset(str(copy), version=first)
            dataset.restore()  # type: ignore[no-untyped-call]
        staged = Staged(str(directory), first, first + count)
        (directory / STAGED).mkdir()
        for version in range(first + 1, first + count + 1):
            shutil.copy2(copy / VERSIONS / manifest_name(version), staged.manifest(version))
    return staged


def staged_copy(staged: Staged, version: int) -> dict[str, Any]:
    """Copy a version's manifest, and return the body of CreateTableVersion with the copy."""
    source = staged.manifest(version)
    copy = Path(staged.directory) / VERSIONS / f"{source.name}-{uuid.uuid4()}"
    shutil.copyfile(source, copy)
    return version_body(version, copy)
