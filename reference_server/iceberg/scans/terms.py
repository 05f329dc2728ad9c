"""Transforms of columns in filters: the older form `transform`, and the newer form `apply` of a function."""

from __future__ import annotations

from typing import Any

from reference_server.errors import InvalidInput
from reference_server.iceberg.metadata.reading import Json, is_int
from reference_server.iceberg.metadata.transforms import takes
from reference_server.iceberg.scans.expressions import FilterTerm
from reference_server.iceberg.scans.names import ColumnNames
from reference_server.iceberg.scans.transforms import NAMES, TIME_UNITS, WITH_WIDTH, read_transform

PLURALS = {f"{unit}s": unit for unit in TIME_UNITS}
"""Names of the functions in Iceberg's engines: years, months, days and hours."""


def read_transform_term(node: Json, names: ColumnNames) -> FilterTerm:
    """Return the term of a TransformTerm. Raises InvalidInput for an unknown transform or column."""
    return _term(node["transform"], node["term"], names)


def read_apply(node: Json, names: ColumnNames) -> FilterTerm:
    """Return the term of an Apply: a transform of one column, with its width as a second argument if it has one.

    Raises InvalidInput for other functions: each server decides which ones it supports.
    """
    function = _function_name(node["function"])
    references = [
        argument for argument in node["arguments"] if isinstance(argument, dict) and argument.get("type") == "reference"
    ]
    widths = [_plain(argument) for argument in node["arguments"] if argument not in references]
    if len(references) != 1 or len(widths) != int(function in WITH_WIDTH) or not all(map(is_int, widths)):
        raise InvalidInput(f"The function {function!r:.100} does not take these arguments.")
    (reference,) = references
    name = names.by_id(reference["id"]).name if "id" in reference else reference["name"]
    return _term(f"{function}[{widths[0]}]" if widths else function, name, names)


def _function_name(function: Any) -> str:
    path = function["identifier"] if isinstance(function, dict) else function
    name = (path if isinstance(path, str) else path[-1] if path else "").lower()
    name = PLURALS.get(name, name)
    if name not in NAMES:
        raise InvalidInput(f"There is no function {name!r:.100} for filters; there are {', '.join(sorted(NAMES))}.")
    return name


def _plain(argument: Any) -> Any:
    return argument.get("value") if isinstance(argument, dict) else argument


def _term(transform: str, name: str, names: ColumnNames) -> FilterTerm:
    column = names.find(name)
    parsed = read_transform(transform, column.type) if isinstance(column.type, str) else None
    if parsed is None or not takes(parsed.text, column.type):
        raise InvalidInput(f"There is no transform {transform!r:.100} of {name!r:.100}.")
    return FilterTerm(column, parsed)
