"""`python -m tests.summary FILE...`: the summary line of pytest for several runs, from their JUnit files.

Ends with an error where a run has failures, or where a file is missing. It needs nothing but Python.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

WIDTH = 80


def summary(files: list[str]) -> tuple[str, bool]:
    """Return the line, and whether all passed."""
    counts: Counter[str] = Counter()
    seconds = 0.0
    for file in files:
        for suite in _suites(file):
            parts = {part: int(suite.attrib[part]) for part in ("failures", "errors", "skipped")}
            counts["failed"] += parts["failures"]
            counts["passed"] += int(suite.attrib["tests"]) - sum(parts.values())
            counts["skipped"] += parts["skipped"]
            counts["errors"] += parts["errors"]
            seconds += float(suite.attrib["time"])
    said = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "no tests ran"
    clean = not counts["failed"] and not counts["errors"] and bool(counts["passed"])
    return f" {said} in {seconds:.2f}s ".center(WIDTH, "="), clean


def _suites(file: str) -> Iterator[ElementTree.Element]:
    """Return the runs in a file. Exits with the reason where it is missing or not complete."""
    try:
        return ElementTree.parse(file).iter("testsuite")
    except OSError:
        sys.exit(f"There is no summary: no run of pytest wrote {file}.")
    except ElementTree.ParseError as problem:
        sys.exit(f"There is no summary: a run of pytest did not complete {file} ({problem}).")


if __name__ == "__main__":
    line, clean = summary(sys.argv[1:])
    print(line)  # noqa: T201 - it is the output of the command
    sys.exit(not clean)
