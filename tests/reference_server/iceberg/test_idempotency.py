"""Idempotency keys over HTTP."""

from __future__ import annotations

import threading
import time
import zlib
from functools import partial

import pytest

from lakeproof import serve
from reference_server import limits
from reference_server.iceberg.catalog import idempotency
from reference_server.iceberg.catalog.keys import idempotency_key
from tests.reference_server.iceberg.committing import STALE, metadata_files, set_property
from tests.reference_server.iceberg.conftest import SCHEMA, at_once

KEY = "0190f3a4-7b1c-7def-8abc-0123456789ab"
OTHER = "0190f3a4-7b1c-7def-8abc-0123456789ac"
HEADERS = {"Idempotency-Key": KEY}


def test_a_repeated_creation_answers_as_the_first(api):
    first = api.call("POST", "namespaces/a/tables", {"name": "t", "schema": SCHEMA}, headers=HEADERS, expect=200)
    again = api.call("POST", "namespaces/a/tables", {"name": "t", "schema": SCHEMA}, headers=HEADERS, expect=200)
    assert again.body == first.body
    assert again.headers["ETag"] == first.headers["ETag"]
    upper = {"Idempotency-Key": KEY.upper()}
    assert api.call("POST", "namespaces/a/tables", {"name": "t", "schema": SCHEMA}, headers=upper).body == first.body
    other = {"Idempotency-Key": OTHER}
    api.call("POST", "namespaces/a/tables", {"name": "t", "schema": SCHEMA}, headers=other, expect=409)


def test_a_repeated_drop_leaves_the_new_table(api):
    api.table()
    api.call("DELETE", "namespaces/a/tables/t", headers=HEADERS, expect=204)
    created = api.table().body
    api.call("DELETE", "namespaces/a/tables/t", headers=HEADERS, expect=204)
    assert api.load(expect=200).body == created


def test_refusals_are_repeated(api):
    refused = api.commit([set_property()], headers=HEADERS, expect=404)
    api.table()
    assert api.commit([set_property()], headers=HEADERS, expect=404).body == refused.body
    refused = api.commit([set_property()], [STALE], headers={"Idempotency-Key": OTHER}, expect=409)
    assert api.commit([set_property()], [STALE], headers={"Idempotency-Key": OTHER}, expect=409).body == refused.body


def test_a_key_belongs_to_one_request_of_an_operation(api):
    api.table()
    api.commit([set_property()], headers=HEADERS, expect=200)
    refused = api.commit([set_property("k", "w")], headers=HEADERS, expect=400)
    assert refused.type == "BadRequestException"
    api.commit([set_property()], path="a/tables/u", headers=HEADERS, expect=400)
    assert api.load().body["metadata"]["properties"]["k"] == "v"
    api.call("POST", "namespaces/a/properties", {"updates": {"x": "y"}}, headers=HEADERS, expect=200)


@pytest.mark.parametrize("key", ["", "x", KEY[:-1], KEY.replace("-7", "-4"), KEY.replace("-", ""), f" {KEY}x"])
def test_a_key_is_a_uuid_of_version_7(api, key):
    assert (
        api.call("DELETE", "namespaces/a", headers={"Idempotency-Key": key}, expect=400).type == "BadRequestException"
    )
    assert api.call("HEAD", "namespaces/a", headers={"Idempotency-Key": key}).status == 204


def test_requests_at_once_have_one_effect(api):
    api.table()
    answers = at_once(8, lambda: api.commit([set_property()], headers=HEADERS))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body["metadata-location"] for answer in answers}) == 1
    assert metadata_files(api) == ["00000", "00001"]
    drops = at_once(8, lambda: api.call("DELETE", "namespaces/a/tables/t", headers=HEADERS).status)
    assert drops == [204] * 8


def test_keys_end_and_are_swept(api, monkeypatch):
    api.table()
    now = 4e9
    monkeypatch.setattr(time, "time", lambda: now)
    first = api.commit([set_property()], headers=HEADERS, expect=200).body
    assert api.commit([set_property()], headers=HEADERS, expect=200).body == first
    now += idempotency.LIFETIME_SECONDS + 1
    second = api.commit([set_property()], headers=HEADERS, expect=200).body
    assert second["metadata-location"] != first["metadata-location"]


def test_large_answers_are_packed_and_unpacked_beside_other_requests(api, monkeypatch):
    api.table()
    threads = []
    for name in ("compress", "decompress"):
        packed = partial(_noted, getattr(zlib, name), threads)
        monkeypatch.setattr(zlib, name, packed)
    for _ in range(2):
        api.commit([set_property("k", "v" * 2 * limits.INLINE)], headers=HEADERS, expect=200)
    assert len(threads) == 2
    assert "lakeproof-server" not in threads


def _noted(function, threads, *args):
    threads.append(threading.current_thread().name)
    return function(*args)


def test_the_oldest_answer_makes_room(api, monkeypatch):
    api.table()
    monkeypatch.setattr(limits, "KEPT", 3000)
    keys = [f"0190f3a4-7b1c-7def-8abc-{number:012x}" for number in range(4)]
    first, *_, last = [
        api.commit([set_property(key)], headers={"Idempotency-Key": key}, expect=200).body for key in keys
    ]
    again = api.commit([set_property(keys[-1])], headers={"Idempotency-Key": keys[-1]}, expect=200).body
    assert again == last
    again = api.commit([set_property(keys[0])], headers={"Idempotency-Key": keys[0]}, expect=200).body
    assert again["metadata-location"] != first["metadata-location"]


def test_a_revision_without_keys_ignores_them(http):
    with serve("iceberg/1.6") as server:
        for status in (200, 409):
            answer = http("POST", server.url + "/v1/namespaces", json={"namespace": ["a"]}, headers=HEADERS)
            assert answer.status == status


def test_keys_survive_the_server(tmp_path, http):
    for _ in range(2):
        with serve("iceberg", storage=f"dir:{tmp_path}") as server:
            answer = http("POST", server.url + "/v1/namespaces", json={"namespace": ["a"]}, headers=HEADERS)
            assert answer.status == 200


def test_outcomes_are_kept_for_who_asked():
    kept_for = {idempotency_key("w", "k", "createTable", principal) for principal in ("", "a", "b")}
    assert len(kept_for) == 3
