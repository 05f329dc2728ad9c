"""Registrations on a server that deletes files when it drops a table, where the run cannot put them back."""

from __future__ import annotations

from conformance.apis import requirements
from conformance.iceberg.support import files, registrations, staging
from conformance.values.outcomes import Unoffered
from lakeproof import serve
from tests.conformance.mutants import TOKEN, judge

TOLD = "iceberg.register.table.after_drop"
REGISTRATIONS = {name for name in requirements("iceberg") if name.startswith("iceberg.register.table.")}


def test_files_that_went_are_one_finding(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "local_path", lambda _location: None)
    with serve("iceberg", auth=f"token:{TOKEN}", allow_faults=True) as server:
        results = judge(server, tmp_path, fault="drop-purges", ids=REGISTRATIONS)
    verdicts = {entry.id: entry.verdict for entry in results.requirements}
    assert {name for name, verdict in verdicts.items() if verdict in ("fail", "warn", "error")} == {TOLD}
    assert verdicts["iceberg.register.table.same"] == "blocked"


def test_files_that_stay_are_registered_unseen(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "local_path", lambda _location: None)
    with serve("iceberg", auth=f"token:{TOKEN}", allow_faults=True) as server:
        results = judge(server, tmp_path, ids={TOLD, "iceberg.register.table.same", "iceberg.register.table.taken"})
    assert {entry.verdict for entry in results.requirements} == {"pass"}


def test_files_that_went_are_seen_where_they_lie(tmp_path):
    with serve("iceberg", auth=f"token:{TOKEN}", allow_faults=True) as server:
        results = judge(server, tmp_path, fault="drop-purges", ids={TOLD, "iceberg.register.table.same"})
    messages = {entry.id: entry.message for entry in results.requirements}
    assert "is there after the drop" in messages[TOLD]
    assert {entry.id: entry.verdict for entry in results.requirements}["iceberg.register.table.same"] == "pass"


def test_the_control_is_not_helped(tmp_path, monkeypatch):
    """Files of some tables are not known again, as where a registered table loads as another: nobody puts them back."""
    real = staging.stage

    def stage(catalog, id):
        if id[-1] == "t":
            raise Unoffered(files.UNREACHABLE)
        return real(catalog, id)

    monkeypatch.setattr(registrations, "stage", stage)
    ids = {"iceberg.register.table.taken", "iceberg.access.list.register"}
    with serve("iceberg", auth=f"token:{TOKEN}", allow_faults=True) as server:
        results = judge(server, tmp_path, fault="drop-purges", ids=ids)
    assert {entry.verdict for entry in results.requirements} == {"blocked"}


def test_a_registered_table_that_loads_as_another_has_the_files_of_the_first_one(tmp_path, monkeypatch):
    real, staged = staging.stage, set()

    def stage(catalog, id):
        if id in staged:
            raise Unoffered("the table has no columns")
        staged.add(id)
        return real(catalog, id)

    monkeypatch.setattr(registrations, "stage", stage)
    ids = {"iceberg.register.table.taken", "iceberg.register.table.bad_file.no_json"}
    with serve("iceberg", auth=f"token:{TOKEN}", allow_faults=True) as server:
        results = judge(server, tmp_path, fault="drop-purges", ids=ids, world=["plain"])
    assert {entry.verdict for entry in results.requirements} == {"pass"}
