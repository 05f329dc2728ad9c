"""Tokens that a run fetches, and access of requirements to the storage behind a catalog."""

from __future__ import annotations

import json
import re

import pytest

from conformance.after.runner import run
from conformance.iceberg.support.storage import Place, covers, secrets_in
from conformance.values.settings import load_settings
from lakeproof import serve
from specs.problems import Problem
from tests.conformance.whole_runs import not_met

SECRET = "s3cret-of-the-client"
SELECT = "iceberg.token or iceberg.credentials.status or iceberg.access.unasked"


@pytest.fixture
def server():
    with serve("iceberg", auth=f"oauth:me:{SECRET}") as server:
        yield server


def settings(server, folder, **given):
    return load_settings(
        {"server": server.url, "api": "iceberg", "report": str(folder), "select": SELECT, **given}, environ={}
    )


def test_a_run_with_a_credential_gets_itself_a_token(server, tmp_path):
    results, code = run(settings(server, tmp_path, credential=f"me:{SECRET}", scope="catalog"))
    assert code == 0, not_met(results)
    verdicts = {entry.id: entry.verdict for entry in results.requirements}
    tokens = [verdict for name, verdict in verdicts.items() if name.startswith("iceberg.token.")]
    assert len(tokens) == 21
    assert set(tokens) == {"pass"}
    assert {verdicts[name] for name in verdicts if "credentials.status" in name} == {"pass", "unoffered"}


def test_neither_secrets_nor_tokens_are_written_down(server, tmp_path):
    results, _ = run(settings(server, tmp_path, credential=f"me:{SECRET}"))
    written = json.dumps(results.to_json()) + "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
    assert SECRET not in written
    assert '"access_token":"<redacted>"' in written
    assert not re.search(r"\d{10}\.[0-9a-f]{16}\.[0-9a-f]", written)  # what the server's tokens look like


@pytest.mark.parametrize("credential", ["me:wrong", "you:x"])
def test_a_credential_that_is_not_good(server, tmp_path, credential):
    with pytest.raises(Problem, match="no token for the credential"):
        run(settings(server, tmp_path, credential=credential))


@pytest.mark.parametrize("credential", ["me", ":secret", "me:"])
def test_what_is_no_credential(server, tmp_path, credential):
    with pytest.raises(Problem, match="no id or no secret"):
        settings(server, tmp_path, credential=credential)


@pytest.mark.parametrize(
    ("prefix", "location", "covered"),
    [
        ("s3://b/w", "s3://b/w/t", True),
        ("s3", "s3://b/w/t", True),
        ("s3a://b/w/t", "s3://b/w/t", True),
        ("s3://b/v", "s3://b/w/t", False),
        ("", "s3://b/w/t", False),
        ("file:///w", "file:///w/t", True),
    ],
)
def test_what_a_prefix_covers(prefix, location, covered):
    assert covers(prefix, location) is covered


def test_which_settings_are_secret():
    config = {"s3.secret-access-key": "x", "s3.session-token": "x", "adls.sas-token.account": "x", "s3.region": "x"}
    assert secrets_in(config) == ["s3.secret-access-key", "s3.session-token", "adls.sas-token.account"]
    assert secrets_in(None) == []


def test_urls_of_objects():
    place = Place("b", "w/t", {"s3.endpoint": "http://h:1/", "client.region": "eu-west-1"})
    assert place.url("data/a b") == "http://h:1/b/w/t/data/a%20b"
    assert place.url("/other/f", bucket="c") == "http://h:1/c/other/f"
    assert Place("b", "w", {"s3.region": "r"}).url("f") == "https://s3.r.amazonaws.com/b/w/f"
