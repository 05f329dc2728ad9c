"""Cache of composed documents in the user's cache folder: parsing YAML and correcting a document takes most of a start.

A file is named by a digest of everything that its document follows from: the files of the APIs and the code of this
package. Where nothing can be written, documents are composed at every start.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import orjson

from specs.cache import cache_root
from specs.errors import ErrorBody
from specs.openapi import Document
from specs.overlay import OverlayAction
from specs.problems import Problem
from specs.writing import write_file

HERE = Path(__file__).parent
FORMAT = 1
MOST = 8
"""Maximum number of cached documents of a profile: of several versions of the kit."""


def cache_file(name: str, folders: Sequence[Path]) -> Path:
    """Return the file for a profile, which may not exist; `folders` are those of the APIs that it follows."""
    digest = hashlib.sha256(f"{FORMAT} {name}".encode())
    sources = [*HERE.glob("*.py"), *(file for folder in folders for file in folder.rglob("*.yaml"))]
    for file in sorted({*sources, *(folder / "api.toml" for folder in folders)}):
        digest.update(b"%s %d " % (file.name.encode(), file.stat().st_size))
        digest.update(file.read_bytes())
    return cache_root() / "documents" / f"{name.replace('/', '-')}-{digest.hexdigest()[:32]}.json"


def read_compiled(file: Path, errors: ErrorBody) -> Document | None:
    """Return the document of a file, None if there is none that can be read."""
    try:
        parts = orjson.loads(file.read_bytes())
        corrections = tuple(OverlayAction(**action) for action in parts["corrections"])
        return Document(parts["raw"], parts["source"], corrections=corrections, errors=errors)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_compiled(file: Path, document: Document) -> None:
    """Write a document into a file, unless JSON would change it or the file cannot be written."""
    parts = {
        "raw": document.raw,
        "source": document.source,
        "corrections": [asdict(action) for action in document.corrections],
    }
    with suppress(OSError, TypeError, Problem):  # a cache is never the reason why something fails
        content = orjson.dumps(parts)
        if orjson.loads(content)["raw"] == document.raw:
            write_file(file, content)
            for old in sorted(_files(file), key=lambda each: each.stat().st_mtime)[:-MOST]:
                old.unlink(missing_ok=True)


def _files(file: Path) -> Iterable[Path]:
    """Return the cached documents of the same profile."""
    return file.parent.glob(f"{file.name.rpartition('-')[0]}-*.json")
