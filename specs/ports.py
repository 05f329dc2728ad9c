"""Ports: the defaults of URLs, and free ports of this machine for servers that cannot choose one themselves."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"
DEFAULT_PORTS = {"http": 80, "https": 443}  # of URLs, by scheme


def free_port() -> int:
    """Return a free port of the loopback address."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """True if a process listens on a port of the loopback address."""
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, port)) == 0
