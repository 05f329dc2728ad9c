"""Loading of results of this kit and of older ones."""

from __future__ import annotations

from pathlib import Path

from conformance.after.causes import with_causes
from conformance.replay.older import adapted_results
from conformance.values.results import Results, load_results


def read_results(path: Path) -> Results:
    """Read a results file, compressed or not, or the one in a folder. Raises Problem for any other file."""
    return with_causes(adapted_results(load_results(path)))
