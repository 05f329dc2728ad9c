"""The matrix of clients: rows of recorded requests, and a page that has every client."""

from __future__ import annotations

import re

import pytest

from tests.clients.matrix import HERE, PAGE, Sent, clients, page, rows
from tests.clients.steps import NAMES, STEPS, lacking

LANCE = "tests/clients/test_lance_clients.py::test_a"
POLARIS = "tests/clients/test_polaris_sdk.py::test_b"


def test_rows():
    shown = list(
        rows(
            [
                Sent(f"{LANCE}[memory]", "", "lance", "memory", "ListTables"),
                Sent(f"{LANCE}[dir]", "", "lance", "dir", "CreateTable"),
                Sent(f"{LANCE}[dir]", "python-urllib3/2", "lance", "dir", "DropTable"),
                Sent(LANCE, "OpenAPI-Generator/0.13.0/python", "lance", "memory", "ListTables"),
                Sent(POLARIS, "OpenAPI-Generator/1.0.0/python", "polaris/1.7", "memory", "listCatalogs"),
                Sent(POLARIS, "PyIceberg/0.12.0", "", "memory", "getConfig"),
            ]
        )
    )
    assert [(row.client, row.profile.partition("/")[0], row.tests, list(row.operations)) for row in shown] == [
        ("pylance", "lance", 2, ["CreateTable", "ListTables"]),
        ("lance-namespace, generated client for Python", "lance", 1, ["ListTables"]),
        ("Apache Polaris, Python client", "polaris", 1, ["listCatalogs"]),
    ]
    assert shown[0].storages == ["directory", "memory"]
    assert [row for row in shown if not re.fullmatch(r"\d+\.\S+", row.version)] == []
    row = shown[0]
    cells = (row.client, row.version, row.profile, "directory, memory", "2", row.steps, "2 of ")
    assert f"| {' | '.join(cells)}" in page(shown)


@pytest.mark.parametrize("client", [client["name"] for kind in clients().values() for client in kind])
def test_the_page_has_every_client(client):
    assert f"| {client} |" in PAGE.read_text()


def test_what_clients_lack_are_steps():
    for client in clients()["client"]:
        assert "driver" in client or "lacks" not in client
        if "driver" in client:
            assert lacking(client) <= {*STEPS[client["api"]], *NAMES}


def test_the_modules_of_clients_exist():
    named = {module for client in clients()["client"] for module in client.get("modules", ())}
    assert named <= {path.stem for path in HERE.glob("test_*.py")}
