"""Run of a client's tests against a mock that notes all requests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lakeproof.lint.findings import Lint
from lakeproof.packages import suite_faults
from reference_server.faults import register
from reference_server.serve import IN_MEMORY, Server, ServerSettings, servable
from specs.problems import Problem
from specs.profiles import find_profile

CONTROL_VARIABLE = "LAKEPROOF_CONTROL_URL"


@dataclass(frozen=True)
class LintRun:
    """A run: its command, the exit code of that, the profiles that were served, and what was noted."""

    command: Sequence[str]
    code: int
    profiles: Sequence[str]
    lint: Lint

    def as_json(self) -> dict[str, Any]:
        """Return the run as a JSON value."""
        run = {"command": list(self.command), "code": self.code, "profiles": list(self.profiles)}
        return {**run, **self.lint.as_json()}


def variable(api: str) -> str:
    """Return the name of the environment variable with the URL of an API."""
    return f"LAKEPROOF_{api.upper()}_URL"


def run_tests(command: Sequence[str], settings: ServerSettings, output: Any = None) -> LintRun:
    """Run a command with the URLs of a new server in its environment, and return what the server noted.

    `output` receives what the command prints, None for the output of this process. Raises Problem for a command that
    cannot be started, and for settings that cannot be served.
    """
    lint = Lint()
    register(*suite_faults())
    with Server(replace(settings, journal=IN_MEMORY), lint.add) as server:
        urls = {variable(api): url for api, url in server.urls.items()}
        environ = {**os.environ, **urls, CONTROL_VARIABLE: server.control_address}
        try:
            ran = subprocess.run(command, env=environ, check=False, stdout=output, stderr=output)  # noqa: S603 - given
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            raise Problem(f"{command[0]!r} cannot be started: {reason}.", "Give a command after `--`.") from None
    profiles = [find_profile(name).name for name in settings.apis or servable()]
    return LintRun(command, ran.returncode, profiles, lint)
