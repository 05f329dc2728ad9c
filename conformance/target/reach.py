"""Check that a server listens at the URL, before the slower import of the suite."""

from __future__ import annotations

import contextlib
import socket
from urllib.parse import urlsplit

from conformance.values.settings import Settings
from specs.ports import DEFAULT_PORTS
from specs.problems import Problem

SECONDS = 1.0
NOBODY_THERE = "Check the URL, and that the server is running; --wait SECONDS waits for one that is starting."


def check_listening(settings: Settings) -> None:
    """Raise Problem when the server of these settings refuses connections, unless they allow to wait for it.

    Any other defect of the URL or the server is left to the run's first request, whose error says more.
    """
    if settings.wait:
        return
    with contextlib.suppress(ValueError):  # the URL is invalid
        split = urlsplit(settings.server)
        if split.hostname and split.scheme in DEFAULT_PORTS:
            _connect(settings.server, split.hostname, split.port or DEFAULT_PORTS[split.scheme])


def _connect(url: str, host: str, port: int) -> None:
    try:
        socket.create_connection((host, port), SECONDS).close()
    except ConnectionRefusedError as error:
        raise Problem(f"{url} cannot be reached: no connection: {error.strerror}.", NOBODY_THERE) from None
    except OSError:
        return
