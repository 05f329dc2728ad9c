"""The rules and options of docs/client-bugs.md: each changes a request that it is for, as it says."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import urllib3

from lakeproof import serve
from reference_server.answer_fields import values_at
from reference_server.rules.text import parse_rule
from specs.profiles import find_profile

PAGE = Path(__file__).parents[2] / "docs" / "client-bugs.md"
ROWS = re.findall(r"^\| \[(.+?)\].*`(.+?)` \|$", PAGE.read_text(), re.MULTILINE)
RULES = [(report, rule) for report, rule in ROWS if not rule.startswith("--")]
OPTIONS = [rule for _, rule in ROWS if rule.startswith("--")]
SCHEMA = {"type": "struct", "fields": []}
FORM = {"grant_type": "client_credentials", "client_id": "a", "client_secret": "b"}
VIEW = {
    "name": "v",
    "schema": SCHEMA | {"schema-id": 0},
    "view-version": {
        **{"version-id": 1, "timestamp-ms": 0, "schema-id": 0, "summary": {}, "default-namespace": ["a"]},
        "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}],
    },
    "properties": {},
}
BODIES = {
    "createNamespace": {"namespace": ["new"]},
    "createTable": {"name": "new", "schema": SCHEMA, "stage-create": True},
    "renameTable": {"source": {"namespace": ["a"], "name": "t"}, "destination": {"namespace": ["a"], "name": "u"}},
    "updateTable": {"requirements": [], "updates": [{"action": "set-properties", "updates": {"k": "v"}}]},
    "commitTransaction": {"table-changes": []},
}
NAMES = {"{prefix}/": "", "{table}": "t", "{view}": "v"}


LISTED = ("t", "u", "w")


@pytest.fixture(scope="module")
def server():
    with serve("iceberg") as server:
        yield server


@pytest.fixture
def tenant(server, tmp_path):
    """Return a catalog with a namespace that has a location, one below it, one beside it, tables and views."""
    with server.tenant() as tenant:
        spaces = [{"namespace": ["a"], "properties": {"location": f"file://{tmp_path}/a"}}]
        spaces += [{"namespace": ["a", "b"]}, {"namespace": ["b"]}]
        made = [post(f"{tenant.url}/v1/namespaces", body) for body in spaces]
        for name in LISTED:
            made.append(post(f"{tenant.url}/v1/namespaces/a/tables", {"name": name, "schema": SCHEMA}))
        made += [post(f"{tenant.url}/v1/namespaces/a/views", {**VIEW, "name": name}) for name in ("v", "x")]
        assert {answer.status for answer in made} == {200}
        yield tenant


def post(url, body):
    return urllib3.request("POST", url, json=body, retries=False)


def operation_of(rule):
    """Return the operation of a rule, listViews for a group that has it, or loadTable."""
    profile = find_profile("iceberg")
    group = profile.groups().get(rule.operation, ())
    chosen = "listViews" if "listViews" in group else next(iter(group), rule.operation)
    return profile.document().operations[chosen or "loadTable"]


def request(tenant, rule):
    """Send a request that a rule is for, and return its answer, None for a connection that breaks off."""
    operation = operation_of(rule)
    namespace = "a%1Fb" if rule.where.get("namespace") else "a"
    path = operation.path.replace("{namespace}", namespace)
    for name, value in NAMES.items():
        path = path.replace(name, value)
    sent: dict[str, Any] = {"json": BODIES[operation.id]} if operation.id in BODIES else {}
    if operation.id == "getToken":
        sent = {"body": urlencode(FORM), "headers": {"Content-Type": "application/x-www-form-urlencoded"}}
    try:
        return urllib3.request(operation.method, tenant.url + path, retries=False, **sent)
    except urllib3.exceptions.ProtocolError:
        return None


def committed(tenant):
    """Return whether the commit of `request` was applied."""
    table = urllib3.request("GET", f"{tenant.url}/v1/namespaces/a/tables/t", retries=False).json()
    return "k" in table["metadata"]["properties"]


def check(rule, answer, slept):
    """Check that an answer is the one that a rule promises."""
    assert (answer is None) == (rule.cut or rule.half)
    assert slept == ([rule.delay] if rule.delay else [])
    if answer is None:
        return
    assert rule.status is None or answer.status == rule.status
    assert not rule.absent or answer.status in (406, rule.status)
    assert {name: answer.headers.get(name) for name in rule.headers} == dict(rule.headers)
    head = operation_of(rule).method == "HEAD"
    assert rule.body is None or answer.data == (b"" if head else rule.body.encode())
    text = answer.data if answer.headers.get("Content-Type") == "application/json" else b""
    value = json.loads(text or "null")
    assert rule.message in str(value)
    assert [place for place in rule.lost if values_at(value, place)] == []
    assert {place: values_at(value, place) for place in rule.changed} == {
        place: [wanted] for place, wanted in rule.changed.items()
    }
    if "pageSize" in rule.given:
        (entries,) = (entries for entries in value.values() if isinstance(entries, list))
        assert len(entries) == int(rule.given["pageSize"])
        assert value["next-page-token"]


def test_the_page_has_sixty_reports():
    assert len({report for report, _ in ROWS}) == len(ROWS) >= 60


@pytest.mark.parametrize(("report", "text"), RULES, ids=[report for report, _ in RULES])
def test_a_rule_changes_a_request_that_it_is_for(tenant, monkeypatch, report, text):
    slept: list[float] = []

    async def at_once(seconds):
        slept.append(seconds)

    monkeypatch.setattr("reference_server.rules.running.asyncio.sleep", at_once)
    running = tenant.rule(text)
    rule = parse_rule(text)
    answers = [request(tenant, rule) for _ in range(rule.after + 1)]
    assert running.used == 1, report
    check(rule, answers[-1], slept)
    if rule.operation == "updateTable":
        tenant.clear_rules()
        assert committed(tenant) == (rule.applied or rule.half)


def test_expired_credentials_are_those_of_the_option(s3_warehouse):
    (option,) = {option for option in OPTIONS if option.startswith("--credential-lifetime")}
    with serve("iceberg", warehouses=(s3_warehouse,), credential_lifetime=int(option.split()[1])) as server:
        post(f"{server.url}/v1/namespaces", {"namespace": ["a"]})
        post(f"{server.url}/v1/namespaces/a/tables", {"name": "t", "schema": SCHEMA})
        asked = {"X-Iceberg-Access-Delegation": "vended-credentials"}
        table = urllib3.request("GET", f"{server.url}/v1/namespaces/a/tables/t", headers=asked, retries=False).json()
    (credential,) = table["storage-credentials"]
    assert int(credential["config"]["s3.session-token-expires-at-ms"]) <= time.time() * 1000


def test_levels_have_the_separator_of_the_preset():
    (preset,) = {option.split()[1] for option in OPTIONS if option.startswith("--like")}
    with serve("iceberg", like=preset) as server:
        for levels in (["a"], ["a", "b"]):
            assert post(f"{server.url}/v1/namespaces", {"namespace": levels}).status == 200
        shown = urllib3.request("GET", f"{server.url}/v1/namespaces/a.b", retries=False)
        config = urllib3.request("GET", f"{server.url}/v1/config", retries=False).json()
    assert (shown.status, config["overrides"]["namespace-separator"]) == (200, "%2E")


def test_every_option_of_the_page_is_applied_by_a_test():
    assert {option.split()[0] for option in OPTIONS} == {"--credential-lifetime", "--like"}
