"""Commands for readers to paste: the one that repeats a run, with all its options, and those that use its results."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.values.redaction import is_secret
from conformance.values.settings import DEFAULT_REPORT, EXPECTATIONS, SETTINGS, Settings, flag, variable
from conformance.values.verdict import Result

SELECTING = ("kinds", "operation", "clause", "select")
# Settings that do not change the test of one requirement, or that a command writes separately.
LEFT_OUT = (
    "server",
    "name",
    "report",
    "expect",
    "max_time",
    "wait",
    "seed",
    "world",
    "jobs",
    "last_failed",
    "fail_fast",
    "no_shrink",
    *SELECTING,
)
KEYS_IN_URI = re.compile(r"://[^/@\s]+@")


def again(settings: Settings, command: str = "lakeproof check") -> str:
    """Return the command that tests the same server in the same way, with all its requirements.

    A secret becomes a variable of the shell, with the same name as in the curl commands of reports.
    """
    words = [command, *([shlex.quote(settings.server)] if settings.server else []), *_options(settings)]
    return " ".join(words) + _unless(DEFAULT_REPORT, settings.report, "--report")


def retest(command: str, result: Result) -> str:
    """Return the command that tests the requirement of a result alone, in the world that its finding needs."""
    world = result.evidence.world if result.evidence else ()
    return " ".join([command, f"-k {result.id}", *(f"--world {name}={value}" for name, value in world)])


def repro(requirement_id: str, settings: Mapping[str, Any]) -> str:
    """Return the command that replays the steps of a finding; `settings` are those stored in its results."""
    return f"lakeproof repro {requirement_id}" + _unless(DEFAULT_REPORT, settings.get("report"), "--results")


def prune(settings: Mapping[str, Any]) -> str:
    """Return the command that removes passing requirements from the expectations file of a run."""
    report = _unless(DEFAULT_REPORT, settings.get("report"))
    return f"lakeproof expect{report}{_unless(EXPECTATIONS, settings.get('expect'), '--file')} --prune"


def _unless(default: str, value: str | None, *option: str) -> str:
    """Return an option or an argument, "" for its default value."""
    return "" if value in (None, "", default) else "".join(f" {word}" for word in (*option, shlex.quote(str(value))))


def _options(settings: Settings) -> Iterator[str]:
    defaults = Settings()
    named = () if settings.server or settings.profile else ("api",)  # without one, the embedded server has all
    for name, option in SETTINGS.items():
        value = getattr(settings, name)
        if option.between:
            yield from (_pair(flag(name), option.between, *pair) for pair in settings.pairs(name))
        elif (value != getattr(defaults, name) or name in named) and name not in LEFT_OUT:
            yield f"{flag(name)}{_value(name, value)}"
    if settings.depth == "deep":
        yield f"--seed {settings.seed}"


def _value(name: str, value: Any) -> str:
    if value is True:
        return ""
    if is_secret(name) or KEYS_IN_URI.search(str(value)):
        return f' "${variable(name)}"'
    return " " + shlex.quote(",".join(value) if isinstance(value, tuple) else str(value))


def _pair(option: str, between: str, name: str, value: str) -> str:
    if is_secret(name):
        return f'{option} "{name}{between}${variable(name)}"'
    return f"{option} {shlex.quote(f'{name}{between}{value}')}"
