"""Metadata files that packages of Iceberg ship for their tests: of Java, and of Rust and Go if they are cached."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

KINDS = re.compile(r"(table|view)[-_]?metadata[^.]*\.json$", re.IGNORECASE)  # Java reads no other compression than gzip
CARGO = Path(os.environ.get("CARGO_HOME", "~/.cargo")).expanduser() / "registry" / "src"
GO = Path(os.environ.get("GOMODCACHE", "~/go/pkg/mod")).expanduser()
FOLDERS = {
    CARGO: "*/iceberg-0.*/testdata/**/*.json",
    GO: "github.com/apache/iceberg-go@*/*/testdata/*.json",
}


def shipped_files(jars: Path) -> dict[str, bytes]:
    """Return the files by name. Where packages ship different ones under a name, a number follows it."""
    contents: dict[str, list[bytes]] = {}
    for name, content in _all(jars):
        known = contents.setdefault(Path(name).name, [])
        if KINDS.search(name) and content not in known:
            known.append(content)
    return {
        name if not number else f"{name} {number}": content
        for name, found in sorted(contents.items())
        for number, content in enumerate(found)
    }


def _all(jars: Path) -> Iterator[tuple[str, bytes]]:
    for jar in sorted(jars.glob("iceberg-core-*-tests.jar")):
        with ZipFile(jar) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist())
    for root, pattern in FOLDERS.items():
        yield from ((file.name, file.read_bytes()) for file in sorted(root.glob(pattern)))
