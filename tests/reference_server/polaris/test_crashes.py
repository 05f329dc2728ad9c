"""kill -9 during management writes: each is whole or absent, and nothing is left of what is gone.

`python -m tests.stress kills --api polaris` kills as often as you like.
"""

from __future__ import annotations

from tests.reference_server.polaris.crashes import PolarisCrashes

CRASHES = 3


def test_kills(tmp_path):
    crashes = PolarisCrashes(tmp_path)
    try:
        crashes.crash(CRASHES)
    finally:
        crashes.kill()
    crashes.tally.expect_none()
    assert crashes.secrets
    assert crashes.kept_secrets() == []
