"""The command that repeats a run: with all its options, and with variables for secrets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from conformance.redaction import is_secret
from conformance.settings import ENV_PREFIX, Settings

SELECTING = ("kinds", "operations", "clauses", "select")
# What does not change how one requirement is judged, or is told otherwise.
LEFT_OUT = (
    "server",
    "name",
    "report",
    "expect",
    "max_time",
    "wait",
    "seed",
    "jobs",
    "last_failed",
    "fail_fast",
    "no_shrink",
    *SELECTING,
)
PAIRS = {"headers": ("--header", ": "), "storage_options": ("--storage-option", "=")}
KEYS_IN_URI = re.compile(r"://[^/@\s]+@")


def again(settings: Settings, command: str = "lakeproof check") -> str:
    """Return the command that judges the same server in the same way, all of its requirements.

    A secret is a variable of the shell, with the name that curl commands in reports have for it.
    """
    words = [command, *([shlex.quote(settings.server)] if settings.server else []), *_options(settings)]
    return " ".join(words)


def variable(name: str) -> str:
    """Return the name of the variable for a secret header or setting."""
    return ENV_PREFIX + re.sub(r"\W", "_", name).upper()


def _options(settings: Settings) -> Iterator[str]:
    defaults = Settings()
    for setting in fields(Settings):
        value = getattr(settings, setting.name)
        if setting.name in PAIRS:
            pairs = settings.header_pairs() if setting.name == "headers" else settings.storage_pairs()
            yield from (_pair(*PAIRS[setting.name], name, text) for name, text in pairs)
        elif value != getattr(defaults, setting.name) and setting.name not in LEFT_OUT:
            yield f"--{setting.name.replace('_', '-')}{_value(setting.name, value)}"
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
