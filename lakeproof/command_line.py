"""The command line of a run as reports show it: without secrets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Sequence

KEYS_IN_URI = re.compile(r"://[^/@\s]+@")
REDACTED = "<redacted>"


def without_secrets(words: Sequence[str], secret_options: Collection[str]) -> str:
    """Return a command line in which the values of the secret options, and keys in URIs, are replaced."""
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
