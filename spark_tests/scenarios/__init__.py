"""Scenarios: requirements on a catalog that Spark tests with the real connectors."""

from __future__ import annotations

from pathlib import Path

from conformance.mutants.noticed import FILE

SUITE = "spark"
PACKAGE = __name__


def noticed_scenarios_file(api: str) -> Path:
    """Return the file with the faults that the scenarios of an API notice."""
    return Path(__file__).parent / api / FILE
