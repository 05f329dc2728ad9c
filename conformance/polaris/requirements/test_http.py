"""HTTP features that clients of Polaris rely on."""

from __future__ import annotations

from conformance.common import http
from conformance.common.http import Headers, Sent
from conformance.http.answers import Answer
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import PRINCIPAL_ROLE
from conformance.polaris.operations import OPERATIONS


def _create(catalog: PolarisCatalog, headers: Headers) -> Answer:
    id = catalog.id(PRINCIPAL_ROLE)
    catalog.sandbox.note(PRINCIPAL_ROLE.id, [id])
    body = PRINCIPAL_ROLE.wrapped(catalog.value(PRINCIPAL_ROLE, id))
    return catalog.send(PRINCIPAL_ROLE.create, PRINCIPAL_ROLE.place(id[:-1]), body, headers=headers)


def _get(catalog: PolarisCatalog, headers: Headers) -> Answer:
    return catalog.send(PRINCIPAL_ROLE.get, PRINCIPAL_ROLE.place(catalog.new(PRINCIPAL_ROLE)), headers=headers)


def _list(catalog: PolarisCatalog, headers: Headers) -> Answer:
    return catalog.send(PRINCIPAL_ROLE.list, {}, headers=headers)


test_bodies_may_come_in_chunks = http.bodies_may_come_in_chunks.declare(
    __name__, {"create_principal_role": Sent(PRINCIPAL_ROLE.create, _create)}
)
test_answers_are_encoded_for_who_asks = http.answers_are_encoded_for_who_asks.declare(
    __name__, {"get_principal_role": Sent(PRINCIPAL_ROLE.get, _get)}
)
test_refusals_say_how_to_authenticate = http.refusals_say_how_to_authenticate.declare(
    __name__, {"get_principal_role": OPERATIONS["get_principal_role"]}
)
test_retry_after_can_be_read = http.retry_after_can_be_read.declare(
    __name__, {"list_principal_roles": Sent(PRINCIPAL_ROLE.list, _list)}
)
