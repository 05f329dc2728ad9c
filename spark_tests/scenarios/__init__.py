"""Scenarios: what a catalog must make possible for Spark, with the real connectors."""

from __future__ import annotations

from pathlib import Path

from conformance.mutants.noticed import FILE

SUITE = "spark"
PACKAGE = __name__


def noticed_scenarios_file(api: str) -> Path:
    """Return the file that says which scenarios of an API notice which fault."""
    return Path(__file__).parent / api / FILE
