"""HTTP features that clients rely on."""

from __future__ import annotations

from conformance.common import http
from conformance.common.http import Headers, Sent
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.operations import OPERATIONS


def _update(catalog: IcebergCatalog, headers: Headers) -> Answer:
    return catalog.update_properties(catalog.home, updates={"k": "v"}, _headers=headers)


def _load(catalog: IcebergCatalog, headers: Headers) -> Answer:
    return catalog.load_table(catalog.new_table(), _headers=headers)


def _load_namespace(catalog: IcebergCatalog, headers: Headers) -> Answer:
    return catalog.load_namespace_metadata(catalog.home, _headers=headers)


test_bodies_may_come_in_chunks = http.bodies_may_come_in_chunks.declare(
    __name__, {"update_properties": Sent("updateProperties", _update)}
)
test_answers_are_encoded_for_who_asks = http.answers_are_encoded_for_who_asks.declare(
    __name__, {"load_table": Sent("loadTable", _load)}
)
test_refusals_say_how_to_authenticate = http.refusals_say_how_to_authenticate.declare(
    __name__, {"load_table": OPERATIONS["load_table"]}
)
test_retry_after_can_be_read = http.retry_after_can_be_read.declare(
    __name__, {"load_namespace": Sent("loadNamespaceMetadata", _load_namespace)}
)
