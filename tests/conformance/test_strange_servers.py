"""The suite against servers that answer nonsense: it ends with a verdict, in time, and leaves nothing behind.

`tox -e py -- --seeds 0-199 tests/conformance/test_strange_servers.py` draws as many strange servers, of one API after
the other. A seed draws a quarter of the requirements too, without `--seeds` a sixteenth.
"""

from __future__ import annotations

import json
import re
import time
from urllib.parse import urlencode

import pytest
import urllib3

from lakeproof import check, serve
from specs.apis import apis
from specs.problems import Problem
from tests.amount import amount, seeds
from tests.conformance.drawing import drawn
from tests.conformance.strange_server import ROOT, RUN_SETTINGS, SERVER_OPTIONS, Habits, StrangeServer

FOUND = (3, 15, 161)  # seeds that have found something once
NAMES = sorted(apis())
LONGEST = amount(60.0, 240.0)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
TIMEOUT = 2.0
# What only Python says: representations of values and objects, names of its errors, assertions.
PYTHON = re.compile(
    r"\bNone\b|\bTrue\b|\bFalse\b|\bat 0x[0-9a-f]{6,}|\bb'|\bassert\b|\bobject at\b|\{'|\['|<[a-z_.]+\.[A-Z]\w+"
    r"|\b(Type|Key|Index|Value|Attribute|Unicode\w+|Assertion|StopIteration)Error\b|not enough values|pyarrow\."
)


def settings(api, folder):
    own = RUN_SETTINGS.get(api, {})
    world = (amount("plain", "drawn"),)  # nonsense fails in every world, and each failure is sent again in parts of it
    given = {"depth": "smoke", "world": world, "timeout": TIMEOUT, "max_time": LONGEST}
    return {**own, **given, "api": api, "report": str(folder)}


@pytest.mark.parametrize("seed", seeds(FOUND))
def test_a_strange_server_gets_a_verdict(seed, tmp_path, caplog):
    habits, api = Habits.drawn(seed), NAMES[seed % len(NAMES)]
    with serve(api, **SERVER_OPTIONS.get(api, {})) as server, StrangeServer(server.url, habits) as strange:
        started = time.monotonic()
        try:
            results, code = check(strange.url, runner=drawn(api, seed), leave_behind=True, **settings(api, tmp_path))
        except Problem:
            return  # it is too strange to be told for a server of the API, and that is said
        finally:
            assert time.monotonic() - started < LONGEST + 90, habits
        left = foreign_to(server.url, api, tmp_path)
    errors = [(entry.id, entry.message) for entry in results.requirements if entry.verdict == "error"]
    assert errors == [], habits
    assert "the kit failed" not in caplog.text, habits
    assert code in (0, 1) or results.run.stopped, habits
    said = [entry.message for entry in results.requirements]
    assert [message for message in said if PYTHON.search(message)] == [], habits
    if habits.keeps_drops and not results.run.stopped:
        assert left == [], habits


def foreign_to(url, api, folder):
    """Return the objects of a run that the server behind a strange one still has."""
    prefix = re.search(r"lp[0-9a-f]{6}", (folder / "exchanges.jsonl").read_text())
    return remaining(url, api, prefix.group() if prefix else "lp")


def remaining(url, api, prefix):
    return [name for name in (managed(url) if api == "polaris" else listed(url, api)) if name.startswith(prefix)]


def listed(url, api):
    path = "/v1/namespaces" if api == "iceberg" else "/v1/namespace/$/list"
    entries = json.loads(urllib3.request("GET", url + path).data)["namespaces"]
    return [entry if isinstance(entry, str) else entry[0] for entry in entries]


def managed(url):
    """Return the names of what Polaris' root sees: catalogs, principals and their roles."""
    id, secret = ROOT.split(":")
    form = {"grant_type": "client_credentials", "client_id": id, "client_secret": secret, "scope": "PRINCIPAL_ROLE:ALL"}
    issued = urllib3.request("POST", f"{url}/api/catalog/v1/oauth/tokens", headers=FORM, body=urlencode(form))
    headers = {"Authorization": f"Bearer {json.loads(issued.data)['access_token']}"}
    kinds = {"catalogs": "catalogs", "principals": "principals", "principal-roles": "roles"}
    answers = {
        field: json.loads(urllib3.request("GET", f"{url}/api/management/v1/{kind}", headers=headers).data)
        for kind, field in kinds.items()
    }
    return [entry["name"] for field, answer in answers.items() for entry in answer[field]]
