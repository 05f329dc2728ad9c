"""`exchanges.jsonl`: every exchange of a run, one JSON object per line, secrets redacted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from conformance.values.exchange import Exchange
from conformance.values.results_files import report_written
from specs.writing import NotWritten, open_file

FILE_NAME = "exchanges.jsonl"


class ExchangeLog:
    """Writes exchanges as they happen; replaces the file of an earlier run once the first test starts.

    `problem` is the reason why writing stopped, None while it works.
    """

    def __init__(self, folder: Path) -> None:
        """Open a file beside that of an earlier run. Raises NotWritten when the folder cannot be written."""
        self.problem: NotWritten | None = None
        self._folder = folder
        self._path = folder / FILE_NAME
        self._scratch = self._path.with_suffix(".tmp")
        with report_written(folder):
            self._file = open_file(self._scratch)

    def add(self, exchange: Exchange) -> None:
        """Write one exchange."""
        self.add_lines(line_of(exchange))

    def add_lines(self, lines: bytes) -> None:
        """Write exchanges that are already encoded as lines, until a write fails."""
        if not self.problem:
            with self._noted():
                self._file.write(lines)

    def keep(self) -> None:
        """Replace the file of an earlier run with this one."""
        with self._noted():
            self._scratch.replace(self._path)

    def close(self) -> None:
        """Close the file, and delete it unless `keep` was called."""
        with self._noted():
            self._file.close()
        with self._noted():
            self._scratch.unlink(missing_ok=True)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Write within the block; store the first failure in `problem`: senders of requests must not fail."""
        try:
            with report_written(self._folder):
                yield
        except NotWritten as problem:
            self.problem = self.problem or problem
            with suppress(OSError):
                self._file.close()


class ExchangeBuffer:
    """Collects exchanges as lines until they are taken."""

    problem: None = None

    def __init__(self) -> None:
        self._lines: list[bytes] = []

    def add(self, exchange: Exchange) -> None:
        """Store one exchange."""
        self.add_lines(line_of(exchange))

    def add_lines(self, lines: bytes) -> None:
        """Store exchanges that are already encoded as lines."""
        self._lines.append(lines)

    def take(self) -> bytes:
        """Return the lines stored since the last call."""
        taken, self._lines = b"".join(self._lines), []
        return taken

    def keep(self) -> None:
        """Do nothing: there is no file."""

    def close(self) -> None:
        """Do nothing: there is no file."""


def shorten(folder: Path) -> bool:
    """Cut the later half of the file in a folder, to make room on a full disk; return False when it has no more."""
    path = folder / FILE_NAME
    with suppress(OSError), path.open("r+b") as file:
        length = path.stat().st_size // 2
        file.truncate(length)
        return length > 0
    return False


def line_of(exchange: Exchange) -> bytes:
    """Return an exchange as a line of the file."""
    return msgspec.json.encode(exchange.to_step()) + b"\n"
