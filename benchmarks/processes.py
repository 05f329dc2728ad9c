"""Resources of a session's processes: every measured server and command runs in its own session."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

PAGE, TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")


def processes(session: int) -> Iterable[tuple[int, int, int]]:
    """Yield the number, the used ticks and the pages in memory of each process of a session."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue
        if int(fields[3]) == session:
            yield int(stat.parent.name), int(fields[11]) + int(fields[12]), int(fields[21])


def processor_seconds(session: int) -> float:
    """Return the processor seconds of a session's processes, 0 on a system without /proc."""
    return sum(ticks for _, ticks, _ in processes(session)) / TICKS
