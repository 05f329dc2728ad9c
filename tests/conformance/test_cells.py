"""Coverage by cells: what is noted of exchanges, and how gaps and their reasons are counted."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from conformance.after import cell_coverage as coverage
from conformance.after.cell_coverage import (
    Allowance,
    CellCoverage,
    Excuse,
    GapGroup,
    allowance,
    gap_groups,
    held_line,
)
from conformance.after.reading import read_results
from conformance.values.cells import BIG_BODY, CellLog, Levels, declared_cells
from conformance.values.declared_fields import field_tree
from conformance.values.exchange import Exchange
from conformance.values.json_values import watched
from specs.apis import apis
from specs.openapi import Document
from specs.problems import Problem
from specs.profiles import profiles

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "below": {"type": "array", "items": {}}},
}
TREE["properties"]["below"]["items"] = {"$ref": "#/components/schemas/Tree"}
MAKE = {
    "operationId": "MakeIt",
    "parameters": [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1}},
        {"name": "Key", "in": "header", "schema": {"type": "string"}},
    ],
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "mode": {"type": "string", "enum": ["a", "b"]},
                        "sizes": {"type": "array", "items": {"type": "integer"}},
                        "tree": {"$ref": "#/components/schemas/Tree"},
                        "sure": {"type": "boolean"},
                        "ratio": {"type": "number"},
                    },
                }
            }
        }
    },
    "responses": {"200": {"description": "", "content": {"application/json": {"schema": TREE}}}},
}
DOCUMENT = Document({"paths": {"/v1/{id}/make": {"post": MAKE}}, "components": {"schemas": {"Tree": TREE}}}, "here")
LEVELS = (Levels("id", r"\$", (1, 2)),)


def log_of(*exchanges):
    log = CellLog(DOCUMENT, LEVELS)
    for exchange in exchanges:
        log.note(exchange)
    return log


def sent(body=None, path="/base/v1/a%24b/make", query="", answer=None, operation="MakeIt", method="POST", **headers):
    return Exchange(
        operation,
        method,
        f"http://h{path}?{query}",
        headers,
        body if isinstance(body, bytes) else orjson.dumps(body),
        status=200,
        response_body=orjson.dumps(answer),
    )


def cells(*exchanges):
    (record,) = log_of(*exchanges).records()
    return set(record.cells)


def test_schemas_that_hold_themselves_are_followed_once():
    paths = [node.path for node in field_tree(DOCUMENT, {"$ref": "#/components/schemas/Tree"}).walk()]
    assert paths == ["/name", "/below", "/below[]"]


def test_a_document_declares_its_cells():
    declared = declared_cells(DOCUMENT, LEVELS)["MakeIt"]
    about = {kind for name, _, kind in (cell.rpartition(": ") for cell in declared) if name == "body /mode"}
    assert about == {"absent", "null", "wrong type", "= a", "= b", "unknown value"}
    assert {"query limit: 0", "query limit: 2^53+1", "query limit: 2", "header Key: absent"} <= set(declared)
    assert {"answer /below: many", "answer /below[]/name: looked at", "path id: 2 levels"} <= set(declared)
    assert "body /ratio: 2^31" not in declared


@pytest.mark.parametrize(
    ("exchange", "expected"),
    [
        (sent({"mode": "a"}), {"body /mode: = a", "body /tree: absent", "query limit: absent"}),
        (sent({"mode": "c"}), {"body /mode: unknown value"}),
        (sent({"mode": None}), {"body /mode: null"}),
        (sent({"mode": 5}), {"body /mode: wrong type"}),
        (sent({"sure": True}), {"body /sure: = true"}),
        (sent({"sizes": []}), {"body /sizes: empty"}),
        (sent({"sizes": [0]}), {"body /sizes: one", "body /sizes[]: 0"}),
        (sent({"sizes": [2**31, 2**53 + 1, 7]}), {"body /sizes: many", "body /sizes[]: 2^31", "body /sizes[]: 2^53+1"}),
        (sent({"tree": {"name": "x"}}), {"body /tree/name: value", "body /tree/below: absent"}),
        (sent(query="limit=0"), {"query limit: 0"}),
        (sent(query="limit=many"), {"query limit: wrong type"}),
        (sent(key="x"), {"header Key: value"}),
        (sent(answer={"below": [{}]}), {"answer /below: one"}),
        (sent(path="/v1/a/make"), {"path id: 1 level"}),
        (sent(b"x" * (BIG_BODY + 1)), {"body: above 2 MiB"}),
        (sent(b"{", answer=[1]), {"path id: 2 levels"}),
        (sent(operation="", method="GET"), {"path: wrong method"}),
        (sent(operation="", method="GET", path="/v1/make"), {"path: wrong method"}),
        (sent(operation="", path="/v1/a/make/more"), {"path: unknown below"}),
    ],
)
def test_an_exchange_covers_what_it_has(exchange, expected):
    assert expected <= cells(exchange)


def test_what_is_read_of_an_answer_is_looked_at():
    exchange = sent(answer={"name": "n", "below": [{"name": "m"}]})
    log = log_of(exchange)
    value = watched({"name": "n", "below": [{"name": "m"}], "more": 1}, lambda path: log.look(exchange, path))
    assert "answer /name: looked at" not in log.records()[0].cells
    assert value["name"] == "n"
    assert value["below"]
    looked = [cell for cell in log.records()[0].cells if cell.endswith("looked at")]
    assert looked == ["answer /below: looked at", "answer /name: looked at"]
    assert value["below"] == [{"name": "m"}]
    assert "answer /below[]/name: looked at" in log.records()[0].cells


def test_what_fails_is_not_looked_at():
    exchange = sent()
    exchange.status = 400
    log = log_of(exchange)
    log.look(exchange, "/name")
    assert "answer /name: looked at" not in log.records()[0].cells


def test_watched_values_are_values():
    seen = []
    value = watched({"a": {"b": [1]}}, seen.append)
    assert json.loads(json.dumps(value)) == {"a": {"b": [1]}}
    assert copy.deepcopy(value) == {"a": {"b": [1]}}
    assert value.get("c", 3) == 3
    assert ("c" in value) is False
    assert value != {"a": 1}
    assert [*value.values()] == [{"b": [1]}]
    assert {"/c", "/*"} <= set(seen)


def test_gaps_are_grouped_for_people():
    gaps = [CellCoverage(name, f"body /x: {kind}", "gap") for name in ("A", "B") for kind in ("null", "absent")]
    gaps += [CellCoverage("C", f"answer /{name}: looked at", "gap") for name in "yz"]
    groups = gap_groups([*gaps, CellCoverage("C", "body: above 2 MiB", "gap"), CellCoverage("C", "z: q", "covered")])
    assert groups == [
        GapGroup("body", ("null", "absent"), ("A", "B"), ("/x",)),
        GapGroup("body", ("above 2 MiB",), ("C",), ("",)),
        GapGroup("answer", ("looked at",), ("C",), ("/y", "/z")),
    ]
    assert [group.count for group in groups] == [4, 1, 2]


def test_an_api_is_held_to_what_it_allows(monkeypatch):
    excuses = (Excuse(("body /x: *",), "because"), Excuse(("body /y[]: *",), "because", ("A*",)))
    monkeypatch.setattr(coverage, "allowance", lambda api: Allowance(1, excuses))
    gaps = [CellCoverage("AB", f"body /y[]: {kind}", "gap") for kind in ("null", "value")]
    assert held_line(gaps[:1], "lance") == []  # /x is a field of another revision
    assert held_line([*gaps, CellCoverage("AB", "body /x: null", "covered")], "lance") == [
        "2 cells have neither a requirement nor a reason; coverage.toml allows 1.",
        "The excuse for body /x: * has no effect.",
    ]
    assert held_line([gaps[0], CellCoverage("C", "body /x: null", "excluded", "because")], "lance") == []


@pytest.mark.parametrize("api", apis())
def test_every_excuse_is_of_a_cell_that_a_revision_declares(api):
    declared = {
        (operation, cell)
        for profile in profiles().values()
        if profile.api == api
        for operation, cells in coverage.cells_of(profile).items()
        for cell in cells
    }
    excuses = allowance(api).excused
    assert [excuse for excuse in excuses if not any(excuse.covers(*entry) for entry in declared)] == []


@pytest.mark.parametrize("api", ["lance", "iceberg"])
def test_every_excuse_has_a_reason(api):
    assert [excuse for excuse in allowance(api).excused if not excuse.why.endswith(".")] == []


def test_a_file_that_says_something_else_is_a_problem(monkeypatch, tmp_path):
    (tmp_path / "coverage.toml").write_text('[[excused]]\ncells = ["*"]\n')
    monkeypatch.setattr(coverage, "place_of", lambda name: tmp_path)
    with pytest.raises(Problem, match="without a reason"):
        allowance("lance")


def test_results_of_older_kits_say_so():
    results = read_results(next((Path(__file__).parent / "causes").glob("*.gz")))
    with pytest.raises(Problem, match="older kit"):
        coverage.cell_coverage(results)
