"""Metadata files that answers name: the file of loadTable, or another address of the same metadata."""

from __future__ import annotations

import pytest

from conformance.apis import requirements
from conformance.iceberg.support import files
from lakeproof import check, serve
from tests.conformance import different_iceberg  # noqa: F401 - registers its freedoms
from tests.conformance.different_server import FREEDOMS, Call, DifferentServer, Freedom, of_json, with_json
from tests.conformance.mutants import TOKEN, judge
from tests.conformance.proxy import Answer

REGISTERED = {id for id in requirements("iceberg") if id.startswith("iceberg.file.") and id.endswith(".registered")}
UNPREPARED = "iceberg.file.register_table.registered"  # blocked where no file can be registered
READ = {id.removesuffix(".registered") for id in REGISTERED - {UNPREPARED}}
LATER = {f"iceberg.file.{write}.registered" for write in ("commit_transaction", "update_table")}
FIRST = {f"iceberg.file.{write}.registered" for write in ("create_table", "staged")}


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


@pytest.mark.parametrize(
    ("fault", "noticing"),
    [
        ("", set()),
        ("files-never-written", REGISTERED - {UNPREPARED}),
        ("any-location-registered", REGISTERED),
        ("former-file-named", LATER),
        ("first-file-unwritten", FIRST),
    ],
)
def test_files_that_the_run_cannot_reach_are_registered(tmp_path, monkeypatch, fault, noticing):
    monkeypatch.setattr(files, "local_path", lambda _location: None)
    with serve("iceberg", auth=f"token:{TOKEN}", allow_faults=True) as server:
        results = judge(server, tmp_path, fault=fault, ids=REGISTERED | READ, world=["plain"])
    verdicts = {entry.id: entry.verdict for entry in results.requirements}
    assert {id for id, verdict in verdicts.items() if verdict == "fail"} == noticing
    assert {verdicts[id] for id in READ} == {"skipped"}
    assert results.run.left_behind == []


def test_the_file_of_an_existing_table_may_be_refused(tmp_path):
    """The table is registered again after its drop; the registration of a view stays untested."""
    with (
        serve("iceberg") as server,
        DifferentServer(server.url, "iceberg", [FREEDOMS["one_name_per_file"]]) as different,
    ):
        results, _ = check(different.url, api="iceberg", select="file and registered", report=str(tmp_path))
    verdicts = {entry.id: entry.verdict for entry in results.requirements if entry.id in REGISTERED}
    views = {id for id in REGISTERED if "view" in id}
    assert verdicts == {id: "unoffered" if id in views else "pass" for id in REGISTERED}
