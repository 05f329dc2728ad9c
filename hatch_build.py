"""Build hook: writes the stubs of the operations into the package, for wheels and for editable installs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubHook(BuildHookInterface[Any]):
    """The stubs follow from the documents and from the clients of the APIs, so the clients are imported."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stubs before files are collected. Raises CalledProcessError when that fails."""
        subprocess.run([sys.executable, "-m", "conformance.http.operation_stub"], cwd=self.root, check=True)
