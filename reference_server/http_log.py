"""Log of broken and hostile connections: at most a line for each, and none for frequent errors."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

log = logging.getLogger("lakeproof.http")
QUIET_SECONDS = 60.0
LONGEST = 200


class OneLine(logging.Filter):
    """Logs the error of a connection without its traceback: the client caused it, and the traceback is aiohttp's."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record and pass it on."""
        error = record.exc_info[1] if record.exc_info else None
        text = " ".join(record.getMessage().split())
        cause = f": {' '.join(str(error).split())}" if error else ""
        record.msg, record.args = f"{text}{cause}"[:LONGEST], ()
        record.exc_info = record.exc_text = None
        return True


class Seldom:
    """Logs failures of the machine at most once a minute: they occur with every request."""

    def __init__(self) -> None:
        self._told = -QUIET_SECONDS

    def __call__(self, text: str) -> None:
        """Log a line, unless one was logged within the last minute."""
        if time.monotonic() - self._told >= QUIET_SECONDS:
            self._told = time.monotonic()
            log.error("%.150s (further failures within %d s are not logged)", text, QUIET_SECONDS)


log_seldom = Seldom()


def handle_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Handle an error that the event loop cannot raise to a caller; see asyncio's `set_exception_handler`."""
    error = context.get("exception")
    if not isinstance(error, OSError):
        loop.default_exception_handler(context)
    elif not isinstance(error, ConnectionError):
        log_seldom(f"{context['message']}: {error}")


log.addFilter(OneLine())
