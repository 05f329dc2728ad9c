"""Clients of every language take the steps of their API: on both storages, with a token and without one."""

from __future__ import annotations

from typing import Any

import pytest

from lakeproof import serve
from tests.amount import amount
from tests.clients.matrix import clients
from tests.clients.steps import NAMES, OAUTH, TOKEN_SECONDS, Session, driver, steps_of
from tests.conftest import storage_option

DRIVEN = {client["driver"]: client for client in clients()["client"] if "driver" in client}
EXCHANGING = [name for name, client in DRIVEN.items() if OAUTH in steps_of(client)]
CREDENTIAL = "root:s3cret"
TOKENS = {"open": "", "token": "s3cret"}
SERVERS = amount([("memory", "token"), ("dir", "open")], [(kind, way) for kind in ("memory", "dir") for way in TOKENS])


@pytest.mark.parametrize(("kind", "way"), SERVERS)
@pytest.mark.parametrize("name", DRIVEN)
def test_client_takes_its_steps(name, kind, way, tmp_path):
    client, token = DRIVEN[name], TOKENS[way]
    drive, expected = driver(client), [step for step in steps_of(client) if step != OAUTH]
    settings: dict[str, Any] = {"auth": f"token:{token}"} if token else {}
    names = {kind: name for kind, name in NAMES.items() if kind in expected}
    with serve(client["api"], storage=storage_option(kind, tmp_path / "lake"), **settings) as server:
        assert sorted(drive(Session(server.url, token, names))) == sorted(expected)


@pytest.mark.parametrize("name", EXCHANGING)
def test_client_exchanges_its_credential(name):
    client = DRIVEN[name]
    drive = driver(client)
    with serve(client["api"], auth=f"oauth:{CREDENTIAL}", token_lifetime=TOKEN_SECONDS) as server:
        assert list(drive(Session(server.url, credential=CREDENTIAL))) == [OAUTH]
        assert sum(request.status == 200 for request in server.requests("getToken")) > 1
