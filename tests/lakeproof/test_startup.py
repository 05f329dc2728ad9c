"""Imports of a command before it answers: help, or a mistyped port, does not load the suite."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

SLOW = ("aiohttp", "hypothesis", "jinja2", "jsonpath_rfc9535", "msgspec", "orjson", "pyarrow", "pytest", "rich", "yaml")
CODE = """
import json, sys
from lakeproof.__main__ import main
try:
    main()
finally:
    print("\\n" + json.dumps(sorted(sys.modules)))
"""


@pytest.fixture
def closed_url():
    """A URL that refuses connections: its port is taken, and nobody listens there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def run(*arguments):
    words = [sys.executable, "-c", CODE, *arguments]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr, json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.parametrize("arguments", [("--help",), ("check", "--help")])
def test_help_imports_nothing_slow(arguments):
    code, said, imported = run(*arguments)
    assert code == 0, said
    assert [name for name in imported if name in SLOW] == []


def test_a_refused_connection_is_told_before_the_suite_is_imported(closed_url):
    code, complaint, imported = run("check", closed_url)
    assert (code, "cannot be reached: no connection: Connection refused." in complaint) == (4, True)
    assert [name for name in imported if name in SLOW] == []


def test_who_waits_for_a_server_is_not_told_at_once(closed_url):
    _, complaint, imported = run("check", closed_url, "--wait", "0.1")
    assert "cannot be reached" in complaint
    assert "pytest" in imported


def test_a_mock_of_one_api_imports_no_other_and_no_data_library():
    code = """
import sys, lakeproof
from specs.profiles import find_profile
find_profile("iceberg").document()  # so that it is cached
composed = {"yaml", "jsonpath_rfc9535"} & sys.modules.keys()
with lakeproof.serve("iceberg"):
    slow = ["numpy", "pyarrow", "packaging", "reference_server.lance.api", "reference_server.polaris.api"]
    print([name for name in [*slow, *{"yaml", "jsonpath_rfc9535"} - composed] if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
