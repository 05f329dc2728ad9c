"""Messages and types of errors on which clients of Polaris match, and the paths that they send."""

from __future__ import annotations

import pytest

from tests.reference_server.polaris.served_catalogs import ICEBERG, MANAGEMENT, OWN, VIEW_VERSION, served

NAMESPACE = f"{ICEBERG}/c/namespaces/a"
TABLE = f"{NAMESPACE}/tables/t"
POLICIES = f"{OWN}/c/namespaces/a/policies"
POLICY = {"name": "p", "type": "system.data-compaction", "content": '{"enable": true}'}
RESERVED = {"polaris.x": "v"}
SCHEMA = {"type": "struct", "schema-id": 0, "fields": []}


@pytest.fixture(params=["memory", "directory"])
def root(request, http, tmp_path):
    settings = {"storage": f"dir:{tmp_path}/state"} if request.param == "directory" else {}
    with served(http, tmp_path / "data", **settings) as root:
        root.catalog("c")
        root.namespace("c", "a")
        root.table("c")
        yield root


def commit(*requirements, **updates):
    set_properties = [{"action": "set-properties", "updates": updates}] if updates else []
    return {"requirements": list(requirements), "updates": set_properties}


@pytest.mark.parametrize("name", ["", "a b", " a", "a.b", "a/b", "a%b", "policy\\name"])
def test_an_invalid_name_of_a_policy(root, name):
    kind, message = root.call("POST", POLICIES, {**POLICY, "name": name}, expect=400).error
    assert kind == "ResteasyReactiveViolationException"
    assert message == 'Invalid value: createPolicy.arg2.name: must match "^[A-Za-z0-9\\-_]+$"'


def test_an_invalid_name_in_the_first_revision(http, tmp_path):
    with served(http, tmp_path, "polaris/2024-09") as older:
        kind, message = older.call("POST", f"{MANAGEMENT}/principals", {"name": "x" * 257}, expect=400).error
        assert kind == "JerseyViolationException"
        assert message == "Invalid value: createPrincipal.arg0.principal.name: size must be between 1 and 256"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (f"principals/{'x' * 257}", "getPrincipal.arg0: size must be between 1 and 256"),
        ("catalogs/c/catalog-roles/system$x", "getCatalogRole.arg1: must match "),
    ],
)
def test_an_invalid_name_in_a_path(root, path, message):
    assert root.call("GET", f"{MANAGEMENT}/{path}", expect=400).error[1].startswith(f"Invalid value: {message}")


def test_a_missing_policy_and_target(root):
    for method, body in (("GET", None), ("DELETE", None), ("PUT", {"content": POLICY["content"]})):
        kind, message = root.call(method, f"{POLICIES}/none", body, expect=404).error
        assert kind == "NoSuchPolicyException"
        for word in ("Policy does not exist: class PolicyIdentifier", "namespace: a", "name: none"):
            assert word in message
    root.call("POST", POLICIES, POLICY, expect=200)
    for method in ("PUT", "POST"):
        for target, words in (
            ({"type": "table-like", "path": ["a", "none"]}, "Table or view does not exist: a.none"),
            ({"type": "namespace", "path": ["none"]}, "Namespace does not exist: none"),
        ):
            refused = root.call(method, f"{POLICIES}/p/mappings", {"target": target}, expect=404)
            assert refused.error[1] == words
    asked = f"{OWN}/c/applicable-policies?namespace=a&target-name=none"
    assert root.call("GET", asked, expect=404).error[1] == "Table does not exist: a.none"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (f"{ICEBERG}/c/namespaces", {"namespace": ["b"], "properties": RESERVED}),
        (f"{NAMESPACE}/properties", {"updates": RESERVED}),
        (f"{NAMESPACE}/properties", {"removals": list(RESERVED)}),
        (f"{NAMESPACE}/tables", {"name": "u", "schema": SCHEMA, "properties": RESERVED}),
        (TABLE, commit(**RESERVED)),
        (f"{OWN}/c/namespaces/a/generic-tables", {"name": "g", "format": "delta", "properties": RESERVED}),
        (f"{OWN}/c/namespaces/a/generic-tables/", {"name": "g", "format": "delta", "properties": RESERVED}),
        (f"{MANAGEMENT}/principals", {"principal": {"name": "u", "properties": RESERVED}}),
        (f"{NAMESPACE}/views", {"name": "v", "schema": SCHEMA, "view-version": VIEW_VERSION, "properties": RESERVED}),
    ],
)
def test_reserved_properties(root, path, body):
    kind, message = root.call("POST", path, body, expect=400).error
    assert kind == "IllegalArgumentException"
    assert "reserved prefix" in message


@pytest.mark.parametrize(
    ("requirement", "words"),
    [
        ({"type": "assert-current-schema-id", "current-schema-id": 1}, "current schema changed: expected id 1 != 0"),
        (
            {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 9},
            "last assigned field id changed: expected id 9 != 1",
        ),
        (
            {"type": "assert-default-spec-id", "default-spec-id": 9},
            "default partition spec changed: expected id 9 != 0",
        ),
        (
            {"type": "assert-default-sort-order-id", "default-sort-order-id": 9},
            "default sort order changed: expected id 9 != 0",
        ),
        (
            {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 5},
            "branch or tag main is missing, expected 5",
        ),
    ],
)
def test_a_failed_requirement(root, requirement, words):
    change = {"identifier": {"namespace": ["a"], "name": "t"}, **commit(requirement)}
    for path, body in ((TABLE, commit(requirement)), (f"{ICEBERG}/c/transactions/commit", {"table-changes": [change]})):
        assert root.call("POST", path, body, expect=409).error == (
            "CommitFailedException",
            f"Requirement failed: {words}",
        )


def test_another_uuid(root):
    uuid = root.call("GET", TABLE, expect=200).body["metadata"]["table-uuid"]
    other = "00000000-0000-4000-8000-000000000000"
    refused = root.call("POST", TABLE, commit({"type": "assert-table-uuid", "uuid": other}), expect=409)
    assert refused.error[1] == f"Requirement failed: UUID does not match: expected {uuid} != {other}"


def test_snapshots_that_are_none(root):
    for value in ("ALL", "refs"):
        root.call("GET", f"{TABLE}?snapshots={value}", expect=200)
    assert root.call("GET", f"{TABLE}?snapshots=not-real", expect=400).error[1] == "Unrecognized snapshots: not-real"


@pytest.mark.parametrize(
    "body",
    [
        {"notification-type": "CREATE"},
        {"notification-type": "VALIDATE", "payload": {"table-name": "t", "timestamps": "17"}},
        {"notification-type": "NONE", "payload": 5},
        [],
    ],
)
def test_a_notification_to_an_internal_catalog(root, body):
    refused = root.call("POST", f"{TABLE}/notifications", body, expect=400)
    assert refused.error[1] == "Cannot update internal catalog via notifications"
    root.folder = f"{root.folder}-e"
    root.catalog("e", kind="EXTERNAL")
    answer = root.call("POST", f"{ICEBERG}/e/namespaces/a/tables/t/notifications", body, expect=400)
    assert answer.error[1].startswith("The request body is invalid at ")


def test_a_notification_without_rights(root):
    made = root.call("POST", f"{MANAGEMENT}/principals", {"name": "u"}, expect=201).body["credentials"]
    form = f"grant_type=client_credentials&client_id={made['clientId']}&client_secret={made['clientSecret']}"
    sent = {"Content-Type": "application/x-www-form-urlencoded"}
    tokens = f"{root.url}{ICEBERG}/oauth/tokens"
    token = root.http("POST", tokens, body=f"{form}&scope=PRINCIPAL_ROLE:ALL", headers=sent).json()["access_token"]
    other = {"Authorization": f"Bearer {token}"}
    root.call("POST", f"{TABLE}/notifications", {"notification-type": "CREATE"}, headers=other, expect=403)


@pytest.mark.parametrize(
    "path",
    [
        f"{TABLE}/credentials",
        TABLE,
        NAMESPACE,
        f"{ICEBERG}/config?warehouse=c",
        f"{MANAGEMENT}/catalogs/c",
        f"{OWN}/c/namespaces/a/generic-tables",
    ],
)
def test_head_is_get_without_a_body(root, path):
    for _ in range(2):  # the second answer may be a cached one
        answer = root.call("HEAD", path)
        assert (answer.status, answer.body) in ((200, None), (204, None))
        assert root.call("GET", path, expect=200).body is not None
    missing = path.replace("/c/", "/none/").replace("=c", "=none").replace("catalogs/c", "catalogs/none")
    assert root.call("HEAD", missing).status == 404


def test_a_slash_at_the_end_of_a_path(root):
    assert root.call("GET", f"{TABLE}/credentials/", expect=200).body == {"storage-credentials": []}
    assert [found["name"] for found in root.call("GET", f"{MANAGEMENT}/catalogs/", expect=200).body["catalogs"]] == [
        "c"
    ]
    made = root.call("POST", f"{OWN}/c/namespaces/a/generic-tables/", {"name": "g", "format": "delta"}, expect=200)
    assert made.body == root.call("GET", f"{OWN}/c/namespaces/a/generic-tables/g/", expect=200).body
    root.call("DELETE", f"{MANAGEMENT}/catalogs/", expect=405)
    root.call("POST", f"{TABLE}/credentials", {}, expect=405)
    root.call("GET", f"{MANAGEMENT}/catalogs//", expect=400)
