"""Commands about runs that were made: findings seen again, made known, and compared."""

from __future__ import annotations

import html
import json
import re
import shlex

from lakeproof import serve

CONFLICT = "lance.namespace.create.conflict"


# Seeing findings again


def test_a_finding_is_sent_again(cli, folder, monkeypatch):
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as faulty:
        assert cli("check", faulty.url, "-k", CONFLICT)[0] == 1
        code, out, _ = cli("repro", CONFLICT)
        assert (
            code,
            "It still fails: CreateNamespace: expected 409, got 400 (CreateNamespace returns 400, as recorded)." in out,
        ) == (1, True)
        assert "3. POST /v1/namespace/" in out
        code, out, _ = cli("repro", "--all")
        assert (code, f"{CONFLICT}  It still fails" in out) == (1, True)
        assert "1 still fail, 0 fixed, 0 unknown" in out
        assert cli("repro")[0] == cli("repro", "--all", "--as", "curl")[0] == 4
        assert cli("repro", CONFLICT, "--as", "curl")[1].startswith("#!/bin/sh")
        assert "def test_lance_namespace_create_conflict" in cli("repro", CONFLICT, "--as", "pytest")[1]
        monkeypatch.setenv("LAKEPROOF_READ_ONLY", "1")
        code, out, err = cli("repro", CONFLICT)
        assert (code, out, "read_only is set, and the run of this finding writes" in err) == (4, "", True)
        monkeypatch.delenv("LAKEPROOF_READ_ONLY")
    with serve("lance", storage="memory:pure") as fixed:
        code, out, _ = cli("repro", CONFLICT, fixed.url)
        assert (code, "It is fixed" in out, "(recorded: 400)" in out) == (0, True, True)
        code, out, _ = cli("repro", "--all", fixed.url)
        assert (code, "0 still fail, 1 fixed, 0 unknown" in out) == (0, True)
    assert "no finding" in cli("repro", "lance.namespace.create.other")[2]


def test_what_a_run_with_a_folder_of_its_own_prints_can_be_pasted(cli, folder):
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as faulty:
        out = cli("check", faulty.url, "-k", CONFLICT, "--report", "a b/r2")[1]
        repro, again = (re.search(rf"{word}: lakeproof (.*)", out)[1] for word in ("steps", "again"))
        assert "It still fails" in cli(*shlex.split(repro))[1]
        page = (folder / "a b" / "r2" / "report.html").read_text()
        assert f"lakeproof {repro}" in html.unescape(page)
        (folder / "a b" / "r2" / "results.json").unlink()
        assert cli(*shlex.split(again))[0] == 1
        assert (folder / "a b" / "r2" / "results.json").exists()
        assert not (folder / "lakeproof-report").exists()
        known = ("--file", "known.toml")
        assert cli("expect", "a b/r2", *known)[0] == 0
    with serve("lance", storage="memory:pure") as fixed:
        out = cli("check", fixed.url, "-k", CONFLICT, "--report", "a b/r2", "--expect", "known.toml")[1]
        prune = re.search(r"remove it with `lakeproof (.*)`", out)[1]
        assert "0 added, 1 removed" in cli(*shlex.split(prune))[1]


# Several runs


def test_two_servers_are_compared_and_their_runs_too(cli, folder):
    right, wrong = (serve("lance", storage="memory:pure", faults=faults) for faults in ([], ["conflict-as-400"]))
    with right as first, wrong as other:
        code, out, _ = cli("compare", first.url, other.url, "-k", CONFLICT)
    assert (code, "Only A follows the document" in out, CONFLICT in out) == (1, True, True)
    code, out, _ = cli("diff", "lakeproof-report/a", "lakeproof-report/b")
    assert (code, "1 newly broken" in out, "CreateNamespace: expected 409, got 400" in out) == (1, True, True)
    assert out.partition("\n")[0].count("(20") == 2, "both runs are named in one line"
    code, out, _ = cli("diff", "lakeproof-report/b", "lakeproof-report/a", "--json")
    assert (code, [entry["change"] for entry in json.loads(out)]) == (0, ["fixed"])
    assert cli("diff", "lakeproof-report/a", "lakeproof-report/a")[:2][0] == 0
    assert cli("matrix", "lakeproof-report/a", "lakeproof-report/b", "--report", "m")[0] == 0
    links = re.findall(r'href="([^"#]+report.html)#([^"]+)"', (folder / "m" / "matrix.html").read_text())
    assert [name for _, name in links] == [CONFLICT]
    assert (folder / "m" / links[0][0]).exists()


# Known deviations


def test_findings_can_be_made_known_and_taken_out_again(cli, folder):
    select = ("-k", CONFLICT)
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as faulty:
        assert cli("check", faulty.url, *select)[0] == 1
        code, out, _ = cli("expect", "--reason", "by design", "--expires", "2999-12-31")
        assert (code, "1 added, 0 removed" in out) == (0, True)
        assert "2999-12-31" in (folder / "lakeproof-expectations.toml").read_text()
        code, out, _ = cli("check", faulty.url, *select)
        assert (code, "1 known" in out) == (0, True)
    with serve("lance", storage="memory:pure") as fixed:
        code, out, _ = cli("check", fixed.url, *select)
        assert (code, f"stale: {CONFLICT} passes now" in out) == (1, True)
        assert f"stale: {CONFLICT}" in (folder / "lakeproof-report" / "summary.md").read_text()
        assert "0 added, 1 removed" in cli("expect", "--prune")[1]
        assert cli("check", fixed.url, *select)[0] == 0


def test_expectations_of_another_profile_are_refused_where_they_are_named(cli, server, folder):
    (folder / "other.toml").write_text('profile = "iceberg/1.11"')
    code, _, err = cli("check", server.url, "--expect", "other.toml")
    assert (code, "is for the profile iceberg/1.11" in err) == (4, True)
    (folder / "other.toml").rename(folder / "lakeproof-expectations.toml")
    assert cli("check", server.url, "-k", CONFLICT)[0] == 0
    assert cli("expect", "lakeproof-report")[0] == 4
