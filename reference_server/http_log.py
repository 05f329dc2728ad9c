"""What broken and hostile clients leave in the log: a line at most, and none for what they send often."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

log = logging.getLogger("lakeproof.http")
QUIET_SECONDS = 60.0
LONGEST = 200


class OneLine(logging.Filter):
    """Tells the error of a connection without its traceback: it is the client's, and the traceback aiohttp's."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record, and let it pass."""
        error = record.exc_info[1] if record.exc_info else None
        text = " ".join(record.getMessage().split())
        cause = f": {' '.join(str(error).split())}" if error else ""
        record.msg, record.args = f"{text}{cause}"[:LONGEST], ()
        record.exc_info = record.exc_text = None
        return True


class Seldom:
    """Tells of failures of the machine, once a minute: they come with every request."""

    def __init__(self) -> None:
        self._told = -QUIET_SECONDS

    def __call__(self, text: str) -> None:
        """Write a line, unless there was one just before."""
        if time.monotonic() - self._told >= QUIET_SECONDS:
            self._told = time.monotonic()
            log.error("%.150s (what follows for %d s is not told)", text, QUIET_SECONDS)


log_seldom = Seldom()


def handle_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Handle what the event loop cannot tell a caller; see asyncio's `set_exception_handler`."""
    error = context.get("exception")
    if not isinstance(error, OSError):
        loop.default_exception_handler(context)
    elif not isinstance(error, ConnectionError):
        log_seldom(f"{context['message']}: {error}")


log.addFilter(OneLine())
