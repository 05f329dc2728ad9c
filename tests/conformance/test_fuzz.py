"""Drawn bodies: they find what no schema tells, and name nothing but what the run made."""

from __future__ import annotations

import json

import pytest

from conformance.after import runner
from conformance.fuzz.bodies import bodies
from conformance.fuzz.fuzzing import fuzzing_of
from conformance.values.settings import Settings
from lakeproof import check, serve
from specs.apis import apis
from specs.profiles import find_profile
from tests.conformance.harmless import foreign_names
from tests.conformance.proxy import Answer, Proxy


class Careless(Proxy):
    """A server that trips over fields that it does not know."""

    def answer(self, handler, body):
        sent = json.loads(body) if handler.path.endswith("/create") and body else {}
        if not isinstance(sent, dict) or sent.keys() - {"id", "mode", "properties"}:
            broken = {"error": "no such field", "code": 18}
            return self.send(handler, Answer(500, {"Content-Type": "application/json"}, json.dumps(broken).encode()))
        return self.send(handler, self.ask(handler.command, handler.path, dict(handler.headers.items()), body))


def judge(url, tmp_path, **more):
    settings = Settings(server=url, report=str(tmp_path), kinds=("fuzz",), **more)
    return runner.run(settings)[0]


def test_an_error_of_the_server_is_a_finding_with_a_cause(tmp_path):
    with serve("lance", storage="memory:pure") as server, Careless(server.url) as careless:
        results = judge(careless.url, tmp_path, api="lance", operation=("CreateNamespace",))
    (entry,) = results.requirements
    assert (entry.id, entry.verdict) == ("fuzz.lance.create_namespace", "warn")
    assert entry.message == "CreateNamespace answers this body with 500"
    assert entry.steps[-1].response.status == 500
    assert [cause.requirements for cause in results.causes] == [[entry.id]]


@pytest.mark.parametrize("api", apis())
def test_the_reference_server_takes_whatever_comes_and_nothing_names_what_is_not_of_the_run(api, tmp_path):
    results, _ = check(api=api, kinds=("fuzz",), depth="smoke", report=str(tmp_path))
    assert {result.verdict for result in results.requirements} == {"pass"}
    assert results.run.left_behind == []
    assert foreign_names(tmp_path, find_profile(api).document()) == []


def test_names_and_places_are_never_drawn():
    own = {"id": ["lp1"], "entries": [{"id": ["lp1", "t"]}]}
    drawn = {"ID": ["theirs"], "location": "s3://theirs", "entries": [{"id": 1, "k": "a/../b"}, {"I_d": "x"}], "n": 1}
    assert fuzzing_of("lance").harmless(drawn, own) == {
        "id": ["lp1"],
        "entries": [{"id": ["lp1", "t"], "k": "ab"}, {"id": ["lp1", "t"]}],
        "n": 1,
    }
    top = {"name": "lp1"}
    drawn = {"name": "theirs", "schema": {"fields": [{"name": "column"}]}}
    assert fuzzing_of("iceberg").harmless(drawn, top) == {"name": "lp1", "schema": {"fields": [{"name": "column"}]}}


def test_the_strategy_of_an_operation_is_made_once():
    document = find_profile("lance").document()
    assert bodies(document, "CreateNamespace") is bodies(document, "CreateNamespace")


@pytest.mark.parametrize("jobs", [1, 2])
def test_bodies_are_drawn_only_where_it_is_asked_for(jobs, tmp_path):
    with serve("lance", storage="memory:pure") as server:
        settings = Settings(server=server.url, api="lance", report=str(tmp_path), select="create_namespace", jobs=jobs)
        results, _ = runner.run(settings)
    assert results.requirements
    assert not [result.id for result in results.requirements if result.kind == "fuzz"]
