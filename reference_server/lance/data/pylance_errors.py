"""Translation of errors of pylance and pyarrow to errors of the catalog.

They raise ValueError, OSError and RuntimeError with free text, so the text decides. The first matching pattern wins; an
error without a match is a bug and stays unchanged.
"""

from __future__ import annotations

import re

from reference_server.errors import CatalogError, InvalidInput, TableAlreadyExists, TableNotFound
from reference_server.lance.errors import (
    ConcurrentModification,
    InvalidTableState,
    TableSchemaValidationError,
    TableVersionNotFound,
)
from reference_server.machine import machine_fault

PARTS = r"/(data|_versions|_transactions|_deletions|_indices|_refs)/"  # folders of a dataset
PATTERNS: list[tuple[str, type[CatalogError]]] = [
    (r"Dataset already exists", TableAlreadyExists),
    (r"_versions/\d+\.manifest was not found|version \d+ .*not found", TableVersionNotFound),
    (r"Version not found error", TableVersionNotFound),
    (r"Ref is invalid", InvalidInput),
    (r"Ref conflict error: Branch .* can not delete", InvalidTableState),
    (r"Dataset at path .* was not found", TableNotFound),
    # Dropped while it was opened, read or written; some texts name no file.
    (rf"Not found: .*{PARTS}", TableNotFound),
    (rf"{PARTS}.*No such file or directory|No such file or directory.* at path .*{PARTS}", TableNotFound),
    (r"Unable to (rename file|create dir .*): No such file or directory", TableNotFound),
    (r"^LanceError\(IO\): No such file or directory \(os error 2\), /\S+/object_store\.rs", TableNotFound),
    (r"^LanceError\(IO\): File exists \(os error 17\), /\S+/object_store\.rs", ConcurrentModification),
    (r"Append with different schema", TableSchemaValidationError),
    (
        r"LanceError\(Schema\)|Duplicate field name|reserved name|Unsupported data type",
        TableSchemaValidationError,
    ),
    (r"Cannot cast column", TableSchemaValidationError),
    (r"Cannot drop all columns|Parser error|^regex parse error", InvalidInput),
    (r"^Field '.*' not found", InvalidInput),
    (r"contained null values even though|non-nullable but contains null", TableSchemaValidationError),
    (r"has no field encoding|Empty structs with", TableSchemaValidationError),
    (r"[Cc]ommit conflict|Too much write contention|concurrent", ConcurrentModification),
    (r"index column .* must be|Vector column .* must|not found in schema", InvalidInput),
    (r"must be divisible by num_sub_vectors|num_bits \d+ not supported", InvalidInput),
    (r"Metric type .* is not supported|failed to construct the fuzzy query", InvalidInput),
    (r"Invalid user input|Query Execution error|Schema error|sql parser error", InvalidInput),
    (r"^Not supported:|Cast error|Divide by zero|Overflow happened", InvalidInput),
]
END = 1000
SOURCE_PLACES = re.compile(r",? (location: )?/\S+\.rs:\d+:\d+")


def translate(error: Exception) -> Exception:
    """Return the catalog's error for one of pylance's, or the error itself if it is unknown."""
    fault = machine_fault(error)
    if fault is not None:
        return fault
    text = _ends(str(error))
    for pattern, kind in PATTERNS:
        if re.search(pattern, text):
            return kind(_readable(text))
    return error


def _ends(text: str) -> str:
    """Return the two ends of a text that quotes much of a request: the cause stands there."""
    return text if len(text) <= 2 * END else f"{text[:END]} ... {text[-END:]}"


def _readable(text: str) -> str:
    """Return the first line without positions in pylance's source code."""
    return SOURCE_PLACES.sub("", text.splitlines()[0])[:500]
