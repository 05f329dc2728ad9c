"""`exchanges.jsonl`: every exchange of a run, one JSON object a line, secrets redacted."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import msgspec

from conformance.exchange import Exchange
from specs.problems import Problem

FILE_NAME = "exchanges.jsonl"


class ExchangeLog:
    """Writes exchanges as they happen."""

    def __init__(self, folder: Path) -> None:
        """Start the file anew. Raises Problem when the folder cannot be written."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = (folder / FILE_NAME).open("wb")
        except OSError as error:
            raise Problem(
                f"The report folder {folder} cannot be written: {error.strerror}.", "Give another --report."
            ) from None

    def add(self, exchange: Exchange) -> None:
        """Write one exchange."""
        self._file.write(msgspec.json.encode(exchange.to_step()) + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()
