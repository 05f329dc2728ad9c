"""`exchanges.jsonl`: every exchange of a run, one JSON object a line, secrets redacted."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import msgspec

from conformance.http.exchange import Exchange
from conformance.results_files import report_written

FILE_NAME = "exchanges.jsonl"


class ExchangeLog:
    """Writes exchanges as they happen, in place of those of an earlier run once there is something to test."""

    def __init__(self, folder: Path) -> None:
        """Start a file beside that of an earlier run. Raises Problem when the folder cannot be written."""
        self._path = folder / FILE_NAME
        self._scratch = self._path.with_suffix(".tmp")
        with report_written(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = self._scratch.open("wb")

    def add(self, exchange: Exchange) -> None:
        """Write one exchange."""
        self.add_lines(line_of(exchange))

    def add_lines(self, lines: bytes) -> None:
        """Write exchanges that are lines already."""
        self._file.write(lines)

    def keep(self) -> None:
        """Replace the file of an earlier run."""
        self._scratch.replace(self._path)

    def close(self) -> None:
        """Close the file; it is gone if it was not to be kept."""
        self._file.close()
        self._scratch.unlink(missing_ok=True)


class ExchangeBuffer:
    """Keeps exchanges as lines until they are taken."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []

    def add(self, exchange: Exchange) -> None:
        """Keep one exchange."""
        self.add_lines(line_of(exchange))

    def add_lines(self, lines: bytes) -> None:
        """Keep exchanges that are lines already."""
        self._lines.append(lines)

    def take(self) -> bytes:
        """Return what was kept since the last time."""
        taken, self._lines = b"".join(self._lines), []
        return taken

    def keep(self) -> None:
        """Do nothing: there is no file."""

    def close(self) -> None:
        """Do nothing: there is no file."""


def line_of(exchange: Exchange) -> bytes:
    """Return an exchange as a line of the file."""
    return msgspec.json.encode(exchange.to_step()) + b"\n"
