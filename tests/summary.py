"""`python -m tests.summary FILE...`: the summary line of pytest for several runs, from their JUnit files.

Ends with an error where a run has failures, or where a file is missing. It needs nothing but Python.
"""

from __future__ import annotations

import sys
from collections import Counter
from xml.etree import ElementTree

WIDTH = 80


def summary(files: list[str]) -> tuple[str, bool]:
    """Return the line, and whether all passed."""
    counts: Counter[str] = Counter()
    seconds = 0.0
    for file in files:
        for suite in ElementTree.parse(file).iter("testsuite"):
            parts = {part: int(suite.attrib[part]) for part in ("failures", "errors", "skipped")}
            counts["failed"] += parts["failures"]
            counts["passed"] += int(suite.attrib["tests"]) - sum(parts.values())
            counts["skipped"] += parts["skipped"]
            counts["errors"] += parts["errors"]
            seconds += float(suite.attrib["time"])
    said = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "no tests ran"
    clean = not counts["failed"] and not counts["errors"] and bool(counts["passed"])
    return f" {said} in {seconds:.2f}s ".center(WIDTH, "="), clean


if __name__ == "__main__":
    line, clean = summary(sys.argv[1:])
    print(line)  # noqa: T201 - it is the output of the command
    sys.exit(not clean)
