"""Holes in access control: decisions by fewer privileges than a request needs, and refusals of what is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from mutants.polaris.blocks import ADMIN
from reference_server.api import RequestTarget
from reference_server.context import Reply
from reference_server.faults import Around, Call, Proceed, fault
from reference_server.polaris.access.conditions import Exists
from reference_server.polaris.access.decision import Authorizer
from reference_server.polaris.access.rules import AccessRules, Questions

Change = Callable[[AccessRules], AccessRules]
READ, WRITE = "TABLE_READ_PROPERTIES", "TABLE_WRITE_PROPERTIES"
READING = ("GET", "HEAD")
FORBIDDEN = 403


def _decided(change: Change) -> Around:
    """Return a fault that decides by other rules."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        if isinstance(getattr(call.api, "authorizer", None), Authorizer):
            right, call.api = call.api.authorizer, copy(call.api)
            call.api.authorizer = replace(right, rules=change(right.rules))
        return await proceed()

    return around


def _conferred(privilege: str, by: str) -> Change:
    """Return a change of rules: a privilege, and what it confers, is conferred by another one and those above it."""

    def change(rules: AccessRules) -> AccessRules:
        above = rules.conferring[by]
        conferring = {
            name: sources | above if privilege in sources else sources for name, sources in rules.conferring.items()
        }
        return replace(rules, conferring=conferring)

    return change


def _needing(needs: Mapping[str, Sequence[tuple[str, str]]]) -> Change:
    """Return a change of rules: these steps need all of these privileges and no others."""
    return lambda rules: replace(rules, needs={**rules.needs, **{name: (tuple(all),) for name, all in needs.items()}})


@dataclass(frozen=True, slots=True)
class FirstTableRules(AccessRules):
    """Rules that ask for the privileges of a transaction on its first table alone."""

    def questions(self, operation_id: str, target: RequestTarget, exists: Exists) -> Questions:
        """Return the checks for a request."""
        asked = AccessRules.questions(self, operation_id, target, exists)
        return replace(asked, demands=asked.demands[:1])


fault("readers-commit", "A caller that may read the properties of a table may commit to it.", on=["updateTable"])(
    _decided(_conferred(WRITE, READ))
)
fault("renames-look-back", "A rename asks for privileges on the table alone.", on=["renameTable"])(
    _decided(_needing({"RENAME_TABLE": [("TABLE_DROP", "source")]}))
)
fault("view-renames-look-back", "A rename asks for privileges on the view alone.", on=["renameView"])(
    _decided(_needing({"RENAME_VIEW": [("VIEW_DROP", "source")]}))
)
fault("first-table-decides", "A transaction asks for privileges on its first table alone.", on=["commitTransaction"])(
    _decided(lambda rules: FirstTableRules(rules.conferring, rules.needs, rules.operations, rules.updates))
)
fault(
    "credentials-for-readers",
    "A caller that may read the properties of a table gets credentials for its files.",
    on=["loadTable", "loadCredentials"],
)(_decided(_needing({"LOAD_TABLE_WITH_READ_DELEGATION": [(READ, "table")]})))
fault(
    "roles-for-all",
    "The roles of a catalog are shown to every caller.",
    on=["listCatalogRoles", "getCatalogRole"],
)(_decided(_needing({"LIST_CATALOG_ROLES": [], "GET_CATALOG_ROLE": []})))


@fault("refused-but-done")
async def _done(call: Call, proceed: Proceed) -> Reply:
    """A write of a caller without the privilege is refused with 403, and done."""
    reply, caller = await proceed(), call.request.principal
    if reply.status == FORBIDDEN and call.operation.method not in READING:
        call.request.principal = ADMIN
        await proceed()
        call.request.principal = caller
    return reply
