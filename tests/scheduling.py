"""Scheduler of xdist: one worker runs the tests of a file, or those of a file and an API."""

from __future__ import annotations

import re

from xdist.scheduler import LoadScopeScheduling

from specs.apis import apis

# They read all sources, which a process parses once.
READERS = ("tests/test_architecture.py", "tests/test_english.py", "tests/test_generic_code.py")
WORDS = re.compile(r"[^\W_]+")


class ByFileAndApi(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Servers, runs and Spark sessions of a module are made for one API after another: each API is a unit of work."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


def unit_of(nodeid: str) -> str:
    """Return the unit of work of a test: its file, and the API that its parameters name first. Readers share one."""
    name, _, parameters = nodeid.partition("[")
    api = next((word for word in WORDS.findall(parameters) if word in apis()), "")
    file = name.partition("::")[0]
    return READERS[0] if file in READERS else f"{file} {api}".rstrip()
