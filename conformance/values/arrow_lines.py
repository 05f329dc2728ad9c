"""Arrow streams as text: the schema, and the first rows as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

MAGICS = (b"\xff\xff\xff\xff", b"ARROW1")
MOST_ROWS = 5


def arrow_lines(content: bytes, most: int = MOST_ROWS) -> list[str]:
    """Return an Arrow stream or file as lines: schema, number of rows, and the first `most` rows.

    Other content and an unreadable schema give no lines, and so does all content without pyarrow, which only comes with
    some extras; unreadable rows give a line with the reason.
    """
    if not content.startswith(MAGICS) or not find_spec("pyarrow"):
        return []
    import pyarrow as pa  # noqa: PLC0415 - slow to import, and few pages need it

    try:
        opens = pa.ipc.open_file if content.startswith(MAGICS[1]) else pa.ipc.open_stream
        return list(_lines(opens(content), most, pa))
    except (pa.ArrowException, OSError, ValueError):
        return []


def _lines(reader: Any, most: int, pa: Any) -> Iterator[str]:
    schema = reader.schema
    yield "Arrow, with the columns"
    for field in schema:
        yield f"  {field.name}: {field.type}{'' if field.nullable else ' not null'}"
    try:
        table = reader.read_all()
    except (pa.ArrowException, OSError, ValueError) as error:
        yield f"and rows that cannot be read: {error}"
        return
    yield f"and {table.num_rows:,} row{'s' if table.num_rows != 1 else ''}"
    for row in table.slice(0, most).to_pylist():
        yield f"  {json.dumps(row, ensure_ascii=False, default=str)}"
    if table.num_rows > most:
        yield "  …"
