"""Words on the command line and in the environment that mean nothing: refused at once, with the nearest."""

from __future__ import annotations

import pytest

from lakeproof import options as command_options


@pytest.mark.parametrize(
    ("arguments", "name", "value", "nearest"),
    [
        (["check", "--kinds", "behavior"], "--kinds", "behavior", "behaviour"),
        (["check", "--depth", "depp"], "--depth", "depp", "deep"),
        (["check", "--api", "icberg"], "--api", "icberg", "iceberg"),
        (["check", "--profile", "iceberg/1.12"], "profile", "iceberg/1.12", "iceberg/1.11"),
        (["check", "--api", "lance", "--operation", "CreateTabel"], "operation", "CreateTabel", "CreateTable"),
        (["list", "--kinds", "wirre"], "--kinds", "wirre", "wire"),
        (["explain", "lance.namespace.create.conflit"], "requirement", "conflit", "lance.namespace.create.conflict"),
        (["serve", "--api", "lanse"], "--api", "lanse", "lance"),
        (["serve", "--fault", "conflict-as-40"], "fault", "conflict-as-40", "conflict-as-400"),
        (["repro", "x", "--as", "crul"], "--as", "crul", "curl"),
        (["spark", "--api", "lanse"], "--api", "lanse", "lance"),
        (["spec", "show", "CreateTabel"], "operation", "CreateTabel", "CreateTable"),
        (["chekc"], "command", "chekc", "check"),
    ],
)
def test_the_nearest_is_named(cli, arguments, name, value, nearest):
    code, out, err = cli(*arguments)
    assert (code, out) == (4, "")
    said = " ".join(err.split())
    assert name in said
    assert value in said
    assert f"Did you mean {nearest}" in said


@pytest.mark.parametrize("command", [["check"], ["serve"], ["list"], ["spec", "list"]])
@pytest.mark.parametrize(
    ("variable", "nearest"),
    [("LAKEPROOF_DEPHT", "depth"), ("LAKEPROOF_SERVE_PROT", "LAKEPROOF_SERVE_PORT")],
)
def test_a_variable_that_no_command_knows_is_refused_by_all(cli, monkeypatch, command, variable, nearest):
    monkeypatch.setenv(variable, "1")
    code, out, err = cli(*command)
    assert (code, out) == (4, "")
    assert f"The environment has an unknown setting: {variable}." in err
    assert f"Did you mean {nearest}?" in err


def test_variables_of_other_commands_are_left_alone(cli, monkeypatch):
    for name in ("SERVE_PORT", "SERVE_FAULT", "DEPTH", "SERVER", "AUTHORIZATION", "X_API_KEY"):
        monkeypatch.setenv(f"LAKEPROOF_{name}", "smoke")
    assert cli("spec", "list")[0] == 0


USELESS = [
    ["race", "http://127.0.0.1:9", "--api", "lance", "--fault", "lost-update"],
    ["race", "http://127.0.0.1:9", "--api", "lance", "--storage", "memory"],
    ["check", "http://127.0.0.1:9", "--storage", "memory"],
    ["check", "http://127.0.0.1:9", "--ca", "nosuch.pem"],
    ["check", "--seed", "3"],
    *(["repro", "x", "--as", "curl", *given] for given in (["--token", "t"], ["--credential", "a:b"])),
    ["repro", "x", "--as", "curl", "--header", "a: b"],
    *(["coverage", "run", *given] for given in (["--api", "lance"], ["--profile", "p"], ["--storage", "memory"])),
    *(["expect", "--prune", *given] for given in (["--reason", "r"], ["--link", "l"], ["--expires", "2030-01-01"])),
    ["warehouse", "load", "x", "--token", "t"],
    ["warehouse", "load", "x", "--catalog", "http://127.0.0.1:9", "--folder", "f"],
    ["warehouse", "report", "--credential", "a:b"],
]


@pytest.mark.parametrize("arguments", USELESS, ids=" ".join)
def test_options_that_do_nothing_are_refused(cli, arguments):
    code, out, err = cli(*arguments)
    assert (code, out) == (4, "")
    assert [word for word in arguments if word in err and word.startswith("--")], err  # it names the option
    assert "eave " in err  # leave it out, or one of them


@pytest.mark.parametrize("command", [["race"], ["spark"], ["compare", "http://127.0.0.1:9", "http://127.0.0.1:9"]])
def test_a_command_that_writes_is_refused_in_a_read_only_environment(cli, monkeypatch, command):
    monkeypatch.setenv("LAKEPROOF_READ_ONLY", "true")
    code, out, err = cli(*command)
    assert (code, out) == (4, "")
    assert "read_only is set, and a " in err
    assert "Unset it in lakeproof.toml or LAKEPROOF_READ_ONLY." in " ".join(err.split())


def test_every_command_with_such_options_is_tested():
    tested = {word for arguments in USELESS for word in arguments[:2]}
    assert tested >= command_options.BESIDE.keys() | command_options.WITHOUT.keys()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("lakeproof.toml", []),
        ("lakeproof-expectations.toml", []),
        ("lakeproof-expectations.toml", ["--api", "iceberg"]),
        ("known.toml", ["--expect", "known.toml"]),
    ],
)
def test_a_broken_file_is_told_before_anything_runs(cli, folder, monkeypatch, name, options):
    def work(*_):
        raise AssertionError("the work began")

    monkeypatch.setattr("lakeproof.checking.target_of", work)
    (folder / name).write_text('profile = "lance/2026-03"\nknown = [\n')
    code, out, err = cli("check", *options)
    assert (code, out) == (4, "")
    assert name in err
    assert "line " in err or "end of document" in err
