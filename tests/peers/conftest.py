"""The peers are no part of the wheel: they are found in the checkout, after everything that is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from specs.problems import Problem

ROOT = Path(__file__).parent.parent.parent
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))


@pytest.fixture(scope="session")
def java_here():
    """A Java that runs Iceberg's kit, and the jars of it."""
    from peers.iceberg_java import jars  # noqa: PLC0415 - found only after the path was extended
    from spark_tests.java import find_java  # noqa: PLC0415

    try:
        find_java("jdk.net")
        return jars.resolve()
    except Problem as problem:
        pytest.skip(f"Iceberg's Java kit cannot run here: {problem.message}")
