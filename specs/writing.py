"""Writing files: all commands write through this module, so that a full disk is one message.

Not here: the files of tables, which servers and requirements write.
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
"""Free space that a folder needs before a command starts the work that it writes there."""
OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
"""Numbers of errors that are never a bug of the kit."""


class NotWritten(Problem):
    """Error for a file or a folder that cannot be written; `full` is true where the disk has no more space."""

    full = False


@contextmanager
def written(what: object, hint: str) -> Iterator[None]:
    """Run a block that writes to a place. Raises NotWritten, with the hint, for an error of the operating system."""
    try:
        yield
    except OSError as error:
        raise not_written(what, error, hint) from None


def not_written(what: object, error: OSError, hint: str) -> NotWritten:
    """Return the problem for an error while writing to a place."""
    problem = NotWritten(f"{what} cannot be written: {error.strerror or error}.", hint)
    problem.full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return problem


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file, text as UTF-8, create its folder if it is missing, and return its path.

    The new file replaces an earlier one only when it is complete. Raises OSError.
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
    """Append to a file; create it and its folder if they are missing. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data)


def open_file(path: Path) -> BinaryIO:
    """Open a file for appending; create it and its folder if they are missing. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


def check_writable(folder: Path, names: Iterable[str] = ()) -> None:
    """Create a folder, and check that files of these names can be written there. Raises OSError if they cannot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        _check_file(folder / name)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(LEAST_BYTES))


def _check_file(path: Path) -> None:
    """Raise OSError if a folder or a read-only file has the name: replacing a file ignores its permissions."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, f"{path.name} is a folder")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, f"{path.name} is read-only")
