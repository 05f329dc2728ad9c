"""Requests of all kinds, half of them with one thing wrong: each is answered, and never with 500."""

from __future__ import annotations

import pytest

from tests.amount import seeds
from tests.reference_server.drawn_requests import send_drawn
from tests.reference_server.iceberg import drawing as iceberg
from tests.reference_server.lance import drawing as lance
from tests.reference_server.polaris import drawing as polaris
from tests.reference_server.served import served


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize(
    ("api", "drawing", "options", "made"),
    [
        ("iceberg", iceberg, (), "/v1/namespaces/a"),
        ("lance", lance, (), "/v1/namespace/a/list"),
        ("polaris", polaris, polaris.OPTIONS, "/api/management/v1/catalogs/c"),
    ],
    ids=["iceberg", "lance", "polaris"],
)
def test_drawn_requests(tmp_path, api, drawing, options, made, seed):
    with served(api, tmp_path, "--storage", f"dir:{tmp_path}", *options) as server:
        drawing.prepare(server)
        send_drawn(server, seed, drawing.drawn_request)
        assert server.send("GET", made).status == 200
