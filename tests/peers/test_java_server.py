"""Servers in Java: how they are started."""

from __future__ import annotations

import socket

import pytest

from peers.java_server import JavaServer
from specs.ports import LOOPBACK
from specs.problems import Problem


def test_what_listens_on_the_port_already_is_not_taken_for_the_server():
    with socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]
        server = JavaServer("It", ["true"], port, "/", 200)
        with pytest.raises(Problem, match=f"Another process listens on port {port}"), server.running():
            pass
