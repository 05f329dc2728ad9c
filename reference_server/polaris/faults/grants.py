"""Wrong decisions about access, and tokens without the requested roles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from reference_server.auth import Principal
from reference_server.context import Reply
from reference_server.errors import PermissionDenied
from reference_server.faults import Around, Call, Proceed, fault, refuses
from reference_server.polaris.access.decision import SELF, Authorizer
from reference_server.polaris.access.rules import RequiredPrivilege, privileges
from reference_server.polaris.entities.access_tokens import ALL, SCOPE_PREFIX
from reference_server.polaris.faults.blocks import TOKEN, edited, without_roles
from reference_server.polaris.securables import ROOT, Securable

CATALOG_ACCESS, SERVICE_ACCESS = "CATALOG_MANAGE_ACCESS", "SERVICE_MANAGE_ACCESS"
MANAGING = frozenset({SELF, CATALOG_ACCESS, SERVICE_ACCESS})


def form_becomes(edit: Callable[[dict[str, str]], dict[str, str]]) -> Around:
    """Do what the form in a request would ask for after `edit`."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        call.request = call.request.altered(body=edited(call.request.body, edit))
        return await proceed()

    return around


@dataclass(frozen=True)
class MisjudgingAuthorizer(Authorizer):
    """A decision that takes every principal to hold one privilege, or requires one privilege in addition.

    A principal that manages access does not need the additional privilege, or nobody could grant it; but whoever
    manages access to a catalog may need to manage access to the service.
    """

    ignored: str = ""
    wanted: str = ""

    def held(self, principal: Principal, securable: Securable) -> frozenset[str]:
        """Return the privileges held as the fault has them."""
        return super().held(principal, securable) | {self.ignored}

    def needed(self, needs: Sequence[RequiredPrivilege]) -> Iterator[RequiredPrivilege]:
        """Return the privileges needed as the fault has them."""
        yield from needs
        for need in needs if self.wanted else ():
            if self.wanted == SERVICE_ACCESS and need.privilege == CATALOG_ACCESS:
                yield RequiredPrivilege(self.wanted, ROOT)
            elif self.wanted != SERVICE_ACCESS and need.privilege not in MANAGING:
                yield RequiredPrivilege(self.wanted, need.securable)


def _misjudged(*, ignored: str = "", wanted: str = "") -> Around:
    """Return a fault that replaces the authorizer of the API for one request."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        if isinstance(getattr(call.api, "authorizer", None), Authorizer):
            right, call.api = call.api.authorizer, copy(call.api)
            call.api.authorizer = MisjudgingAuthorizer(right.rules, right.state, ignored, wanted)
        return await proceed()

    return around


for _privilege in sorted({SELF, *privileges()}):
    fault(f"privilege-ignored:{_privilege}", f"{_privilege} is not asked for: every caller is taken to have it.")(
        _misjudged(ignored=_privilege)
    )
for _privilege in sorted(privileges()):
    fault(f"privilege-wanted:{_privilege}", f"{_privilege} is asked for where something else is enough.")(
        _misjudged(wanted=_privilege)
    )


fault("configuration-refused", "Nobody may read the configuration of a catalog.", on=["getConfig"])(
    refuses(PermissionDenied("The configuration is not yours."))
)
fault("own-secret-refused", "Nobody may rotate a secret.", on=["rotateCredentials"])(
    refuses(PermissionDenied("The secret is not yours."))
)


def _for_all(form: dict[str, str]) -> dict[str, str]:
    wanted = form.get("scope", "").startswith(SCOPE_PREFIX)
    return {**form, "scope": SCOPE_PREFIX + ALL} if wanted else form


fault("scope-unheeded", "Every token is for all roles of the principal, whatever its scope is.", on=TOKEN)(
    form_becomes(_for_all)
)
fault("exchange-loses-roles", "A token that is got in exchange for another one has no roles.", on=TOKEN)(
    form_becomes(lambda form: without_roles(form) if "subject_token" in form else form)
)
