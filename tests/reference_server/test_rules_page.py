"""The rules of docs/mock-server.md: each word of its tables, and each rule in its text, does what the page says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import urllib3

from lakeproof import serve
from reference_server.answer_fields import values_at
from reference_server.rules.text import parse_rule

PAGE = (Path(__file__).parents[2] / "docs" / "mock-server.md").read_text()
RULES = PAGE.partition("\n## Rules\n")[2].partition("\n## ")[0]
BEFORE, AFTER = RULES.split("The words after the colon")
WORDS = [word for part in (BEFORE, AFTER) for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE)
         for word in re.findall(r"`([^`]+)`", row)]  # fmt: skip
WRITTEN = sorted({*re.findall(r"^(?:updateTable|any).*$", RULES, re.MULTILINE),
                  *re.findall(r"(?:--fault |server.rule\()[\'\"]([^\'\"\n]+)[\'\"]", PAGE)})  # fmt: skip
SCHEMA = {"type": "struct", "fields": []}
SPACE, TABLES, TABLE = "/v1/namespaces/a", "/v1/namespaces/a/tables", "/v1/namespaces/a/tables/events"
NONE = "/v1/namespaces/none"
SET = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"k": "v"}}]}
ADD = {"requirements": [], "updates": [{"action": "add-snapshot", "snapshot": {"snapshot-id": 1}}]}
EVERYTHING, PAGE_OF_ONE = f"{TABLES}?pageToken=", f"{TABLES}?pageSize=1&pageToken="
CREATION = {"name": "new", "schema": SCHEMA}


@pytest.fixture(scope="module")
def started():
    with serve("iceberg") as server:
        yield server


@pytest.fixture
def server(started):
    with started.tenant() as server:
        for name in ("a", "b"):
            assert ask(server, "POST /v1/namespaces", {"namespace": [name]}).status == 200
        for name in ("events", "other"):
            assert ask(server, f"POST {TABLES}", {"name": name, "schema": SCHEMA}).status == 200
        yield server


def ask(server, request, body=None, **headers):
    """Send a request, and return its answer, None for a connection that breaks off."""
    method, _, path = request.partition(" ")
    try:
        return urllib3.request(method, server.url + path, json=body, headers=headers, retries=False)
    except urllib3.exceptions.ProtocolError:
        return None


def statuses(server, request, count=1, body=None, **headers):
    answers = [ask(server, request, body, **headers) for _ in range(count)]
    return [answer.status if answer is not None else 0 for answer in answers]


def has_property(server):
    return "k" in ask(server, f"GET {TABLE}").json()["metadata"]["properties"]


LOAD, LIST, COMMIT, SHOW = f"GET {TABLE}", f"GET {TABLES}", f"POST {TABLE}", f"GET {SPACE}"
# word of the page: a rule with it, and what shows that it does what the page says
ASKED: dict[str, tuple[str, list[tuple[str, Any, int]]]] = {
    "updateTable": ("updateTable: 503", [(COMMIT, SET, 503), (LOAD, None, 200)]),
    "views": ("views: 503", [(f"GET {SPACE}/views", None, 503), (LIST, None, 200)]),
    "any": ("any: 503", [("GET /v1/config", None, 503), (LOAD, None, 503)]),
    "table=events": ("loadTable table=ev*s: 503", [(LOAD, None, 503), (f"GET {TABLES}/other", None, 200)]),
    "namespace=a.b": ("loadNamespaceMetadata namespace=?: 503", [(SHOW, None, 503), (f"GET {NONE}", None, 404)]),
    "query.pageToken": ("listTables query.pageToken: 503", [(f"GET {EVERYTHING}", None, 503), (LIST, None, 200)]),
    "body.updates.*.action=add-snapshot": (
        "updateTable body.updates.*.action=add-snapshot: 503", [(COMMIT, ADD, 503), (COMMIT, SET, 200)],
    ),
    "!body.location": (
        "createTable !body.location: 503",
        [(f"POST {TABLES}", CREATION, 503), (f"POST {TABLES}", {**CREATION, "location": "file:///no"}, 400)],
    ),
    "503": ("loadTable: 503", [(LOAD, None, 503)]),
    "404 NoSuchViewException": ("loadTable: 404 NoSuchViewException", [(LOAD, None, 404)]),
    "200": ("listTables: 200", [(f"GET {NONE}/tables", None, 200), (LIST, None, 200)]),
    "cut": ("updateTable: cut x1", [(COMMIT, SET, 0), (LOAD, None, 200)]),
    "half": ("loadTable: half x1", [(LOAD, None, 0), (LOAD, None, 200)]),
    "absent": ("listTables: absent", [(LIST, None, 406)]),
    "x2": ("loadTable: 503 x2", [(LOAD, None, 503), (LOAD, None, 503), (LOAD, None, 200)]),
    "after 3": ("loadTable: 503 after 3", [*[(LOAD, None, 200)] * 3, (LOAD, None, 503)]),
    "every 5": ("loadTable: 503 every 5", [*[(LOAD, None, 200)] * 4, (LOAD, None, 503)]),
    "commit-conflict": ("updateTable: commit-conflict", [(COMMIT, SET, 409)]),
    "slow:2": ("slow:0", [(LOAD, None, 200)]),
    "delay 0.5": ("loadTable: delay 0.01", [(LOAD, None, 200)]),
}  # fmt: skip
# word of the page: a rule with it, a request, a part of its answer and the value there
SHOWN: dict[str, tuple[str, str, str, Any]] = {
    "504 applied": ("updateTable: 504 applied x1", COMMIT, "status", 504),
    "cut applied": ("updateTable: cut applied x1", COMMIT, "status", 0),
    "lost config,metadata.location": ("loadTable: lost config,metadata.location", LOAD, "metadata.location", None),
    "body.metadata.format-version=3": ("loadTable: body.metadata.format-version=3", LOAD, "metadata.format-version", 3),
    'body.config={"k":"v"}': ('loadTable: body.config={"k":"v"}', LOAD, "config", {"k": "v"}),
    "body='<html>'": ("loadTable: 502 body='<html>'", LOAD, "data", b"<html>"),
    "header.Retry-After=1": ("loadTable: 503 header.Retry-After=1", LOAD, "header.Retry-After", "1"),
    "message=Busy": ("loadTable: 503 message=Busy", LOAD, "error.message", "Busy"),
    "400 body.error.type=Other": ("loadTable: 400 body.error.type=Other", LOAD, "error.type", "Other"),
    "ignored pageSize": ("listTables: ignored pageSize", f"GET {PAGE_OF_ONE}", "identifiers.1.name", "other"),
    "given pageSize=1": ("listTables: given pageToken= given pageSize=1", LIST, "identifiers.1.name", None),
}


def part(answer, place):
    """Return a part of an answer: its status, its data, a header, or the value at a path of its JSON."""
    if place == "status":
        return answer.status if answer is not None else 0
    if place == "data":
        return answer.data
    if place.startswith("header."):
        return answer.headers[place.partition(".")[2]]
    return next(iter(values_at(answer.json(), place)), None)


ELSEWHERE = {
    "header.If-None-Match=*": "test_a_header_selects_requests",
    "stale": "test_a_stale_answer_is_the_one_before",
    "body.next-page-token=x": "test_a_token_of_a_rule_repeats_the_page",
}


def test_every_word_of_the_page_is_applied_by_a_test():
    assert set(WORDS) == {*ASKED, *SHOWN, *ELSEWHERE}


@pytest.mark.parametrize("word", ASKED)
def test_a_word_selects_requests_and_turns(server, word):
    rule, asked = ASKED[word]
    running = server.rule(rule)
    for request, body, status in asked:
        assert statuses(server, request, body=body) == [status], (rule, request)
    assert running.used


@pytest.mark.parametrize("word", SHOWN)
def test_a_word_changes_the_answer(server, word):
    rule, request, place, value = SHOWN[word]
    running = server.rule(rule)
    assert part(ask(server, request, SET if request == COMMIT else None), place) == value
    assert running.used == 1
    assert request != COMMIT or has_property(server)


def test_a_header_selects_requests(server):
    server.rule("loadTable header.If-None-Match=*: 503")
    assert statuses(server, LOAD) == [200]
    assert statuses(server, LOAD, **{"If-None-Match": '"x"'}) == [503]


def test_a_stale_answer_is_the_one_before(server):
    server.rule("loadTable: stale")
    before = ask(server, LOAD).json()
    assert statuses(server, COMMIT, body=SET) == [200]
    assert ask(server, LOAD).json() == before


def test_a_token_of_a_rule_repeats_the_page(server):
    server.rule("listTables: body.next-page-token=x")
    pages = [ask(server, f"GET {TABLES}{query}").json() for query in ("", "?pageToken=x", "?pageToken=x")]
    assert pages == [pages[0]] * 3


@pytest.mark.parametrize("text", WRITTEN)
def test_a_rule_in_the_text_is_accepted(text):
    api = "lance" if ":CreateTable" in text else "iceberg"
    with serve(api, rules=(text,)) as server:
        (rule,) = server.rules()
        assert parse_rule(rule.text, [parse_rule(text).operation]) == parse_rule(text, [parse_rule(text).operation])
