"""Files of external catalogs: the run writes in its own folders alone, whatever location a server returns."""

from __future__ import annotations

import json
import re

import pytest

from conformance.polaris.support.catalogs import own_folder
from conformance.values.outcomes import Unoffered
from lakeproof import check, serve
from tests.conformance.mutants import ROOT
from tests.conformance.proxy import Answer, Proxy

CATALOG = re.compile(r"/catalogs/[^/?]+$")


class Relocating(Proxy):
    """A proxy that returns another base location for each loaded catalog."""

    def __init__(self, server, location):
        super().__init__(server)
        self.location = location

    def answer(self, handler, body):
        answer = self.ask(handler.command, handler.path, dict(handler.headers.items()), body)
        if handler.command == "GET" and CATALOG.search(handler.path) and answer.status == 200:
            shown = json.loads(answer.body)
            shown["properties"]["default-base-location"] = self.location
            answer = Answer(200, answer.headers, json.dumps(shown).encode())
        self.send(handler, answer)


@pytest.mark.parametrize("location", [[None], "lake/lp", "file:lake"])
def test_nothing_is_written_where_a_server_puts_a_catalog_wrongly(location, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with serve("polaris", bootstrap=ROOT) as server, Relocating(server.url, location) as proxy:
        results, _ = check(
            proxy.url,
            api="polaris",
            report=str(tmp_path / "report"),
            credential=ROOT,
            select="polaris.notification",
            depth="smoke",
        )
    assert results.run.selected
    assert results.totals["error"] == 0
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize(
    ("location", "folder"),
    [
        ("file:///tmp/lp1c/lake/n1", "/tmp/lp1c/lake/n1"),
        ("/tmp/lp1c", "/tmp/lp1c"),
        ("/etc", None),
        ("/tmp/lp1c/../../etc", None),
        ("lp1c", None),
        ("s3://lp1c/n1", None),
    ],
)
def test_a_folder_of_the_run_has_its_prefix(location, folder):
    if folder:
        assert str(own_folder(location, "lp1c")) == folder
    else:
        with pytest.raises(Unoffered, match="no folder of the run"):
            own_folder(location, "lp1c")
