"""Wrong applicable policies."""

from __future__ import annotations

from typing import Any

from reference_server.faults import body_becomes, fault
from reference_server.polaris.faults.blocks import APPLICABLE


def _policies(edit: Any) -> Any:
    return body_becomes(lambda body: {**body, "applicable-policies": edit(body["applicable-policies"])}, 200)


fault("policies-not-inherited", "A policy holds for nothing but what it is attached to.", on=APPLICABLE)(
    _policies(lambda policies: [policy for policy in policies if not policy["inherited"]])
)
fault("policies-own-alone", "Inherited policies are returned as attached ones.", on=APPLICABLE)(
    _policies(lambda policies: [{**policy, "inherited": False} for policy in policies])
)
