"""Bodies that are no Arrow stream."""

from __future__ import annotations

from conformance.author.strategies import tables
from conformance.lance.support import arrow
from conformance.lance.support.arrow import stream

BROKEN_STREAMS = {
    "garbage": b"this is not an Arrow stream",
    "truncated": stream(tables(3))[:-60],
    "file_format": arrow.file(tables(3)),
    "absent": b"",
}
