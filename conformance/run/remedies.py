"""Options of a run that would test what it could not test: by its outcome, and the operation that was missing."""

from __future__ import annotations

import re

from conformance.values.outcomes import Blocked, NotInRevision, Skipped, Unoffered, violation_of
from conformance.values.settings import ANOTHER_CALLER, SETTINGS, Settings, flag
from specs.profiles import Profile

UNAUTHORIZED, FORBIDDEN = 401, 403
CREDENTIALS = "--token TOKEN"
FLAG = re.compile(r"--[a-z][a-z-]*")


def remedy_for(error: BaseException | None, settings: Settings, profile: Profile) -> str:
    """Return the option that would test a requirement with this outcome, "" where none would.

    The options that replace an operation are in `[instead]` of `api.toml`; one that the run has helps no more.
    """
    if isinstance(error, Skipped):
        return error.option
    if isinstance(error, NotInRevision):
        newest = profile.facts.revisions[-1]
        return f"--profile {profile.api}/{newest}" if profile.revision != newest else ""
    if isinstance(error, Unoffered):
        return _unused(profile.instead("unoffered").get(error.operation, ""), settings)
    return _by_refusal(error, settings, profile) if isinstance(error, Blocked) else ""


def _by_refusal(error: Blocked, settings: Settings, profile: Profile) -> str:
    """Return the options for a prerequisite that was refused; a server error has none."""
    violation = violation_of(error)
    status = str(violation.evidence.actual) if violation and violation.evidence.relation == "status" else ""
    if violation and not status.startswith("4"):
        return ""
    caller = {str(UNAUTHORIZED): _unused(CREDENTIALS, settings) or ANOTHER_CALLER, str(FORBIDDEN): ANOTHER_CALLER}
    if status == str(UNAUTHORIZED):
        return caller[status]
    ways = (_unused(profile.instead("refused").get(error.by, ""), settings), caller.get(status, ""))
    return " or ".join(filter(None, ways))


def _unused(option: str, settings: Settings) -> str:
    """Return an option unless the run has it: all its flags are set."""
    names = {flag(name): name for name in SETTINGS}
    return "" if all(getattr(settings, names[used]) for used in FLAG.findall(option)) else option
