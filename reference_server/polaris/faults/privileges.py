"""How decisions about access go wrong: for each privilege, it is not asked for, or asked for everywhere."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.faults import Around, Call, Proceed, fault
from reference_server.polaris.access.decision import MISJUDGED, SELF, Misjudgement
from reference_server.polaris.access.rules import privileges


def _misjudged(misjudgement: Misjudgement) -> Around:
    """Let a request be decided on wrongly."""

    async def around(_call: Call, proceed: Proceed) -> Reply:
        token = MISJUDGED.set(misjudgement)
        try:
            return await proceed()
        finally:
            MISJUDGED.reset(token)

    return around


for _privilege in sorted({SELF, *privileges()}):
    fault(f"privilege-ignored:{_privilege}", f"{_privilege} is not asked for: every caller is taken to have it.")(
        _misjudged(Misjudgement(held=frozenset({_privilege})))
    )
for _privilege in sorted(privileges()):
    fault(f"privilege-wanted:{_privilege}", f"{_privilege} is asked for where something else is enough.")(
        _misjudged(Misjudgement(wanted=frozenset({_privilege})))
    )
