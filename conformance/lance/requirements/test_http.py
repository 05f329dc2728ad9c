"""HTTP behaviour that clients rely on."""

from __future__ import annotations

from conformance.common import http
from conformance.common.http import Headers, Sent
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import OPERATIONS


def _describe(catalog: LanceCatalog, headers: Headers) -> Answer:
    id = catalog.home
    return catalog.send("DescribeNamespace", id, {"id": list(id)}, headers=headers)


DESCRIBED = {"describe_namespace": Sent("DescribeNamespace", _describe)}

test_bodies_may_come_in_chunks = http.bodies_may_come_in_chunks.declare(__name__, DESCRIBED)
test_answers_are_encoded_for_who_asks = http.answers_are_encoded_for_who_asks.declare(__name__, DESCRIBED)
test_refusals_say_how_to_authenticate = http.refusals_say_how_to_authenticate.declare(
    __name__, {"describe_namespace": OPERATIONS["describe_namespace"]}
)
test_retry_after_can_be_read = http.retry_after_can_be_read.declare(__name__, DESCRIBED)
