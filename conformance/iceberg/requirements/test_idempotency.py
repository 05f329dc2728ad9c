"""Idempotency keys, on servers that advertise their lifetime; other servers ignore the header."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st

from conformance.author.checks import at_most, equal
from conformance.author.racing import Racer, race
from conformance.author.requirement import given, must, should
from conformance.author.suite import Suite
from conformance.http.answers import Answer
from conformance.iceberg.catalog import KEY_LIFETIME, IcebergCatalog, Names
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.assertions import same_metadata
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.idempotency import HEADER, MUTATIONS, Mutation, new_key
from conformance.iceberg.support.metadata import previous_files, properties_of
from conformance.iceberg.support.updates import set_properties
from conformance.values.outcomes import Unoffered

CLIENTS = 6


# Mutations that a server rejects when they are repeated without a key.
ONCE = {
    name: mutation for name, mutation in MUTATIONS.items() if name.startswith(("create", "drop", "rename", "register"))
}


# Requirements that a second creation is rejected: where they fail, a repeated creation proves nothing about keys.
SECONDS = {
    "createNamespace": "iceberg.namespace.create.conflict",
    "createTable": "iceberg.refusal.create_table.taken",
    "createView": "iceberg.refusal.create_view.taken",
}


def _refusal_of_second(mutation: Mutation) -> list[str]:
    return [SECONDS[mutation.id]] if mutation.id in SECONDS else []


def _equivalent(catalog: IcebergCatalog, second: Answer, first: Answer) -> None:
    """Check that two answers are equal, or their metadata if they have some: credentials and config may differ."""
    actual, expected = (answer.json if answer.body else None for answer in (second, first))
    if isinstance(actual, dict) and "metadata" in actual:
        same_metadata(catalog, second["metadata"], first["metadata"], "the metadata in the second answer")
    else:
        equal(actual, expected, "the body of the second answer")


@must("iceberg.key.replay.{}", clause="idempotency-replay", each=MUTATIONS)
def test_key_is_repeated(catalog: IcebergCatalog, case: Mutation) -> None:
    """Repeating {} with the same Idempotency-Key returns an equivalent response and has no further effect."""
    catalog.require_keys()
    send, headers = case.prepare(catalog), {HEADER: new_key()}
    first, before = send(_headers=headers), case.look(catalog)
    second = send(_headers=headers)
    equal(second.status, first.status, "the status of the second answer")
    _equivalent(catalog, second, first)
    equal(case.look(catalog), before, "the metadata after the second request")


@must("iceberg.key.errors", operations=["createTable"], clause="idempotency-errors", kind="error")
def test_refusal_is_repeated(catalog: IcebergCatalog) -> None:
    """createTable repeated with the Idempotency-Key of a 409 returns 409 again, even if it would succeed now."""
    catalog.require_keys()
    id, headers = catalog.new_table(), {HEADER: new_key()}
    catalog.create_table(id, schema=SCHEMA, _headers=headers, expect=409)
    catalog.drop_table(id)
    catalog.create_table(id, schema=SCHEMA, _headers=headers, expect=409)
    catalog.create_table(id, schema=SCHEMA, _headers={HEADER: new_key()})


@must("iceberg.key.one_effect", operations=["updateTable"], clause="idempotency-replay")
def test_commit_is_applied_once(catalog: IcebergCatalog) -> None:
    """updateTable repeated with the same Idempotency-Key is applied once, even after other commits."""
    catalog.require_keys()
    id, headers = catalog.new_table(), {HEADER: new_key()}
    with catalog.client.preparing():
        earlier = len(previous_files(catalog.metadata(id)))
    catalog.update_table(id, [set_properties(n="1")], _headers=headers)
    catalog.update_table(id, [set_properties(n="2")])
    catalog.update_table(id, [set_properties(n="1")], _headers=headers)
    metadata = catalog.metadata(id)
    equal(properties_of(metadata).get("n"), "2", "the property n, which the last commit set")
    at_most(len(previous_files(metadata)), earlier + 2, "the number of files in the metadata-log after two commits")


@should("iceberg.key.format", operations=["createTable"], clause="idempotency-format", kind="error")
@given(
    key=st.sampled_from(["again", "123", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "zzzzzzzz-79b0-7cc3-98c4-dc0c0c07398f"])
)
def test_key_that_is_no_uuid(catalog: IcebergCatalog, key: str) -> None:
    """createTable with an Idempotency-Key that is not a UUID returns 400 and creates nothing."""
    catalog.require_keys()
    id = catalog.table_id()
    catalog.create_table(id, schema=SCHEMA, _headers={HEADER: key}, expect=400)
    catalog.load_table(id, expect=404)


@must("iceberg.key.other_operation", operations=["createTable", "createNamespace"], clause="idempotency-unique")
def test_key_of_another_operation(catalog: IcebergCatalog) -> None:
    """A used Idempotency-Key on another operation returns 400, 409 or 422, or the operation is executed."""
    catalog.require_keys()
    headers = {HEADER: new_key()}
    catalog.create_table(catalog.table_id(), schema=SCHEMA, _headers=headers)
    id = catalog.namespace_id("other")
    done = catalog.create_namespace(id, _headers=headers, expect=(200, 400, 409, 422)).succeeded
    catalog.namespace_exists(id, expect=204 if done else 404)


@must(
    "iceberg.key.optional.{}",
    clause="idempotency-optional",
    kind="error",
    each=ONCE,
    needs=_refusal_of_second,
)
def test_without_a_key_nothing_is_repeated(catalog: IcebergCatalog, case: Mutation) -> None:
    """Repeating {} without an Idempotency-Key returns 400, 404 or 409."""
    send = case.prepare(catalog)
    send()
    send(expect=(400, 404, 409))


@should("iceberg.key.unsupported", operations=["createTable"], clause="idempotency-unsupported")
def test_server_without_keys(catalog: IcebergCatalog) -> None:
    """A server that advertises no idempotency keys executes every request, also with a repeated Idempotency-Key."""
    catalog.revision.require_operation("getConfig")  # the configuration advertises keys
    if catalog.target.capabilities.get(KEY_LIFETIME):
        raise Unoffered("this is for servers without idempotency keys")
    headers = {HEADER: new_key()}
    catalog.create_table(catalog.table_id("a"), schema=SCHEMA, _headers=headers)
    catalog.create_table(catalog.table_id("b"), schema=SCHEMA, _headers=headers)
    catalog.load_table(catalog.table_id("b"))


@must("iceberg.key.race", operations=["updateTable"], clause="idempotency-race", kind="race")
def test_key_at_once(suite: Suite, catalog: IcebergCatalog) -> None:
    """When several clients send one commit with one Idempotency-Key concurrently, it is applied once."""
    catalog.require_keys()
    id, headers = catalog.new_table(), {HEADER: new_key()}
    race(suite, [partial(_commit, catalog.separator, id, headers)] * CLIENTS)
    metadata = catalog.metadata(id)
    equal(properties_of(metadata).get("n"), "1", f"the property n, which {CLIENTS} clients set with one key")
    at_most(len(previous_files(metadata)), 1, "the number of files in the metadata-log after one commit")


def _commit(separator: str, id: Names, headers: dict[str, str], racer: Racer) -> None:
    client = IcebergClient(racer.client, separator)
    racer.do("commit", id, lambda: client.update_table(id, [set_properties(n="1")], _headers=headers, expect=None))
