"""Media types of Arrow streams in requests: a client that states none is served, another type is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest

from conformance.lance.support.arrow import stream

ROWS = stream(pa.table({"id": [1, 2]}))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Content-Type": "application/vnd.apache.arrow.stream"}, 200),
        ({"Content-Type": "application/octet-stream"}, 400),
    ],
)
def test_the_type_of_a_stream(http, lance, headers, status):
    assert http("POST", f"{lance.url}/v1/table/t/create", body=ROWS, headers=headers).status == status
