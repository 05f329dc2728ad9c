"""Connections with one deadline for a whole request, however slowly the answer arrives.

The timeout of a socket restarts with every byte. Here each receive gets only the rest of the request's time.
"""

from __future__ import annotations

import socket
import ssl
import time
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection


class _Deadline:
    """A socket whose receives end with the request's time: `deadline`, on the monotonic clock, None for none."""

    deadline: float | None = None
    settimeout: Any

    def recv_into(self, *arguments: Any, **options: Any) -> int:
        """Receive like socket.recv_into. Raises TimeoutError when the time is over."""
        if self.deadline is not None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("the time of the request is over")
            self.settimeout(left)
        received: int = super().recv_into(*arguments, **options)  # type: ignore[misc]
        return received


class DeadlineSocket(_Deadline, socket.socket):
    """A plain socket with a deadline."""


class DeadlineTlsSocket(_Deadline, ssl.SSLSocket):
    """A TLS socket with a deadline."""


class _Bounded:
    """A connection whose requests take at most `seconds` from the moment of sending."""

    sock: Any
    seconds: float = 0.0

    def connect(self) -> None:
        """Connect, and start the time of the first request."""
        super().connect()  # type: ignore[misc]
        self._start()

    def request(self, *arguments: Any, **options: Any) -> None:
        """Send a request and start its time."""
        self._start()
        super().request(*arguments, **options)  # type: ignore[misc]

    def _start(self) -> None:
        if self.sock is not None:
            self.sock.deadline = time.monotonic() + self.seconds


class BoundedConnection(_Bounded, HTTPConnection):
    """A plain HTTP connection with a time limit for each request."""

    def _new_conn(self) -> socket.socket:
        return _with_deadline(super()._new_conn())


class BoundedTlsConnection(_Bounded, HTTPSConnection):
    """An HTTPS connection with a time limit for each request."""


def _with_deadline(plain: socket.socket) -> DeadlineSocket:
    timeout = plain.gettimeout()
    bounded = DeadlineSocket(plain.family, plain.type, plain.proto, fileno=plain.detach())
    bounded.settimeout(timeout)
    return bounded


def open_pool(url: str, seconds: float, tls: ssl.SSLContext | None = None) -> urllib3.HTTPConnectionPool:
    """Return a pool of connections to one host; a whole request takes at most `seconds`."""
    options: dict[str, Any] = {"maxsize": 4, "timeout": seconds, "retries": False}
    if url.startswith("https:"):
        context = tls or ssl.create_default_context()
        context.sslsocket_class = DeadlineTlsSocket
        options |= {"ssl_context": context, "assert_hostname": None if context.check_hostname else False}
    pool = urllib3.connection_from_url(url, **options)
    base = BoundedTlsConnection if url.startswith("https:") else BoundedConnection
    pool.ConnectionCls = type(base.__name__, (base,), {"seconds": seconds})
    return pool
