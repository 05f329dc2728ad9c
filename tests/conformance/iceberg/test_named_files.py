"""Metadata files that answers name: the file of loadTable, or another address of the same metadata."""

from __future__ import annotations

import pytest

from lakeproof import check, serve
from tests.conformance.different_server import Call, DifferentServer, Freedom, of_json, with_json
from tests.conformance.proxy import Answer


def naming(address: str) -> Freedom:
    """Answers to commits name another address."""

    def name_another(call: Call, answer: Answer) -> Answer:
        body = of_json(answer)
        if call.operation != "updateTable" or not isinstance(body, dict) or "metadata-location" not in body:
            return answer
        return with_json(answer, {**body, "metadata-location": address.format(body["metadata-location"])})

    return Freedom("name_another", "iceberg", after=name_another)


@pytest.mark.parametrize(
    ("address", "verdicts"),
    [
        ("http://catalog.test/snapshot?of={}", {"warn", "unoffered"}),  # the document says that it should be the file
        ("{}.earlier", {"warn", "fail"}),
    ],
)
def test_an_answer_may_name_the_metadata_outside_of_the_storage(tmp_path, address, verdicts):
    select = "iceberg.file.update_table.named or iceberg.commit.answer_location"
    with serve("iceberg") as server, DifferentServer(server.url, "iceberg", [naming(address)]) as different:
        results, _ = check(different.url, api="iceberg", select=select, report=str(tmp_path))
    assert {result.verdict for result in results.requirements} == verdicts
