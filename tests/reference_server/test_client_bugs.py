"""The rules of docs/client-bugs.md: each one is used by a request that it is for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import urllib3

from lakeproof import serve
from lakeproof.commands.serve import serve_command
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
    "updateTable": {"requirements": [], "updates": []},
    "commitTransaction": {"table-changes": []},
}
NAMES = {"{prefix}/": "", "{table}": "t", "{view}": "v"}


@pytest.fixture(scope="module")
def server():
    with serve("iceberg", namespaces=("a", "a.b")) as server:
        yield server


@pytest.fixture
def tenant(server):
    """Return a catalog with a namespace, one below it, a table and a view."""
    with server.tenant() as tenant:
        paths = {"tables": {"name": "t", "schema": SCHEMA}, "views": VIEW}
        made = [post(f"{tenant.url}/v1/namespaces/a/{path}", body) for path, body in paths.items()]
        assert [answer.status for answer in made] == [200, 200]
        yield tenant


def post(url, body):
    return urllib3.request("POST", url, json=body, retries=False)


def request(tenant, rule):
    """Send a request of the operation of a rule, of the first one of a group, or of loadTable."""
    profile = find_profile("iceberg")
    group = sorted(profile.groups().get(rule.operation, ()))
    operation = profile.document().operations[next(iter(group), rule.operation) or "loadTable"]
    namespace = "a%1Fb" if rule.where.get("namespace") else "a"
    path = operation.path.replace("{namespace}", namespace)
    for name, value in NAMES.items():
        path = path.replace(name, value)
    sent: dict[str, Any] = {"json": BODIES[operation.id]} if operation.id in BODIES else {}
    if operation.id == "getToken":
        sent = {"body": urlencode(FORM), "headers": {"Content-Type": "application/x-www-form-urlencoded"}}
    try:
        urllib3.request(operation.method, tenant.url + path, retries=False, **sent)
    except urllib3.exceptions.ProtocolError:
        return


def test_the_page_has_sixty_reports():
    assert len({report for report, _ in ROWS}) == len(ROWS) >= 60


@pytest.mark.parametrize(("report", "text"), RULES, ids=[report for report, _ in RULES])
def test_a_rule_is_used_by_a_request_that_it_is_for(tenant, monkeypatch, report, text):
    async def at_once(_seconds):
        return

    monkeypatch.setattr("reference_server.rules.running.asyncio.sleep", at_once)
    running = tenant.rule(text)
    rule = parse_rule(text)
    for _ in range(rule.after + 1):
        request(tenant, rule)
    assert running.used == 1, report


@pytest.mark.parametrize("option", sorted(set(OPTIONS)))
def test_an_option_is_one_of_the_command(option):
    assert option.split()[0] in {flag for parameter in serve_command.params for flag in parameter.opts}
