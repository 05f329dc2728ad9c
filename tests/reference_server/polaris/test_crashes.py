"""kill -9 during management writes: each is whole or absent, and nothing is left of what is gone.

The environment variable CRASHES says how often the server is killed; a few times by default.
"""

from __future__ import annotations

import os

from tests.reference_server.polaris.crashes import PolarisCrashes

CRASHES = int(os.environ.get("CRASHES", "3"))


def test_kills(tmp_path):
    crashes = PolarisCrashes(tmp_path)
    try:
        crashes.crash(CRASHES)
    finally:
        crashes.kill()
    crashes.tally.expect_none()
    assert crashes.secrets
    assert crashes.kept_secrets() == []
