"""Faults that follow from the document: which there are, and what they do."""

from __future__ import annotations

import asyncio

import orjson
import pytest

from lakeproof import serve
from reference_server.answer_fields import another, edited, without
from reference_server.context import Request, json_reply
from reference_server.derived_faults import derived_faults
from reference_server.errors import Conflict
from reference_server.faults import FAULTS, Call, find_fault
from specs.apis import apis
from specs.openapi import Document
from specs.problems import Problem
from specs.profiles import find_profile

TABLE = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "kind": {"enum": ["table", "view"], "type": "string"},
        "format": {"const": "lance"},
        "columns": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}},
    },
}
DOCUMENT = Document(
    {
        "openapi": "3.1.0",
        "paths": {
            "/t/{id}": {
                "post": {
                    "operationId": "describe",
                    "parameters": [
                        {"name": "id", "in": "path", "required": True},
                        {"name": "deep", "in": "query"},
                        {"name": "X-Who", "in": "header"},
                    ],
                    "requestBody": {"content": {"application/json": {"schema": TABLE}}},
                    "responses": {
                        "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/T"}}}},
                        "404": {},
                        "409": {},
                    },
                }
            }
        },
        "components": {"schemas": {"T": TABLE}},
    },
    "test",
)
ANSWER = {"name": "a", "kind": "table", "format": "lance", "columns": [{"id": 1}, {"id": 2}]}


def call(body=b"", headers=None, target="/t/a", **state):
    request = Request("1", "POST", target, headers or {}, body)
    return Call(DOCUMENT, request, DOCUMENT.operation("describe"), {"id": "a"}, state)


async def awaited(reply):
    return await reply


def answered(name, sent=None, reply=None):
    """Return the answer to a call with a fault, and the call as it arrived."""
    sent = sent or call()

    async def proceed():
        return reply or json_reply(ANSWER)

    return asyncio.run(awaited(find_fault(name).around(sent, proceed))), sent


def body(reply):
    return orjson.loads(reply.body)


def test_every_part_of_an_operation_has_its_faults():
    assert [fault.name for fault in derived_faults(DOCUMENT)] == [
        *(f"ignored-argument:describe:{name}" for name in ("deep", "X-Who", "kind", "format", "columns")),
        *(f"lost-answer-field:describe:{name}" for name in ("name", "kind", "format", "columns", "columns.*.id")),
        *(f"changed-answer-field:describe:{name}" for name in ("name", "kind", "columns.*.id")),
        "short-list:describe:columns",
        *(f"other-{part}:describe:{status}" for part in ("status", "error") for status in (404, 409)),
        "said-only:describe",
        "first-answer:describe",
    ]


@pytest.mark.parametrize("api", apis())
def test_every_name_is_found_again_and_no_two_are_the_same(api):
    names = [fault.name for fault in derived_faults(find_profile(api).document())]
    assert len(set(names)) == len(names) > 1000
    assert [name for name in names if find_fault(name).name != name] == []
    assert not set(names) & set(FAULTS)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("lost-answer-field:describe:name", {key: ANSWER[key] for key in ANSWER if key != "name"}),
        ("lost-answer-field:describe:columns.*.id", {**ANSWER, "columns": [{}, {}]}),
        ("changed-answer-field:describe:kind", {**ANSWER, "kind": "view"}),
        ("changed-answer-field:describe:columns.*.id", {**ANSWER, "columns": [{"id": 2}, {"id": 3}]}),
        ("short-list:describe:columns", {**ANSWER, "columns": [{"id": 1}]}),
    ],
)
def test_answers_are_altered(name, changed):
    assert body(answered(name)[0]) == changed


def test_an_error_keeps_its_fields():
    reply, _ = answered("lost-answer-field:describe:name", reply=json_reply({"name": "x"}, 404))
    assert body(reply) == {"name": "x"}


def test_arguments_are_ignored_wherever_they_travel():
    _, sent = answered("ignored-argument:describe:kind", call(b'{"name": "a", "kind": "view"}'))
    assert sent.request.body == b'{"name":"a"}'
    _, sent = answered("ignored-argument:describe:deep", call(target="/t/a?deep=1&more=2"))
    assert sent.request.query == {"more": ["2"]}
    _, sent = answered("ignored-argument:describe:X-Who", call(headers={"x-who": "me", "Accept": "*/*"}))
    assert sent.request.headers == {"Accept": "*/*"}


def test_refusals_get_another_status_or_another_code():
    refusal = json_reply({"error": {"type": "NotFound", "code": 404, "message": "gone"}}, 404)
    assert answered("other-status:describe:404", reply=refusal)[0].status == 409
    refusal.status = 404
    altered = body(answered("other-error:describe:404", reply=refusal)[0])["error"]
    assert altered["message"] == "gone"
    assert altered["code"] != 404
    assert altered["type"] != "NotFound"


def test_what_is_only_said_is_not_done_and_answered_like_the_first_that_was():
    first = call()
    answered("said-only:describe", first, json_reply({"name": "a"}))
    second = call(**first.state)
    second.path = {"id": "b"}

    async def proceed():
        raise AssertionError("it was done")

    assert body(asyncio.run(awaited(find_fault("said-only:describe").around(second, proceed)))) == {"name": "b"}


def test_where_success_has_nothing_to_tell_nothing_is_done_at_all(http):
    with serve("lance", storage="memory:pure", faults=("said-only:CreateNamespace",)) as server:
        assert http("POST", f"{server.url}/v1/namespace/a/create", json={}).status == 200
        assert http("POST", f"{server.url}/v1/namespace/a/describe", json={}).status == 404


def test_what_was_done_is_refused():
    sent = call(headers={"Idempotency-Key": "k"})
    assert answered("repeat-refused:describe", sent)[0].status == 200
    with pytest.raises(Conflict):
        answered("repeat-refused:describe", sent)


def test_a_request_is_never_answered_anew():
    sent = call()
    answered("first-answer:describe", sent)
    assert body(answered("first-answer:describe", sent, json_reply({"name": "b"}))[0]) == ANSWER


@pytest.mark.parametrize(("value", "other"), [(True, False), (1, 2), ("a", "0"), ("0", "1"), ("", "0"), (None, None)])
def test_another_value_is_of_the_same_type(value, other):
    assert another(value) == other


def test_paths_lead_through_lists_and_maps():
    value = {"tags": {"x": {"version": 1}, "y": {"version": 2}}}
    assert edited(value, "tags.*.version", str) == {"tags": {"x": {"version": "1"}, "y": {"version": "2"}}}
    assert without(value, "tags.*.version") == {"tags": {"x": {}, "y": {}}}
    assert edited(3, "$", str) == "3"
    assert edited(value, "other.*.version", str) == value


def test_a_fault_of_the_document_is_served(http):
    with serve("lance", storage="memory:pure", faults=("lost-answer-field:ListNamespaces:namespaces",)) as server:
        answer = http("GET", f"{server.url}/v1/namespace/$/list")
        assert (answer.status, "namespaces" in answer.json()) == (200, False)


@pytest.mark.parametrize(
    ("namespace", "names"),
    [
        ("$", {"lost-answer-field:ListNamespaces:namespaces", "lost-answer-field:ListNamespaces:page_token"}),
        ("missing", {"other-status:ListNamespaces:404", "other-error:ListNamespaces:404"}),
    ],
)
def test_faults_that_would_change_something_are_noted(http, namespace, names):
    faults = [fault for fault in derived_faults(find_profile("lance").document()) if fault.touches("ListNamespaces")]
    with serve("lance", storage="memory:pure") as server, server.watched(faults) as watch:
        answer = http("GET", f"{server.url}/v1/namespace/{namespace}/list")
        assert (answer.status, "namespaces" in answer.json()) in ((200, True), (404, False))
        assert watch.take() == names
        assert watch.take() == set()


@pytest.mark.parametrize("name", ["lost-answer-field", "lost-answers:x:y"])
def test_an_unknown_name_gets_a_hint(name):
    with pytest.raises(Problem, match="no fault"):
        find_fault(name)


@pytest.mark.parametrize(
    ("name", "words", "hint"),
    [
        ("said-only:CreateTabel", "not an operation here", "CreateTable"),
        ("slow:CreateTabel", "not an operation here", "CreateTable"),
        ("lost-answer-field:DescribeTable:locaton", "no 'locaton' in DescribeTable", "location"),
        ("said-only:CreateTable:location", "no 'location' in CreateTable", "list-faults"),
    ],
)
def test_a_fault_of_nothing_that_is_served_gets_a_hint(name, words, hint):
    with pytest.raises(Problem, match=words) as caught:
        serve("lance", faults=(name,))
    assert hint in caught.value.hint
