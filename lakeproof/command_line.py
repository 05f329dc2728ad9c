"""Command line of a run for its reports, without secrets."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Collection, Sequence

from conformance.values.redaction import REDACTED
from conformance.values.settings import flag, secret_settings

KEYS_IN_URI = re.compile(r"://[^/@\s]+@")


def without_secrets(words: Sequence[str], secret_options: Collection[str]) -> str:
    """Return a command line with the values of secret options and the keys in URIs replaced."""
    shown = list(words)
    for position, word in enumerate(words):
        option, equals, _ = word.partition("=")
        if option not in secret_options:
            continue
        if equals:
            shown[position] = f"{option}={REDACTED}"
        elif position + 1 < len(words):
            shown[position + 1] = REDACTED
    return shlex.join(KEYS_IN_URI.sub(f"://{REDACTED}@", word) for word in shown)


def command_line() -> str:
    """Return the command line of this process, without secrets."""
    return without_secrets(["lakeproof", *sys.argv[1:]], [flag(name) for name in secret_settings()])
