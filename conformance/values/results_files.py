"""Files of results: `results.json` as written by a run, and `results.json.gz` as stored and published."""

from __future__ import annotations

import gzip
import zlib
from contextlib import AbstractContextManager
from pathlib import Path

from specs.writing import write_file, written

FILE_NAME = "results.json"
COMPRESSED_NAME = "results.json.gz"
NAMES = (FILE_NAME, COMPRESSED_NAME)


def results_file(path: Path) -> Path:
    """Return the results file of a path: the path itself, or the results file in this folder."""
    if not path.is_dir():
        return path
    return next((path / name for name in NAMES if (path / name).exists()), path / FILE_NAME)


def read_content(path: Path) -> bytes:
    """Return the content of a results file, decompressed. Raises OSError when it cannot be read or is damaged."""
    content = path.read_bytes()
    if path.name != COMPRESSED_NAME and path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, zlib.error) as error:
        raise OSError(0, f"it is damaged ({error})") from None


def write_compressed(folder: Path, content: bytes) -> Path:
    """Compress the content of a results file into a folder; equal content gives an equal file."""
    return write_file(folder / COMPRESSED_NAME, gzip.compress(content, mtime=0))


def report_written(folder: Path) -> AbstractContextManager[None]:
    """Return a context that raises NotWritten when a write to the report folder fails."""
    return written(f"The report folder {folder}", "Give another --report.")
