"""Scan planning: snapshots, ranges, what a request may ask for, plan tasks, waiting, errors."""

from __future__ import annotations

from typing import Any

import pytest

from lakeproof import serve
from reference_server import limits
from specs.problems import Problem
from tests.reference_server.iceberg.conftest import at_once
from tests.reference_server.iceberg.staged_tables import SCHEMA, TABLE, Staged, is_bad, paths
from tests.reference_server.iceberg.written_manifests import EXISTING, File, Written

KEY = {"Idempotency-Key": "019a0000-0000-7000-8000-000000000001"}


@pytest.fixture
def staged(api):
    """A table with three files, one for each of its snapshots."""
    return Staged(api).commit(File("f1")).commit(File("f2")).commit(File("f3"))


def test_ranges(staged):
    staged.commit(File("f4"), operation="overwrite").commit(File("f5"))
    assert staged.files(start_snapshot_id=1, end_snapshot_id=3) == ["f2", "f3"]
    assert staged.files(start_snapshot_id=3, end_snapshot_id=5) == ["f5"]
    assert staged.files(start_snapshot_id=2, end_snapshot_id=2) == []
    assert is_bad(staged.plan(None, start_snapshot_id=3, end_snapshot_id=1))
    assert is_bad(staged.plan(None, start_snapshot_id=77, end_snapshot_id=3))
    assert is_bad(staged.plan(None, start_snapshot_id=1))
    assert is_bad(staged.plan(None, end_snapshot_id=3))
    assert is_bad(staged.plan(None, start_snapshot_id=1, end_snapshot_id=3, snapshot_id=2))
    assert is_bad(staged.plan(None, end_snapshot_id=3, snapshot_id=2))


def test_files_that_a_later_snapshot_carried_over_do_not_come_twice(staged):
    carried = [File("f1", status=EXISTING, sequence=1, snapshot=1), File("f4")]
    staged.lists[-1] = (3, [])
    staged.commit(manifests=[Written(carried, 4, snapshot=4)])
    assert staged.files() == ["f1", "f4"]
    assert staged.files(start_snapshot_id=3, end_snapshot_id=4) == ["f4"]


def test_plan_tasks_cover_the_rest(open_api):
    with open_api(page_size=2) as api:
        api.namespace("a")
        files = [f"f{number}" for number in range(7)]
        staged = Staged(api).commit(*map(File, files)).commit(File("g1")).commit(File("g2"))
        answer = staged.plan()
        listed = paths(answer)
        assert len(listed) <= 2
        for task in answer.body["plan-tasks"]:
            page = api.call("POST", f"{TABLE}/tasks", {"plan-task": task}, expect=200)
            assert 1 <= len(paths(page)) <= 2
            listed += paths(page)
        assert sorted(listed) == sorted([*files, "g1", "g2"])


def test_a_wrong_count_in_a_manifest_list_loses_no_file(open_api):
    with open_api(page_size=2) as api:
        api.namespace("a")
        files = [File(f"f{number}") for number in range(5)]
        staged = Staged(api).commit(manifests=[Written(files, 1, snapshot=1, counted=1)])
        assert len(staged.files()) == 5


def test_plan_tasks_hold_while_the_table_goes_on(open_api):
    with open_api(page_size=1) as api:
        api.namespace("a")
        staged = Staged(api).commit(File("f1")).commit(File("f2"))
        name = {"type": "eq", "term": "Name", "value": "x"}
        (task,) = staged.plan(filter=name).body["plan-tasks"]
        schema = {**SCHEMA, "fields": [{**field, "name": f"{field['name']}2"} for field in SCHEMA["fields"]]}
        current = {"action": "set-current-schema", "schema-id": -1}
        api.commit([{"action": "add-schema", "schema": schema}, current], expect=200)
        staged.commit(File("f3"))
        api.call("POST", "tables/rename", rename("t", "u"), expect=204)
        answer = api.call("POST", "namespaces/a/tables/u/tasks", {"plan-task": task}, expect=200)
        assert paths(answer) == ["f2"]


def rename(source, target):
    names = {"source": source, "destination": target}
    return {key: {"namespace": ["a"], "name": name} for key, name in names.items()}


@pytest.mark.parametrize("open_api", ["dir"], indirect=True)
def test_plannings_outlive_a_restart(open_api):
    with open_api(page_size=1) as api:
        api.namespace("a")
        answer = Staged(api).commit(File("f1")).commit(File("f2")).plan()
    with open_api(page_size=1) as api:
        (task,) = answer.body["plan-tasks"]
        assert paths(api.call("POST", f"{TABLE}/tasks", {"plan-task": task}, expect=200)) == ["f2"]
        assert paths(api.call("GET", f"{TABLE}/plan/{answer.body['plan-id']}", expect=200)) == ["f1"]


def test_plan_ids(staged):
    api, plan_id = staged.api, staged.plan().body["plan-id"]
    assert paths(api.call("GET", f"{TABLE}/plan/{plan_id}", expect=200)) == ["f1", "f2", "f3"]
    api.call("DELETE", f"{TABLE}/plan/{plan_id}", expect=204)
    assert api.call("GET", f"{TABLE}/plan/{plan_id}", expect=200).body == {"status": "cancelled"}
    api.call("DELETE", f"{TABLE}/plan/{plan_id}", expect=204)


def test_the_oldest_planning_makes_room(staged, monkeypatch):
    monkeypatch.setattr(limits, "KEPT", 1000)
    first, *_, last = [staged.plan().body["plan-id"] for _ in range(8)]
    staged.api.call("GET", f"{TABLE}/plan/{last}", expect=200)
    assert staged.api.call("GET", f"{TABLE}/plan/{first}", expect=404).type == "NoSuchPlanIdException"


def test_cancelled_plannings_have_no_tasks(open_api):
    with open_api(page_size=1) as api:
        api.namespace("a")
        answer = Staged(api).commit(File("f1")).commit(File("f2")).plan().body
        api.call("DELETE", f"{TABLE}/plan/{answer['plan-id']}", expect=204)
        refused = api.call("POST", f"{TABLE}/tasks", {"plan-task": answer["plan-tasks"][0]}, expect=404)
        assert refused.type == "NoSuchPlanTaskException"


def test_what_does_not_exist(staged):
    api, plan_id = staged.api, staged.plan().body["plan-id"]
    api.table("a/tables/other", schema=SCHEMA, properties={"format-version": "3"})
    for method in ("GET", "DELETE"):
        for target in (f"{TABLE}/plan/none", f"namespaces/a/tables/other/plan/{plan_id}"):
            assert api.call(method, target, expect=404).type == "NoSuchPlanIdException"
        assert api.call(method, f"namespaces/a/tables/no/plan/{plan_id}", expect=404).type == "NoSuchTableException"
    for task in ("", "none", f"{plan_id}-0", f"{plan_id}-1", f"{plan_id}-x", f"{plan_id}-٣"):
        assert api.call("POST", f"{TABLE}/tasks", {"plan-task": task}, expect=404).type == "NoSuchPlanTaskException"
    assert api.call("POST", "namespaces/a/tables/no/plan", {}, expect=404).type == "NoSuchTableException"
    assert (
        api.call("POST", "namespaces/a/tables/no/tasks", {"plan-task": "x"}, expect=404).type == "NoSuchTableException"
    )
    assert is_bad(api.call("POST", f"{TABLE}/tasks", {}))


def test_keys_repeat_the_answer(staged):
    first = staged.plan(headers=KEY).body
    staged.commit(File("f4"))
    assert staged.plan(headers=KEY).body == first
    assert is_bad(staged.plan(None, headers=KEY, snapshot_id=1))


def test_many_at_once(staged):
    answers = at_once(8, lambda: staged.plan().body)
    assert len({answer["plan-id"] for answer in answers}) == 8
    assert [answer for answer in answers if len(answer["file-scan-tasks"]) != 3] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"select": ["nobody"]},
        {"select": ["name"]},
        {"stats_fields": ["nobody"]},
        {"filter": {"type": "eq", "term": "nobody", "value": 1}},
        {"filter": {"type": "eq", "term": "tags.element", "value": "x"}},
        {"filter": {"type": "eq", "term": "point", "value": "x"}},
        {"filter": {"type": "eq", "term": "any", "value": "x"}},
        {"filter": {"type": "eq", "term": "id", "value": "x"}},
        {"filter": {"type": "eq", "term": "id", "value": 1.5}},
        {"filter": {"type": "eq", "term": "id", "value": True}},
        {"filter": {"type": "eq", "term": "id"}},
        {"filter": {"type": "eq", "value": 1}},
        {"filter": {"type": "starts-with", "term": "id", "value": "1"}},
        {"filter": {"type": "equals", "term": "id", "value": 1}},
        {"filter": {"type": "in", "term": "id", "values": ["x"]}},
        {"filter": {"type": "eq", "term": {"type": "transform", "transform": "day", "term": "id"}, "value": 1}},
        {"filter": {"type": "eq", "term": "id", "left": {"type": "reference", "name": "id"}, "value": 1}},
        {"filter": {"type": "eq", "left": {"type": "reference", "id": 99}, "right": 1}},
        {"filter": {"type": "eq", "left": {"type": "apply", "function": "lower", "arguments": []}, "right": 1}},
        {"filter": {"type": "eq", "term": "id", "value": {"type": "literal", "value": "x", "data-type": "long"}}},
    ],
)
def test_wrong_requests(staged, wrong):
    assert is_bad(staged.plan(None, **wrong))


def test_columns_of_rows_can_be_selected(staged):
    assert staged.files(select=["id", "_file", "_pos"]) == ["f1", "f2", "f3"]


def test_rows_enough(api):
    staged = Staged(api).commit(File("f1", rows=10)).commit(File("f2", rows=10)).commit(File("f3", rows=10))
    assert staged.files(min_rows_requested=11) == ["f1", "f2"]
    assert staged.files(min_rows_requested=0) == ["f1", "f2", "f3"]
    unsure = {"type": "eq", "term": "Name", "value": "x"}
    assert staged.files(min_rows_requested=1, filter=unsure) == ["f1", "f2", "f3"]


def test_a_filter_may_be_deep_or_long(staged):
    node: dict[str, Any] = {"type": "is-null", "term": "Name"}
    for _ in range(300):
        node = {"type": "or", "left": node, "right": {"type": "eq", "term": "id", "value": 1}}
    assert staged.files(filter=node) == ["f1", "f2", "f3"]
    for _ in range(110):
        node = {"type": "not", "child": node}
    assert is_bad(staged.plan(None, filter=node))


def test_settings():
    with pytest.raises(Problem, match=r"'never'"):
        serve("iceberg", scan_planning="never")  # type: ignore[arg-type]


def test_manifests_that_cannot_be_read(staged):
    for manifest in staged.folder.glob("*.avro"):
        manifest.write_bytes(b"nothing of the kind")
    answer = staged.plan().body
    assert answer["status"] == "failed"
    assert answer["error"]["code"] == 400
    assert "plan-id" not in answer
    for manifest in staged.folder.glob("*.avro"):
        manifest.unlink()
    assert staged.plan().body["error"]["type"] == "NotFoundException"


class TestInTheBackground:
    """A server that plans while clients wait."""

    @pytest.fixture
    def staged(self, open_api):
        with open_api(scan_planning="async", page_size=2) as api:
            api.namespace("a")
            yield Staged(api).commit(File("f1")).commit(File("f2")).commit(File("f3"))

    def wait(self, staged, plan_id):
        for _ in range(1000):
            answer = staged.api.call("GET", f"{TABLE}/plan/{plan_id}", expect=200)
            if answer.body["status"] != "submitted":
                return answer
        raise AssertionError("the scan plan never ends")

    def test_clients_ask_until_it_is_done(self, staged):
        submitted = staged.plan().body
        plan_id = submitted.pop("plan-id")
        assert submitted == {"status": "submitted"}
        assert staged.api.call("GET", f"{TABLE}/plan/{plan_id}", expect=200).body == submitted
        staged.commit(File("f4"))
        answer = self.wait(staged, plan_id)
        (task,) = answer.body["plan-tasks"]
        page = staged.api.call("POST", f"{TABLE}/tasks", {"plan-task": task}, expect=200)
        assert paths(answer) + paths(page) == ["f1", "f2", "f3"]
        assert self.wait(staged, plan_id).body == answer.body

    def test_a_planning_can_fail(self, staged):
        plan_id = staged.plan().body["plan-id"]
        for manifest in staged.folder.glob("*.avro"):
            manifest.unlink()
        assert self.wait(staged, plan_id).body["error"]["type"] == "NotFoundException"

    def test_a_planning_can_be_given_up(self, staged):
        plan_id = staged.plan().body["plan-id"]
        staged.api.call("GET", f"{TABLE}/plan/{plan_id}", expect=200)
        staged.api.call("DELETE", f"{TABLE}/plan/{plan_id}", expect=204)
        assert staged.api.call("GET", f"{TABLE}/plan/{plan_id}", expect=200).body == {"status": "cancelled"}

    def test_bad_requests_are_refused_at_once(self, staged):
        assert is_bad(staged.plan(None, snapshot_id=99))
        assert is_bad(staged.plan(None, filter={"type": "is-null", "term": "nobody"}))
