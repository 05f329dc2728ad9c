"""The revision that judges a server, where a run names none: the newest of whose additions the server shows signs."""

from __future__ import annotations

import json
from functools import partial

import pytest

from conformance.after.reproduction import recorded
from conformance.replay.expectations_file import ExpectationFile, write_expectations
from conformance.run.choosing import shown_by
from conformance.target.signs import FIELD, HEADER, OPERATION, additions, shown_revision
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object
from conformance.values.settings import NEWEST, load_settings
from lakeproof import check, serve
from specs.profiles import find_profile, newest_profile, profiles
from tests.conformance.framework_servers import FASTAPI, FrameworkServer
from tests.conformance.proxy import Answer
from tests.conformance.small_servers import Meddler, say
from tests.conformance.strange_server import RUN_SETTINGS, SERVER_OPTIONS

REVISIONS = [name for name, profile in profiles().items() if profile.revision in profile.facts.revisions]
OLDER = [name for name in REVISIONS if find_profile(name) != newest_profile(find_profile(name).api)]
SELECT = {
    "lance": "lance.namespace.create",
    "iceberg": "iceberg.namespace.create",
    "polaris": "polaris.principal.create",
}


def judged(url, folder, api="iceberg", **settings):
    given = {**RUN_SETTINGS.get(api, {}), "select": SELECT[api], "depth": "smoke", "report": str(folder), **settings}
    return check(url, api=api, **given)[0]


def revision(results):
    return next((trait.value for trait in results.target.traits if trait.name == "revision"), "")


@pytest.mark.parametrize("name", REVISIONS)
def test_a_server_is_judged_by_its_own_revision_in_every_run(name, tmp_path):
    profile = find_profile(name)
    older = name in OLDER
    with serve(name, **SERVER_OPTIONS.get(profile.api, {})) as server:
        first, second = (judged(server.url, tmp_path / part, profile.api) for part in ("a", "b"))
    assert [results.target.profile for results in (first, second)] == [name, name]
    assert revision(first) == revision(second)
    assert revision(first).startswith(f"{name}: ")
    notes = [note for note in first.run.notes if "--profile newest" in note]
    assert [note.startswith(f"{name} judges the server: ") for note in notes] == [True] * older
    assert (f"--profile {name}" in first.run.again) == older
    assert (first.target.settings["profile"] == name) == older
    assert first.run.left_behind == []
    assert {entry.verdict for entry in first.requirements} == {"pass"}


def test_no_revision_is_chosen_where_the_settings_name_one(tmp_path):
    newest = newest_profile("iceberg").name
    with serve("iceberg/1.6") as server:
        for given, used in ((NEWEST, newest), ("iceberg/1.11", "iceberg/1.11")):
            results = judged(server.url, tmp_path, profile=given)
            assert (results.target.profile, revision(results)) == (used, "")
            assert f"--profile {given}" in results.run.again


def adding(field, value):
    """Return a function that adds a field to the configuration."""

    def meddle(proxy, handler, _number):
        if not handler.path.startswith("/v1/config"):
            return False
        answer = proxy.ask("GET", handler.path, dict(handler.headers.items()))
        return say(handler, answer.status, {**json.loads(answer.body), field: value})

    return meddle


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("idempotency-key-lifetime", None, "getConfig returned `idempotency-key-lifetime`"),
        ("endpoints", "all of them", "getConfig returned `endpoints`"),  # a field with a wrong value is one, too
        ("unknown", "PT1H", ""),
    ],
)
def test_one_field_of_a_newer_revision_is_a_sign(field, value, why, tmp_path):
    with serve("iceberg/1.6") as server, Meddler(server.url, adding(field, value)) as proxy:
        results = judged(proxy.url, tmp_path)
    assert results.target.profile == ("iceberg/1.11" if why else "iceberg/1.6")
    assert why in revision(results)


def test_a_broken_newest_server_stays_judged_by_the_newest_revision(tmp_path):
    """All its additions fail, and the one that it offers is the last that is looked for."""
    removed = ["listFunctions", "loadFunction"]
    with serve("iceberg", rules=[*(f"{name}: 406" for name in removed), "unregisterTable: 500"]) as server:
        results = judged(server.url, tmp_path)
    assert revision(results) == "iceberg/2026-08: it offers unregisterTable"


@pytest.mark.parametrize(
    ("oldest", "select", "chosen", "why"),
    [
        ("iceberg/1.6", "iceberg.config", "iceberg/1.6", "nothing that iceberg/1.11 or iceberg/2026-08 added"),
        # Its listings have the default of 0.11, which breaks a MUST of 2026-03.
        ("lance/2026-03", "lance.listing.declared", "lance/0.11", "lacks CreateEmptyTable, which it removed"),
        ("polaris/2024-09", "polaris.principal_role", "polaris/1.7", "returned `roles[].federated`"),
    ],
)
def test_a_part_of_the_newest_server_is_judged_by_a_revision_that_it_meets(oldest, select, chosen, why, tmp_path):
    """It lacks all operations that came later."""
    api = find_profile(oldest).api
    removed = newest_profile(api).document().operations.keys() - find_profile(oldest).document().operations.keys()
    with (
        serve(api, **SERVER_OPTIONS.get(api, {})) as server,
        Unsigned(server.url, FASTAPI, api, removed) as proxy,
    ):
        results = judged(proxy.url, tmp_path, api, select=select)
    assert results.target.profile == chosen
    assert why in revision(results)
    assert [entry.id for entry in results.requirements if entry.verdict == "fail"] == []
    assert any(entry.verdict == "pass" for entry in results.requirements)


class Unsigned(FrameworkServer):
    """A part of the newest server, without the fields of configurations and the headers that came later."""

    def send(self, handler, answer, *, drips=False):
        headers = {name: value for name, value in answer.headers.items() if name.lower() != "etag"}
        body = answer.body
        if "idempotency-key-lifetime" in (config := read_object(body)):
            body = json.dumps({name: value for name, value in config.items() if not name.startswith("idem")}).encode()
        super().send(handler, Answer(answer.status, headers, body), drips=drips)


@pytest.mark.parametrize("settings", [{"jobs": 2}, {"read_only": True}, {"suite": "2026-11"}], ids=str)
def test_any_run_chooses(settings, tmp_path):
    with serve("iceberg/1.6", namespaces=("a",)) as server:
        assert judged(server.url, tmp_path, select="iceberg.namespace", **settings).target.profile == "iceberg/1.6"


def test_an_operation_that_the_settings_name_is_in_the_revision(tmp_path):
    with serve("iceberg/1.6") as server:
        results = judged(server.url, tmp_path, select="", operation="planTableScan", kinds="error")
        required = judged(server.url, tmp_path, require="unregisterTable")
    assert results.target.profile == "iceberg/1.11"
    assert "the settings name planTableScan" in revision(results)
    assert {entry.verdict for entry in results.requirements} == {"unoffered"}
    assert (required.target.profile, required.exit_code()) == (newest_profile("iceberg").name, 1)


def test_a_gate_keeps_the_revision_of_its_expectations_and_of_the_run_that_it_continues(tmp_path):
    file = tmp_path / "known.toml"
    write_expectations(file, ExpectationFile(profile="iceberg/1.11"))
    with serve("iceberg/1.6") as server:
        kept = judged(server.url, tmp_path / "kept", expect=str(file))
        assert revision(kept) == f"iceberg/1.11: {file} is for it"
        again = judged(server.url, tmp_path / "kept", last_failed=True)
        assert again.target.profile == "iceberg/1.11"
        free = judged(server.url, tmp_path / "free", last_failed=False)
        assert free.target.profile == "iceberg/1.6"


def test_a_finding_is_reproduced_against_the_revision_of_its_run(tmp_path):
    with serve("iceberg/1.6", rules=["updateProperties: 500"]) as server:
        results = judged(server.url, tmp_path, select="iceberg.namespace.properties")
    found = next(entry.id for entry in results.requirements if entry.verdict == "fail")
    assert recorded(results, found).settings["profile"] == results.target.profile == "iceberg/1.6"


def test_two_servers_are_compared_by_what_the_first_shows():
    with serve("iceberg/1.6") as server:
        settings = load_settings({"server": server.url, "api": "iceberg"}, environ={})
        shown = shown_by(settings)
        assert shown.profile.name == "iceberg/1.6"
        assert shown_by(load_settings({"server": server.url, "api": "iceberg", "profile": NEWEST}, environ={})) is None


# Signs, without a server


def answer(operation, body=None, status=200, **headers):
    raw = json.dumps(body or {}).encode()
    return Exchange(operation, "GET", "http://h/x", {}, b"", status=status, response_headers=headers, response_body=raw)


LOADED = partial(answer, "loadTable")


@pytest.mark.parametrize(
    ("offered", "heard", "chosen"),
    [
        ([], [], "1.6"),
        (["loadTable", "listViews"], [LOADED({"metadata": {"format-version": 2}})], "1.6"),
        (["cancelPlanning"], [], "1.11"),
        (["cancelPlanning", "loadFunction"], [], "2026-08"),
        ([], [LOADED({"storage-credentials": []})], "1.11"),
        ([], [LOADED({"metadata": {"schemas": [{"fields": [{"initial-default": 1}]}]}})], "1.11"),
        ([], [LOADED({"remote-signing-config": {}})], "2026-08"),
        ([], [LOADED({"storage-credentials": []}, status=404)], "1.6"),
        ([], [LOADED(ETag='"1"')], "1.11"),
        ([], [LOADED(ETag='"1"'), answer("getConfig", ETag='"2"')], "1.6"),  # the framework's
        ([], [answer("getConfig", {"defaults": {"endpoints": "mine"}})], "1.6"),
    ],
)
def test_the_newest_revision_with_a_sign_is_chosen(offered, heard, chosen):
    shown = shown_revision("iceberg", (), offered, heard)
    assert shown.profile.revision == chosen
    assert bool(shown.note()) == (chosen != "2026-08")
    assert shown_revision("iceberg", (), reversed(offered), reversed(heard)) == shown


@pytest.mark.parametrize(
    "name", [name for name in REVISIONS if find_profile(name).revision != find_profile(name).facts.revisions[0]]
)
def test_every_revision_but_the_first_can_show_itself(name):
    profile = find_profile(name)
    kinds = {kind for kind, _, _ in additions(profile)}
    assert {OPERATION, FIELD} <= kinds <= {OPERATION, FIELD, HEADER}
    assert [
        (_, operation, _) for _, operation, _ in additions(profile) if operation not in profile.document().operations
    ] == []


def test_an_api_with_one_revision_has_no_choice(monkeypatch):
    monkeypatch.setattr("conformance.target.signs.newest_profile", lambda _: Single())
    assert shown_revision("toy", (), (), ()) is None


class Single:
    """A profile of an API that has no other."""

    class facts:  # noqa: N801 - in the place of a field
        """Its facts."""

        revisions = ("1",)
