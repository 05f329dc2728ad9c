"""What the processes of a session have taken: every server and every command that is measured has a session."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

PAGE, TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")


def processes(session: int) -> Iterable[tuple[int, int, int]]:
    """Yield of every process of a session its number, the ticks it has used and the pages it has in memory."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == session:
            yield int(stat.parent.name), int(fields[11]) + int(fields[12]), int(fields[21])


def processor_seconds(session: int) -> float:
    """Return what the processes of a session have used of all processors, 0 where there is no /proc."""
    return sum(ticks for _, ticks, _ in processes(session)) / TICKS
