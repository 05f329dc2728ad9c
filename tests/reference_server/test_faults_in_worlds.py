"""Faults in one world: their names and sentences, the history that they watch, and what they change."""

from __future__ import annotations

import pytest

from lakeproof import serve
from reference_server.conditions import COMMITTED, NAMESPACE, REMADE, RENAMED, History, Thing
from reference_server.faults import find_fault
from reference_server.faults_in_worlds import world_faults
from reference_server.serve import api_class
from specs.apis import apis
from specs.problems import Problem
from specs.profiles import find_profile

T, U = Thing("table", ("a", "t")), Thing("table", ("a", "u"))
SCHEMA = {"type": "struct", "fields": []}
for name in apis():
    api_class(name)  # an API that is imported registers its conditions


@pytest.mark.parametrize("api", apis())
def test_every_name_is_found_again_and_no_two_are_the_same(api):
    document = find_profile(api).document()
    faults = list(world_faults(document))
    assert len({fault.name for fault in faults}) == len(faults) > 1000
    for fault in faults[:: len(faults) // 50]:
        found = find_fault(fault.name, [document])
        assert (found.name, found.breaks, found.operations) == (fault.name, fault.breaks, fault.operations)


def test_a_sentence_names_operation_damage_and_condition():
    sentences = {fault.name: fault.breaks for fault in world_faults(find_profile("iceberg").document())}
    assert sentences["missing-in-world:loadTable:state=renamed"] == "loadTable returns 404 for a renamed table."
    assert sentences["unlisted-in-world:listTables:names=dot"] == "listTables lists no entry for a name with a dot."
    assert find_fault("failing-in-world:OPERATION:DIMENSION=VALUE").breaks.endswith("500 where DIMENSION=VALUE.")


def test_a_fault_has_only_conditions_that_its_operation_depends_on():
    names = {fault.name for fault in world_faults(find_profile("iceberg").document())}
    assert "refused-in-world:loadView:state=renamed" not in names
    assert "unlisted-in-world:loadTable:names=dot" not in names
    assert "stale-in-world:dropTable:names=dot" not in names
    with pytest.raises(Problem, match="no 'state=rnamed' in loadTable") as caught:
        find_fault("refused-in-world:loadTable:state=rnamed", [find_profile("iceberg").document()])
    assert "state=renamed" in caught.value.hint


def test_a_list_is_not_stale_by_its_entries():
    names = {fault.name for fault in world_faults(find_profile("iceberg").document())}
    assert "stale-in-world:listTables:names=dot" not in names
    assert {"unlisted-in-world:listTables:names=dot", "stale-in-world:listTables:home=dot"} < names


def test_history_labels_objects_by_what_happened_to_them():
    history = History()
    history.create(T)
    assert history.of(T) == set()
    history.commit(T)
    assert COMMITTED not in history.of(T)
    history.commit(T, "evolved")
    assert history.of(T) == {COMMITTED, "evolved"}
    history.move(T, U)
    assert history.of(U) == {COMMITTED, "evolved", RENAMED}
    history.drop(U)
    assert history.gone[U] == {COMMITTED, "evolved", RENAMED}
    history.create(U)
    assert history.of(U) == {REMADE}


def test_history_knows_what_lies_beside_an_object():
    history = History()
    for thing in (T, Thing("view", ("a", "v"))):
        history.create(thing)
    inner = Thing(NAMESPACE, ("a", "n"))  # that is about to be created
    assert history.of(T) == history.of(Thing(NAMESPACE, ("a",))) == history.of(inner) != set()
    history.drop(T)
    assert history.of(Thing(NAMESPACE, ("a",))) == set()


def requested(http, server, fault):
    """Return a function that sends a request with a fault."""

    def send(method, path, json=None):
        return http(method, f"{server.url}/v1/{path}", json=json, headers={"X-Lakeproof-Fault": fault})

    return send


@pytest.fixture(scope="module")
def iceberg():
    with serve("iceberg", storage="memory", allow_faults=True) as server:
        yield server


def table(send, namespace, name):
    send("POST", "namespaces", {"namespace": [namespace]})
    assert send("POST", f"namespaces/{namespace}/tables", {"name": name, "schema": SCHEMA}).status == 200


@pytest.mark.parametrize(("family", "status"), [("refused", 400), ("missing", 404), ("failing", 500)])
def test_requests_about_an_object_of_the_condition_are_refused(http, iceberg, family, status):
    send = requested(http, iceberg, f"{family}-in-world:loadTable:state=renamed")
    table(send, family, "t")
    assert send("GET", f"namespaces/{family}/tables/t").status == 200
    names = {name: {"namespace": [family], "name": table} for name, table in [("source", "t"), ("destination", "u")]}
    assert send("POST", "tables/rename", names).status == 204
    answer = send("GET", f"namespaces/{family}/tables/u")
    assert (answer.status, answer.json()["error"]["code"]) == (status, status)
    assert send("HEAD", f"namespaces/{family}/tables/u").status == 204


def test_a_list_lacks_the_objects_of_the_condition(http, iceberg):
    send = requested(http, iceberg, "unlisted-in-world:listTables:names=dot")
    table(send, "listed", "t")
    table(send, "listed", "t.b")
    listed = send("GET", "namespaces/listed/tables").json()["identifiers"]
    assert [entry["name"] for entry in listed] == ["t"]


def test_a_list_with_an_object_of_the_condition_is_refused(http, iceberg):
    send = requested(http, iceberg, "failing-in-world:listTables:names=dot")
    table(send, "failed", "t")
    assert send("GET", "namespaces/failed/tables").status == 200
    table(send, "failed", "t.b")
    assert send("GET", "namespaces/failed/tables").status == 500


def test_a_request_in_the_form_of_a_client_is_refused(http, iceberg):
    fault = {"X-Lakeproof-Fault": "refused-in-world:listNamespaces:form=pyiceberg"}
    url = f"{iceberg.url}/v1/namespaces"
    assert http("GET", url, headers=fault).status == 200
    assert http("GET", url, headers={**fault, "User-Agent": "PyIceberg/0.12.0"}).status == 400


@pytest.mark.parametrize(
    ("client", "headers"),
    [
        ("java", {"X-Client-Version": "Apache Iceberg 1.11.0"}),
        ("go", {"X-Client-Version": "0.14.1", "X-Iceberg-Access-Delegation": "vended-credentials"}),
        ("rust", {"X-Client-Version": "0.14.1"}),
    ],
)
def test_clients_are_told_apart_by_their_headers(http, iceberg, client, headers):
    url = f"{iceberg.url}/v1/namespaces"
    for other in ("java", "go", "rust"):
        fault = {"X-Lakeproof-Fault": f"refused-in-world:listNamespaces:form={other}"}
        assert http("GET", url, headers={**fault, **headers}).status == (400 if other == client else 200)


def test_a_namespace_lies_in_the_one_around_it(http, iceberg):
    send = requested(http, iceberg, "missing-in-world:loadNamespaceMetadata:home=dot")
    for levels in (["a.b"], ["a.b", "c"], ["d"]):
        assert send("POST", "namespaces", {"namespace": levels}).status == 200
    statuses = [send("GET", f"namespaces/{path}").status for path in ("a.b", "a.b%1Fc", "d")]
    assert statuses == [404, 404, 200]


def test_a_write_in_the_condition_is_only_said_and_a_read_repeated(http, iceberg):
    send = requested(http, iceberg, "said-only-in-world:dropTable:names=blank")
    for name in ("t", "t b"):
        table(send, "said", name)
        assert send("DELETE", f"namespaces/said/tables/{name.replace(' ', '%20')}").status == 204
    assert send("HEAD", "namespaces/said/tables/t").status == 404
    assert send("HEAD", "namespaces/said/tables/t%20b").status == 204


def test_a_read_in_the_condition_repeats_its_first_answer(http, iceberg):
    send = requested(http, iceberg, "stale-in-world:listTables:home=dot")
    for namespace, shown in (("stale", 2), ("sta.le", 1)):
        for name in ("t", "u"):
            table(send, namespace, name)
            listed = send("GET", f"namespaces/{namespace}/tables").json()["identifiers"]
        assert len(listed) == shown


def test_counts_and_lists_are_empty_in_the_condition(http):
    fault = {"X-Lakeproof-Fault": "emptied-in-world:ListNamespaces:place=nested"}
    with serve("lance", storage="memory:pure", allow_faults=True) as server:
        for id in ("a", "a$b", "a$b$c"):
            assert http("POST", f"{server.url}/v1/namespace/{id}/create", json={}, headers=fault).status == 200
        for id, names in (("a", ["b"]), ("a$b", [])):
            assert http("GET", f"{server.url}/v1/namespace/{id}/list", headers=fault).json()["namespaces"] == names


def test_a_list_that_names_nothing_is_empty_where_an_entry_meets_the_condition(http):
    fault = {"X-Lakeproof-Fault": "emptied-in-world:ListAllTables:names=dot"}
    with serve("lance", storage="memory:pure", allow_faults=True) as server:
        for names, listed in (("t", ["t"]), ("t.b", [])):
            assert http("POST", f"{server.url}/v1/table/{names}/declare", json={}, headers=fault).status == 200
            assert http("GET", f"{server.url}/v1/table", headers=fault).json()["tables"] == listed


def test_a_watch_notes_faults_whose_condition_is_met(http):
    wanted = ("missing-in-world:loadNamespaceMetadata:home=remade", "missing-in-world:loadNamespaceMetadata:names=dot")
    with serve("iceberg", storage="memory") as server, server.watched(map(find_fault, wanted)) as watch:
        url = f"{server.url}/v1/namespaces"
        for _ in range(2):
            http("POST", url, json={"namespace": ["a"]})
            assert watch.take() == set()
            assert http("GET", f"{url}/a").status == 200
            reached = watch.take()
            http("DELETE", f"{url}/a")
        assert reached == {wanted[0]}
