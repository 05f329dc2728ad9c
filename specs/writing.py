"""Writing files: the one place through which a command writes what it keeps, so that a full disk is one sentence.

Not here: what servers and requirements write where tables lie.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from specs.problems import Problem

LEAST_BYTES = 16 << 10
"""Free space that a folder needs before a command starts to work for what it will write there."""
OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
"""Errors that are never a bug of the kit."""


class NotWritten(Problem):
    """A file or a folder cannot be written."""


@contextmanager
def written(what: object, hint: str) -> Iterator[None]:
    """Write to this place within the block. Raises NotWritten with the hint when that is impossible."""
    try:
        yield
    except OSError as error:
        raise not_written(what, error, hint) from None


def not_written(what: object, error: OSError, hint: str) -> NotWritten:
    """Return the problem for a place that an error kept from being written."""
    return NotWritten(f"{what} cannot be written: {error.strerror or error}.", hint)


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file, text as UTF-8, in a folder that is made where it is missing, and return its path.

    An earlier file stays as it was until the new one is whole. Raises OSError when that is impossible.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    _check_file(place)
    if place.exists() and not place.is_file():  # a device or a pipe
        place.write_bytes(data)
        return path
    scratch = place.with_name(f"{place.name}.tmp")
    try:
        scratch.write_bytes(data)
        scratch.replace(place)
    except OSError:
        scratch.unlink(missing_ok=True)
        raise
    return path


def append(path: Path, data: bytes) -> None:
    """Append to a file, in a folder that is made where it is missing. Raises OSError when that is impossible."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data)


def open_file(path: Path) -> BinaryIO:
    """Open a file that grows, in a folder that is made where it is missing. Raises OSError when that is impossible."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


def check_writable(folder: Path, names: Iterable[str] = ()) -> None:
    """Make a folder, and look whether files of these names can be written there. Raises OSError where they cannot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        _check_file(folder / name)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(LEAST_BYTES))


def _check_file(path: Path) -> None:
    """Raise OSError where a folder or a read-only file is in the way: replacing it would not ask."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, f"{path.name} is a folder")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, f"{path.name} is read-only")
