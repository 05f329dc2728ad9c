"""Path prefixes that no configuration returns: given by an option, and suspected where every path is missing."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest

from conformance.iceberg.operations import path_prefix
from conformance.values.settings import load_settings
from lakeproof import check, serve
from specs.problems import Problem
from tests.conformance.proxy import Answer, Proxy
from tests.conformance.small_servers import SmallServer, say

UNKNOWN = Answer(404, {"Content-Type": "text/plain"}, b"no route")
SELECT = "iceberg.config.prefix or iceberg.namespace.create or iceberg.table.create.conflict"


class Prefixed(Proxy):
    """A proxy that has all paths but the configuration below a prefix, and does not say so."""

    def __init__(self, server, prefix):
        super().__init__(server)
        self.prefix = f"/v1/{prefix}/"
        self.asked = []

    def answer(self, handler, body):
        path = handler.path
        if not path.startswith(("/v1/config", "/v1/oauth", self.prefix)):
            return self.send(handler, UNKNOWN)
        self.asked.append(urlsplit(path).path)
        path = path.replace(self.prefix, "/v1/", 1)
        return self.send(handler, self.ask(handler.command, path, dict(handler.headers.items()), body))


def checked(prefix, folder, **settings):
    with serve("iceberg") as server, Prefixed(server.url, prefix) as proxy:
        settings = {"select": SELECT, "depth": "smoke", "leave_behind": True, **settings}
        results, _ = check(proxy.url, api="iceberg", report=str(folder), **settings)
        return results, proxy.asked


@pytest.mark.parametrize("prefix", ["dev", "dev/main"])
def test_a_given_path_prefix_is_used_like_one_of_the_configuration(prefix, tmp_path):
    results, asked = checked(prefix, tmp_path, path_prefix=f"/{prefix}/")
    assert {entry.verdict for entry in results.requirements} == {"pass"}
    assert any(path.startswith(f"/v1/{prefix}/namespaces/") for path in asked)
    assert results.run.left_behind == []
    assert results.run.notes == []
    assert f"--path-prefix /{prefix}/" in results.run.again


@pytest.mark.parametrize(
    ("given", "place", "question"),
    [("", "/v1", "Do the server's paths have a prefix?"), ("test", "/v1/test", "Is this the right path prefix?")],
)
def test_a_run_notes_that_all_paths_are_missing(given, place, question, tmp_path):
    results, _ = checked("dev", tmp_path, path_prefix=given)
    *_, note = results.run.notes
    assert f" operations return 404 below {place}, like an unknown path. {question} --path-prefix sets it." in note
    assert note in json.loads((tmp_path / "results.json").read_text())["run"]["notes"]
    assert question.partition("'")[0] in (tmp_path / "report.html").read_text()


def test_a_server_that_is_not_recognised_may_have_a_path_prefix(tmp_path):
    def problem_of(api):
        with SmallServer(lambda handler, _: say(handler, 404, {})) as server, pytest.raises(Problem) as caught:
            check(server.url, api=api, report=str(tmp_path))
        return caught.value.hint

    assert "--path-prefix dev" in problem_of("iceberg")
    assert "--path-prefix" not in problem_of("lance")


@pytest.mark.parametrize(
    ("config", "given", "prefix"),
    [
        ({}, "", ""),
        ({}, "/dev/", "dev"),
        ({"defaults": {"prefix": "d"}}, "", "d"),
        ({"defaults": {"prefix": "d"}}, "dev", "dev"),
        ({"overrides": {"prefix": "o"}}, "dev", "o"),
        ({"defaults": [], "overrides": None}, "dev", "dev"),
    ],
)
def test_a_given_path_prefix_comes_between_defaults_and_overrides(config, given, prefix):
    assert path_prefix(config, given) == prefix


@pytest.mark.parametrize("prefix", ["v1/dev", "v1", "a b", "a//b", "?x", "{prefix}", "/"])
def test_a_path_prefix_is_a_part_of_a_path(prefix):
    with pytest.raises(Problem, match="is not the part of a path after /v1/") as caught:
        load_settings({"server": "http://h", "api": "iceberg", "path_prefix": prefix}, {})
    assert "--path-prefix dev" in caught.value.hint


def test_an_api_without_path_prefixes_has_no_use_for_one():
    given = {"server": "http://h", "path_prefix": "dev"}
    with pytest.raises(Problem, match="--path-prefix is for an API whose paths have a prefix"):
        load_settings({**given, "api": "lance"}, {})
    assert load_settings({**given, "api": "polaris"}, {}).path_prefix == "dev"
