"""Constants of the mocks that are libraries of Python and answer without a connection."""

from __future__ import annotations

from benchmarks.mocks.client import TABLES

URL = "http://mock"
LOAD, ALL, TOKENS = f"{URL}{TABLES}/t", f"{URL}{TABLES}", f"{URL}/v1/oauth/tokens"
OF_LIBRARIES = {
    "isolated": "nothing: its answers are of one process, and each test has its own",
    "tls": "nothing is encrypted: no connection is made",
    "command": "it is a library",
    "language": "it is for one library of Python",
}
