"""The command line: what it prints, where it writes, how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import yaml

from conformance.report import RENDERERS
from lakeproof import check, serve
from specs.problems import Problem
from specs.profiles import find_profile

CONFLICT = "lance.namespace.create.conflict"


def test_version_and_help(cli):
    assert cli("--version")[1].startswith("lakeproof, version 0.")
    for command in (
        [],
        ["check"],
        ["serve"],
        ["list"],
        ["expect"],
        ["repro"],
        ["diff"],
        ["compare"],
        ["matrix"],
        ["coverage"],
        ["explain"],
        ["report"],
        ["spec"],
        ["spec", "diff"],
        ["spark"],
        ["race"],
        ["warehouse"],
    ):
        code, out, err = cli(*command, "--help")
        assert code == 0, out + err
        assert "Example" in out


# check


def test_check_judges_the_embedded_server(cli, folder):
    code, out, err = cli("check", "-k", "lance.namespace")
    assert code == 0, out + err
    assert "requirements of lance/0.11 tested: none of" in out
    assert "Conforms" not in out
    assert json.loads((folder / "lakeproof-report" / "badge.json").read_text())["color"] == "lightgrey"
    assert "report: lakeproof-report/report.html" in out
    names = {path.name for path in (folder / "lakeproof-report").iterdir()}
    assert names == {"results.json", "exchanges.jsonl", *(name for name, _ in RENDERERS.values())}


def test_options_for_the_users_own_tests_do_not_reach_the_suite(cli, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--nothing-of-the-kind -k none")
    assert cli("check", "-k", "lance.namespace.create.conflict")[0] == 0
    assert os.environ["PYTEST_ADDOPTS"] == "--nothing-of-the-kind -k none"


def test_check_judges_another_server(cli, server, folder):
    assert cli("check", server.url, "-k", "lance.namespace.create", "--report", "out")[0] == 0
    assert (folder / "out" / "results.json").exists()


def test_check_shows_findings_with_a_command_that_shows_them_again(cli, server):
    fault = ("--header", "X-Lakeproof-Fault: conflict-as-400")
    code, out, _ = cli("check", server.url, "-k", "lance.namespace.create.conflict", *fault)
    assert code == 1
    assert "expected 409, got 400" in out
    again = f"again: lakeproof check {server.url} --header 'X-Lakeproof-Fault: conflict-as-400' -k {CONFLICT}"
    assert again in out
    assert "Does not conform" in out


def test_check_prints_json_and_nothing_else(cli, server):
    code, out, _ = cli("check", server.url, "-k", "lance.namespace.create", "--json")
    assert json.loads(out)["exit"] == code == 0


def test_check_by_another_copy_of_the_document(cli, server, folder):
    raw = yaml.safe_load(find_profile("lance/2026-03").file(".yaml").read_text())
    raw["components"]["schemas"]["CreateNamespaceResponse"]["required"] = ["transaction_id"]
    (folder / "stricter.yaml").write_text(yaml.safe_dump(raw))
    code, out, _ = cli(
        "check",
        server.url,
        "--profile",
        "lance/2026-03",
        "--spec",
        "stricter.yaml",
        "-k",
        "lance.namespace.create or wire.create_namespace",
    )
    assert code == 1
    assert '"transaction_id" is a required property' in out


def test_secrets_stay_out_of_everything_that_is_written(cli, folder):
    with serve("lance", storage="memory:pure", auth="token:s3cret-value") as guarded:
        secrets = ("--token", "s3cret-value", "--header", "X-Other-Token: s3cret-value")
        code, out, err = cli("check", guarded.url, *secrets, "-k", "lance.namespace or lance.auth")
    assert code == 0, out + err
    assert "s3cret-value" not in out + err
    for path in (folder / "lakeproof-report").iterdir():
        assert "s3cret-value" not in path.read_text(), path.name


def test_keys_of_a_warehouse_appear_nowhere(cli, tmp_path, s3_url):
    warehouse = f"lake=s3://key:s3cret-value@lake/house?endpoint_override={s3_url}&region=eu-west-1"
    options = ("--api", "iceberg", "--warehouse", warehouse, "-k", "iceberg.storage.sign", "--report", str(tmp_path))
    code, out, err = cli("check", *options)
    assert code == 0, out + err
    assert "s3cret-value" not in out + err
    for path in tmp_path.iterdir():
        assert "s3cret-value" not in path.read_text(), path.name


def test_a_server_that_wants_credentials_says_so(cli):
    with serve("lance", storage="memory:pure", auth="token:s3cret") as guarded:
        code, _, err = cli("check", guarded.url)
    assert code == 4
    assert "--token" in err


def test_where_nothing_is_selected_an_earlier_report_stays(cli, server, folder):
    assert cli("check", server.url, "-k", "lance.namespace.create.conflict")[0] == 0
    before = {path: path.read_bytes() for path in (folder / "lakeproof-report").iterdir()}
    for nothing, by in (
        (["-k", "no_such_thing[a]"], " by -k 'no_such_thing[a]'"),
        (["--last-failed"], ""),
        (["--operation", "RenameTable", "--kinds", "model"], " by --kinds model --operation RenameTable"),
    ):
        code, out, _ = cli("check", server.url, *nothing)
        assert code == 5
        assert out.endswith(f"No requirement is selected{by}. No report was written.\n")
        assert "offered" not in out
        assert ("All tested requirements passed" in out) == ("--last-failed" in nothing)
    assert {path: path.read_bytes() for path in (folder / "lakeproof-report").iterdir()} == before


FAULT = ("--header", "X-Lakeproof-Fault: conflict-as-400")


def requirements_in(folder):
    results = json.loads((folder / "lakeproof-report" / "results.json").read_text())
    return {entry["id"]: entry["verdict"] for entry in results["requirements"]}


def test_the_last_failed_requirements_are_tested_again(cli, server, folder):
    assert cli("check", server.url, "-k", "lance.namespace.create", *FAULT)[0] == 1
    failed = {name for name, verdict in requirements_in(folder).items() if verdict != "pass"}
    assert CONFLICT in failed
    assert cli("check", server.url, "--last-failed")[0] == 0
    assert requirements_in(folder).keys() == failed


def test_what_a_run_did_not_come_to_is_tested_by_the_next(cli, server, folder):
    select = ("-k", "lance.namespace.create")
    assert cli("check", server.url, *select, "--fail-fast", *FAULT)[0] == 1
    met = {name for name, verdict in requirements_in(folder).items() if verdict == "pass"}
    all_of_them = {entry["id"] for entry in json.loads(cli("list", *select, "--json")[1])}
    assert len(met) + 1 < len(all_of_them)
    assert cli("check", server.url, "--last-failed")[0] == 0
    assert requirements_in(folder).keys() == all_of_them - met


def test_a_target_that_cannot_be_judged_leaves_no_file(cli, folder):
    with serve("lance", storage="memory:pure", auth="token:s3cret") as guarded:
        assert cli("check", guarded.url, "--report", "r")[0] == 4
    assert list((folder / "r").iterdir()) == []


def test_a_server_is_not_asked_where_nothing_is_selected(folder):
    nobody = "http://127.0.0.1:9"
    assert check(nobody, api="lance", select="no_such_thing")[1] == 5
    with pytest.raises(Problem, match="cannot be reached"):
        check(nobody, api="lance", select=CONFLICT)


def test_a_run_may_end_at_its_first_finding(cli, server, folder):
    code, out, _ = cli("check", server.url, "-k", "lance.namespace", "--fail-fast", *FAULT)
    verdicts = list(requirements_in(folder).values())
    assert code == 1
    assert verdicts.count("fail") == 1
    assert verdicts[-1] == "fail"
    assert f"{len(verdicts)} of " in out


def test_operations_and_clauses_select(cli, server, folder):
    assert cli("check", server.url, "--operation", "NamespaceExists", "--kinds", "error,behaviour")[0] == 0
    requirements = json.loads((folder / "lakeproof-report" / "results.json").read_text())["requirements"]
    assert {entry["kind"] for entry in requirements} == {"error", "behaviour"}
    assert [entry for entry in requirements if "NamespaceExists" not in entry["operations"]] == []
    assert cli("check", server.url, "--clause", "create-namespace-mode-create", "-k", "conflict")[0] == 0
    requirements = json.loads((folder / "lakeproof-report" / "results.json").read_text())["requirements"]
    assert {entry["clause"]["id"] for entry in requirements} == {"create-namespace-mode-create"}


def test_a_whole_id_means_that_requirement_alone(cli):
    listed = [entry["id"] for entry in json.loads(cli("list", "-k", "lance.table.rename", "--json")[1])]
    assert len(listed) > 1
    assert [entry["id"] for entry in json.loads(cli("list", "-k", listed[0], "--json")[1])] == listed[:1]


def test_requirements_are_listed_as_check_selects_them(cli):
    code, out, err = cli("list", "--operation", "RenameTable", "--kinds", "error")
    lines = out.strip().splitlines()
    assert code == 0, out + err
    assert [line for line in lines[:-2] if not ("error" in line and "RenameTable" in line)] == []
    assert lines[-1].startswith(f"{len(lines) - 2} of ")
    entries = json.loads(cli("list", "--operation", "RenameTable", "--kinds", "error", "--json")[1])
    assert [entry["id"] for entry in entries] == [line.split()[0] for line in lines[:-2]]
    assert entries[0].keys() == {"id", "level", "kind", "operations", "clause", "statement"}
    assert cli("list", "-k", "no_such_thing")[0] == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "http://127.0.0.1:9"], "cannot be reached"),
        (["check", "nonsense"], "not an http or https URL"),
        (["check", "--profile", "lance/1999"], "Unknown profile"),
        (["check", "--api", "nothing"], "Invalid value for '--api'"),
        (["check", "--depth", "none"], "Invalid value for '--depth'"),
        (["check", "--kinds", "guess"], "--kinds: unknown kind 'guess'"),
        (["check", "--operation", "RenameTabl"], "unknown operation 'RenameTabl'"),
        (["check", "--clause", "guess"], "unknown clause 'guess'"),
        (["check", "-k", "a ("], "cannot be parsed"),
        (["check", "--last-failed"], "no earlier run"),
        (["list", "--operation", "guess"], "unknown operation 'guess'"),
        (["check", "--header", "novalue"], "has no value"),
        (["check", "--spec", "none.yaml"], "cannot be read"),
        (["check", "--storage", "tape"], "no storage"),
        (["check", "--report", "/proc/none"], "cannot be written"),
        (["explain", "lance.namespace.create.conflit"], "Unknown requirement"),
        (["report", "none"], "cannot be read"),
        (["expect", "none"], "cannot be read"),
        (["diff", "none", "none"], "cannot be read"),
        (["matrix", "none"], "cannot be read"),
        (["repro", "lance.table.x", "--results", "none"], "cannot be read"),
        (["check", "--expect", "none.toml"], "cannot be read"),
        (["serve", "--storage", "dir:/proc/none"], "cannot be used"),
        (["serve", "--fault", "none"], "no fault"),
        (["serve", "--auth", "none-such"], "--auth is unknown"),
        (["serve", "--port", "99999"], "not in the range"),
        (["serve", "--api", "lance", "--profile", "lance/1999"], "Unknown profile"),
        (["serve", "--api", "iceberg", "--warehouse", "a", "--warehouse", "a=file:/b"], "Invalid or repeated name"),
        (["serve", "--api", "iceberg", "--warehouse", "tables"], "Invalid or repeated name"),
        (["serve", "--profile", "iceberg/tables-api"], "no operation that creates a namespace"),
        (["serve", "--profile", "iceberg/tables-api", "--namespace", "a..b"], "Invalid namespace 'a..b'"),
        (["check", "http://127.0.0.1:9", "--namespace", "a..b"], "setting namespace is wrong"),
        (["check", "http://127.0.0.1:9", "--key", "key.pem"], "needs the certificate"),
        (["check", "http://127.0.0.1:9", "--max-time", "-1"], "cannot be less than 0"),
        (["coverage", "none"], "cannot be read"),
        (["spec", "show", "Nothing"], "no operation"),
        (["spec", "lint", "none.yaml"], "cannot be read"),
        (["spec", "diff", "lance", "none.yaml"], "cannot be read"),
        (["nonsense"], "Unknown command"),
    ],
)
def test_bad_input_is_one_clear_sentence(cli, arguments, words):
    code, _, err = cli(*arguments)
    assert code == 4
    assert words in err
    assert "Traceback" not in err
    assert 1 <= len(err.strip().splitlines()) <= 2


@pytest.mark.parametrize(
    ("text", "words"),
    [("a: [", "not valid YAML"), ("a: 1", "not an OpenAPI 3 document"), ("openapi: 3.1.0", "no `paths`")],
)
def test_a_file_that_is_no_document_is_a_problem(cli, folder, text, words):
    (folder / "x.yaml").write_text(text)
    code, _, err = cli("check", "--spec", "x.yaml")
    assert code == 4
    assert words in err


def test_a_broken_settings_file_is_a_problem(cli, folder):
    (folder / "lakeproof.toml").write_text("depth = [")
    code, _, err = cli("check")
    assert code == 4
    assert "not valid TOML" in err


def test_a_server_of_another_kind_is_recognised(cli, server):
    code, _, err = cli("check", server.url + "/v1/elsewhere", "--api", "lance")
    assert code == 4
    assert "it does not speak lance/0.11" in err


# The rest


def test_explain_shows_statement_clause_and_source(cli):
    code, out, err = cli("explain", "lance.namespace.create.conflict")
    assert code == 0, out + err
    assert "returns 409 with code 2" in out
    assert "create-namespace-mode-create" in out
    assert "def test_create_existing_namespace" in out


def test_explain_works_in_a_process_of_its_own():
    command = [sys.executable, "-m", "lakeproof", "explain", "spark.lance.table.created"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.startswith("spark.lance.table.created\n")
    assert "@must" in shown


def test_report_writes_the_reports_again(cli, server, folder):
    cli("check", server.url, "-k", "lance.namespace.create")
    page = folder / "lakeproof-report" / "report.html"
    before = page.read_text()
    page.unlink()
    assert cli("report", "lakeproof-report")[0] == 0
    assert page.read_text() == before
    cli("report", "lakeproof-report/results.json", "--report", "elsewhere")
    assert (folder / "elsewhere" / "report.html").read_text() == before


def test_coverage_counts_statuses_and_clauses(cli, monkeypatch):
    monkeypatch.setenv("LAKEPROOF_SELECT", "lance.namespace.create")
    code, out, err = cli("coverage", "--json")
    coverage = json.loads(out)
    states = {(entry["operation"], entry["status"]): entry for entry in coverage["statuses"]}
    assert states["CreateNamespace", "409"]["state"] == "covered"
    assert "lance.namespace.create.conflict" in states["CreateNamespace", "409"]["by"]
    assert states["DropTable", "200"]["state"] == "gap"
    assert code == 1
    assert "coverage.toml allows" in err


def test_coverage_counts_the_cells_of_a_run(cli, server):
    cli("check", server.url, "-k", "lance.namespace.create")
    code, out, err = cli("coverage", "lakeproof-report", "--json")
    cells = {(entry["operation"], entry["cell"]): entry["state"] for entry in json.loads(out)["cells"]}
    assert cells["CreateNamespace", "body /mode: value"] == "covered"
    assert cells["CreateTable", "query mode: value"] == "gap"
    assert code == 1
    assert err == ""


def test_coverage_shows_a_gap(cli, server):
    cli("check", server.url, "-k", "lance.namespace.create")
    code, out, _ = cli("coverage", "lakeproof-report")
    assert code == 1
    assert "gap: no requirement reaches it" in out


def test_spec_commands(cli, folder):
    assert "lance/2026-03" in cli("spec", "list")[1]
    assert "/v1/table/{id}/create" in cli("spec", "list", "lance")[1]
    shown = cli("spec", "show", "RegisterTable")[1]
    assert "location" in shown
    assert "register-mode-overwrite" in shown
    document = find_profile("lance/2026-03").file(".yaml")
    assert cli("spec", "diff", "lance/2026-03", document)[:2] == (0, "no structural difference\n")
    raw = yaml.safe_load(document.read_text())
    raw["components"]["schemas"]["PageLimit"]["minimum"] = 1
    (folder / "other.yaml").write_text(yaml.safe_dump(raw))
    code, out, _ = cli("spec", "diff", "lance/2026-03", "other.yaml")
    assert code == 1
    assert "/components/schemas/PageLimit/minimum" in out
    code, out, _ = cli("spec", "lint", document)
    assert code == 1
    assert "void-nullable" in out


def test_spec_commands_know_what_is_only_documented(cli):
    assert "iceberg/1.6 " in cli("spec", "list")[1]
    assert "unregisterTable" in cli("spec", "list", "iceberg")[1]
    assert "unregisterTable" not in cli("spec", "list", "iceberg/1.11")[1]
    shown = cli("spec", "show", "dropNamespace", "--profile", "iceberg")[1]
    assert "409 NamespaceNotEmptyException" in shown
    assert "drop-namespace-not-empty" in shown
    code, out, _ = cli("spec", "diff", "iceberg/2026-08", "iceberg/1.11")
    assert code == 1
    assert "/components/parameters/function" in out
    code, out, _ = cli("spec", "lint", "iceberg/1.11")
    assert code == 1
    assert "5 defects" in out


def test_serve_lists_the_faults_of_what_it_would_serve(cli):
    code, out, err = cli("serve", "--api", "lance", "--list-faults")
    assert code == 0, out + err
    assert "slow[:SECONDS]" in out
    assert "torn-batch" in out
    assert "commit-conflict" not in out
    assert "lost-answer-field:OPERATION:FIELD" in out
    code, out, err = cli("serve", "--list-faults")
    assert code == 0, out + err
    assert "torn-batch" in out
    assert "commit-conflict" in out
    assert "iceberg, polaris" in out


def test_faults_are_listed_as_json(cli):
    code, out, err = cli("serve", "--api", "polaris", "--list-faults", "--json")
    assert code == 0, out + err
    listed = json.loads(out)
    faults = {fault["name"]: fault for fault in listed["faults"]}
    assert faults["slow"]["form"] == "slow[:SECONDS]"
    assert faults["slow"]["operations"] == []
    assert faults["commit-conflict"]["group"] == "Commits and writes"
    assert "updateTable" in faults["commit-conflict"]["operations"]
    assert "torn-batch" not in faults
    assert "scan-one-id" not in faults  # its operation is of the Iceberg API alone
    assert {"form": "said-only:OPERATION", "breaks": "OPERATION is answered with success, but not done."} in listed[
        "derived"
    ]


def test_json_without_a_list_is_refused(cli):
    code, _, err = cli("serve", "--json")
    assert code == 4
    assert "--list-faults" in err


def test_the_public_names_are_what_they_say():
    import lakeproof  # noqa: PLC0415

    servers = {"Rule", "Server", "ServerSettings", "TenantServer", "connect", "serve"}
    assert set(lakeproof.__all__) == {*servers, "check", "reproduce"}
    assert [name for name in lakeproof.__all__ if not callable(getattr(lakeproof, name))] == []
    with pytest.raises(AttributeError):
        lakeproof.nothing  # noqa: B018
