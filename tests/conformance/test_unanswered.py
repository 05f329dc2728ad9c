"""Clean-up whose requests get no answer: connections that an interruption closed, and servers that fall silent."""

from __future__ import annotations

import re
from typing import Any

import pytest
import urllib3

from conformance.http.client import Client
from conformance.http.transport import Connection
from conformance.iceberg.catalog import IcebergCatalog
from conformance.lance.catalog import LanceCatalog
from conformance.run.session import Session
from conformance.values.settings import load_settings
from lakeproof import serve
from specs.profiles import find_profile
from tests.conformance.small_servers import Meddler, hang_up

CATALOGS: dict[str, Any] = {"lance": LanceCatalog, "iceberg": IcebergCatalog}


def test_an_interruption_while_a_connection_is_replaced_leaves_one_that_works(monkeypatch):
    """A closed pool fails all later requests, those of the clean-up too: the objects of the run stayed."""
    with serve("lance") as server:
        client = Client(Connection(server.url, {}, 60.0), find_profile("lance").document())
        client.begin(["ListNamespaces"])
        client.call("ListNamespaces", path={"id": "$"}, expect=200)
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            closes = urllib3.HTTPConnectionPool.close

            def close(pool):
                closes(pool)
                raise KeyboardInterrupt

            patched.setattr(urllib3.HTTPConnectionPool, "close", close)
            client.reconnect()
        client.call("ListNamespaces", path={"id": "$"}, expect=200)
        client.close()


@pytest.mark.parametrize("api", CATALOGS)
def test_what_a_silent_server_was_not_seen_to_drop_is_told(api, tmp_path):
    """It answers no drop and no look at the end; the run said that all its objects were dropped."""
    silent = False

    def meddle(_meddler, handler, _number):
        return silent and hang_up(handler)

    with serve(api) as server, Meddler(server.url, meddle) as proxy:
        given = {"server": proxy.url, "api": api, "report": str(tmp_path), "timeout": 5.0}
        session = Session(load_settings(given, environ={}))
        session.client.begin([])
        catalog = CATALOGS[api](session.target)
        catalog.begin_example()
        name = catalog.home[0]
        silent = True
        session.target.sandbox.sweep()
        session.finish()
        (left,) = session.target.sandbox.left_behind
    assert left.name == name
    assert re.match(r"may still exist: [dD]ropNamespace got no answer", left.reason)
