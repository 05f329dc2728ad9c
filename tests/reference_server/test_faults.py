"""Faults: where they apply, and that they know the document that the server serves and no other."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

import reference_server
from lakeproof import serve
from reference_server import faults
from reference_server.context import Reply, Request
from reference_server.errors import InvalidInput, Unsupported
from reference_server.faults import Call, answers, apply_faults, declare, find_fault, requested_faults, timed_fault
from specs.openapi import Document
from specs.problems import Problem

DOCUMENT = Document(
    {
        "openapi": "3.1.0",
        "paths": {"/t": {"get": {"operationId": "ListTables"}, "post": {"operationId": "CreateTable", "summary": "x"}}},
    },
    "test",
)


def call(operation="ListTables"):
    return Call(DOCUMENT, Request("1", "GET", "/t", {}), DOCUMENT.operation(operation), {}, {})


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    registry = {}
    monkeypatch.setattr(faults, "FAULTS", registry)
    monkeypatch.setattr(faults, "FURTHER", [])
    return registry


def status(name, operation):
    async def proceed():
        return Reply(200)

    return asyncio.run(apply_faults([faults.FAULTS[name]], call(operation), proceed)).status


def test_further_faults_are_imported_when_an_unknown_name_is_requested(tmp_path, monkeypatch):
    code = "from reference_server.faults import answers, declare\ndeclare('teapot', 'A teapot.', answers(418, None))\n"
    (tmp_path / "further_faults_of_a_test.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    declare("known", "It is known.", answers(204, None))
    faults.register("further_faults_of_a_test")
    find_fault("known")
    assert "further_faults_of_a_test" not in sys.modules
    assert find_fault("teapot:ListTables").breaks == "A teapot."
    with pytest.raises(Problem):
        find_fault("kettle")


def test_a_request_that_a_fault_cannot_read_is_answered_without_it():
    async def around(call, _proceed):
        return Reply(500, call.path["no such"])

    declare("reads-names", "It is tripped.", around, on=["ListTables"])
    assert status("reads-names", "ListTables") == 200


def test_an_answer_that_a_fault_cannot_read_is_an_error():
    async def around(_call, proceed):
        return (await proceed())["no such"]

    declare("reads-answers", "It is tripped.", around, on=["ListTables"])
    with pytest.raises(TypeError):
        status("reads-answers", "ListTables")


def test_a_call_turns_to_operations_of_the_document_that_is_served():
    sent = call()
    sent.turn_to("CreateTable")
    assert sent.operation is DOCUMENT.operations["CreateTable"]
    with pytest.raises(Unsupported):
        sent.turn_to("DropTable")


def test_no_fault_reads_a_document_of_its_own():
    for path in Path(reference_server.__file__).parent.rglob("faults/*.py"):
        assert "specs.profiles" not in path.read_text(), path


def test_a_fault_of_two_apis_is_on_the_operations_of_both():
    declare("f", "It breaks.", answers(501, None), on=["ListTables"])
    declare("f", "It breaks.", answers(502, None), on=["CreateTable"])
    assert (status("f", "ListTables"), status("f", "CreateTable")) == (501, 502)


@pytest.mark.parametrize("turned", [False, True])
def test_what_one_api_names_the_other_does_not_touch(turned):
    faults = [(501, ["ListTables"]), (502, [])]
    for code, on in reversed(faults) if turned else faults:
        declare("f", "It breaks.", answers(code, None), on=on)
    assert (status("f", "ListTables"), status("f", "CreateTable")) == (501, 502)


@pytest.mark.parametrize(
    ("words", "on"), [("It breaks.", ["ListTables", "DropTable"]), ("It is another.", ["DropTable"])]
)
def test_a_name_that_is_used_twice_is_an_error(words, on):
    declare("f", "It breaks.", answers(501, None), on=["ListTables"])
    with pytest.raises(ValueError, match="declared twice"):
        declare("f", words, answers(502, None), on=on)


def test_two_faults_for_everything_are_an_error():
    declare("f", "It breaks.", answers(501, None))
    with pytest.raises(ValueError, match="declared twice"):
        declare("f", "It breaks.", answers(502, None))


@pytest.mark.parametrize(("profile", "again"), [("iceberg/1.6", 409), ("iceberg/2026-08", 200)])
def test_faults_of_keys_touch_what_takes_keys_where_they_are_served(profile, again, http, monkeypatch):
    monkeypatch.undo()
    with serve(profile, faults=("repetitions-without-a-key",)) as server:
        answers = [http("POST", f"{server.url}/v1/namespaces", json={"namespace": ["a"]}).status for _ in range(2)]
    assert answers == [200, again]


# Seconds


@pytest.fixture
def waits():
    def with_status(seconds):
        return answers(int(seconds), None)

    timed_fault("waits", "It waits.", 202, with_status)


def found_status(text, operation="ListTables"):
    async def proceed():
        return Reply(200)

    return asyncio.run(apply_faults([find_fault(text, [DOCUMENT])], call(operation), proceed)).status


@pytest.mark.parametrize(
    ("text", "status", "other"),
    [
        ("waits", 202, 202),
        ("waits:404", 404, 404),
        ("waits:ListTables", 202, 200),
        ("waits:ListTables:404.5", 404, 200),
    ],
)
@pytest.mark.usefixtures("waits")
def test_seconds_stand_at_the_end(text, status, other):
    assert found_status(text) == status
    assert found_status(text, "CreateTable") == other


@pytest.mark.parametrize("text", ["waits:-1", "waits:3601", "waits:1e3000", "waits:ListTables:soon", "waits:.nan"])
@pytest.mark.usefixtures("waits")
def test_seconds_that_cannot_be_are_refused(text):
    with pytest.raises(Problem, match="cannot have"):
        find_fault(text, [DOCUMENT])


@pytest.mark.usefixtures("waits")
def test_other_faults_take_no_seconds(registry):
    declare("plain", "It is plain.", answers(404, None))
    with pytest.raises(Problem, match="is not an operation here"):
        find_fault("plain:2.5", [DOCUMENT])
    with pytest.raises(InvalidInput, match="waits"):
        requested_faults("plain, waits:-1", [DOCUMENT])
