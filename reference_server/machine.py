"""Failures of the machine: a full disk, no free descriptors, unwritable files.

Neither a bug of the server nor a fault of the request: the answer is 503 with the cause in words, and the same request
succeeds once the machine recovers. SQLite and native libraries report them in texts only.
"""

from __future__ import annotations

import errno
import os
import sqlite3

from reference_server.errors import ServiceUnavailable, shortened

FAULTS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "a file would be larger than this process may write",
    errno.EROFS: "the file system is read-only",
    errno.EIO: "the disk does not work",
    errno.EMFILE: "the server has no file descriptors left",
    errno.ENFILE: "the machine has no file descriptors left",
    errno.ENOMEM: "the machine has no memory left",
    errno.EACCES: "the server lacks the permission for a file",
    errno.EPERM: "the server lacks the permission for a file",
}
TEXTS = {os.strerror(number).lower(): words for number, words in FAULTS.items()}


def machine_fault(error: BaseException) -> ServiceUnavailable | None:
    """Return the answer for an error that the machine caused, None for any other error."""
    cause: BaseException | None = error
    seen: list[BaseException] = []
    while cause is not None and cause not in seen:  # an error may be its own cause
        words = _words(cause)
        if words is not None:
            return ServiceUnavailable(f"The server cannot do this at the moment: {words}.")
        seen.append(cause)
        cause = cause.__cause__
    return None


def _words(error: BaseException) -> str | None:
    if isinstance(error, sqlite3.OperationalError):
        return f"its storage does not work, {shortened(str(error))}"
    if isinstance(error, MemoryError):
        return FAULTS[errno.ENOMEM]
    if not isinstance(error, OSError | RuntimeError | ValueError):
        return None
    number = error.errno if isinstance(error, OSError) else None
    if number is not None:
        return FAULTS.get(number)
    text = str(error).lower()
    return next((words for said, words in TEXTS.items() if f"{said} (os error" in text), None)
