"""Files of a table that disappear while a request is about them: the table was dropped meanwhile."""

from __future__ import annotations

import pytest

from reference_server.errors import TableNotFound
from reference_server.lance.data.pylance_errors import translate

FILE = "/root/b844d44a_s$t"


@pytest.mark.parametrize(
    "text",
    [
        f"LanceError(IO): Generic N/A error: Not found: {FILE}/_versions/18446744073709551614.manifest, x.rs:335:56",
        f"LanceError(IO): Not found: {FILE}/data/0001.lance, x.rs:1:1",
        f'LanceError(IO): No such file or directory (os error 2) at path "{FILE}/data/.tmpI9ChFs", x.rs:1019:34',
        f"LanceError(IO): failed to persist temp file to {FILE}/data/00.lance: No such file or directory (os error 2)",
        "LanceError(IO): Generic LocalFileSystem error: Unable to rename file: No such file or directory, x.rs:1663:50",
        f"Not found: {FILE}/_refs/tags/x.json.tmp.85c, x.rs:162:28",
        f"Unable to create dir {FILE}/_refs/tags: No such file or directory (os error 2), x.rs:162:28",
        "LanceError(IO): No such file or directory (os error 2), /rust/lance-io/src/object_store.rs:1013:21",
    ],
)
def test_a_table_that_was_dropped_meanwhile_is_missing(text):
    assert isinstance(translate(OSError(text)), TableNotFound)


def test_a_missing_file_elsewhere_stays_an_error():
    error = OSError("No such file or directory (os error 2): /etc/lance.conf")
    assert translate(error) is error
