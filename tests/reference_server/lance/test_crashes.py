"""kill -9 at random moments: after a restart every batch is whole or absent, no table is half there, and no folder is
left without a table.

`python -m tests.stress kills --api lance` kills as often as you like.
"""

from __future__ import annotations

from tests.reference_server.lance.crashes import LanceCrashes

CRASHES = 4


def test_kills(tmp_path):
    crashes = LanceCrashes(tmp_path, seed=4711)
    try:
        crashes.crash(CRASHES)
        for name in ("t", "ns%24t"):
            crashes.create(name)
        assert crashes.read_with_pylance() == 2
    finally:
        crashes.kill()
    crashes.tally.expect_none()
