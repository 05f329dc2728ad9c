"""Index of all requirements: it saves importing the modules that declare them, which takes seconds.

The index of a package is stored in the user's cache, with the digest of all files that it depends on: the code and the
data of the kit's packages. After a change in one of them, the modules are imported again.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from conformance.author.requirement import CODE, REQUIREMENTS
from conformance.values.requirement import Requirement
from specs.cache import cache_root
from specs.writing import write_file

SOURCES = ("specs", "conformance", "spark_tests")
KINDS = {".py", ".toml", ".yaml", ".json"}


class Declared(msgspec.Struct, frozen=True):
    """A requirement, and the first line of its test in the source."""

    requirement: Requirement
    file: str
    line: int

    def source(self) -> str:
        """Return the source of the test, or of its template."""
        lines = Path(self.file).read_text(encoding="utf-8").splitlines(keepends=True)
        return "".join(inspect.getblock(lines[self.line - 1 :])).rstrip()


class Index(msgspec.Struct):
    """The requirements of a package, and the digest of the files that they depend on."""

    digest: str
    entries: list[Declared]


def index_of(package: str, suite: str, folder: Path | None = None) -> dict[str, Declared]:
    """Return the requirements of a suite that modules of a package declare, by id, and register them.

    `folder` keeps the index; where it cannot be written to, there is none.
    """
    place = blake2b(str(Path(__file__)).encode(), digest_size=6).hexdigest()
    path = (folder or cache_root() / "requirements") / f"{place}-{package}.json"
    index, now = _read(path), digest()
    if index is None or index.digest != now:
        # Modules imported earlier may come from older versions of the files.
        fresh = not any(name.startswith((f"{package}.", f"{__package__}.common")) for name in sys.modules)
        index = Index(now, list(_imported(package, suite)))
        if fresh:
            _write(path, index)
    for entry in index.entries:
        REQUIREMENTS.setdefault(entry.requirement.id, entry.requirement)
    return {entry.requirement.id: entry for entry in index.entries}


def digest() -> str:
    """Return the digest of this Python and of all files of the kit's packages that requirements depend on."""
    whole = blake2b(sys.version.encode(), digest_size=16)
    for file in _files():
        content = file.read_bytes()
        whole.update(f"{file}\0{len(content)}\0".encode())
        whole.update(content)
    return whole.hexdigest()


def _files() -> Iterator[Path]:
    folders: Iterable[str] = (place for name in SOURCES for place in importlib.import_module(name).__path__)
    for folder in folders:
        yield from sorted(file for file in Path(folder).rglob("*") if file.suffix in KINDS and file.is_file())


def _imported(package: str, suite: str) -> Iterator[Declared]:
    from conformance.apis import import_requirements  # noqa: PLC0415 - what the index saves

    import_requirements(package)
    for name, requirement in REQUIREMENTS.items():
        if requirement.suite == suite and requirement.where.startswith(f"{package}."):
            code = CODE[name]
            yield Declared(requirement, code.co_filename, code.co_firstlineno)


def _read(path: Path) -> Index | None:
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(path.read_bytes(), type=Index)
    return None


def _write(path: Path, index: Index) -> None:
    with suppress(OSError):
        write_file(path, msgspec.json.encode(index))
