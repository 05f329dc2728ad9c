"""The command that judges with many seeds: green runs, and how a red one is told."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from tests.stress import seeds

WANTED = ["--api", "iceberg", "--jobs", "1", "-k", "iceberg.update.format.rises"]


@pytest.fixture
def run():
    return lambda *options: CliRunner().invoke(seeds.seeds, [*WANTED, *options], catch_exceptions=False)


def test_every_run_has_its_seed(run):
    done = run("--count", "2", "--seed", "7")
    assert done.exit_code == 0, done.output
    first, second = done.output.splitlines()
    assert first.startswith("iceberg 1 of 2: seed 7, 1 requirements, ")
    assert first.endswith(": green")
    assert second.endswith(": green")
    assert "seed 7," not in second


def test_runs_in_a_directory_begin_without_what_others_left(tmp_path):
    given = ["--api", "polaris", "--jobs", "1", "-k", "polaris.principal.create", "--storage", f"dir:{tmp_path}"]
    done = CliRunner().invoke(seeds.seeds, [*given, "--count", "2", "--which", "all"], catch_exceptions=False)
    assert [line.endswith(": green") for line in done.output.splitlines()] == [True, True]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_red_run_ends_it_and_tells_how_to_repeat_it(run, monkeypatch):
    monkeypatch.setattr(seeds, "RED", ("pass",))
    done = run("--count", "2", "--seed", "7", "--which", "all")
    assert done.exit_code == 1
    assert "  iceberg.update.format.rises: pass" in done.output
    again = "--api iceberg --count 1 --seed 7 --jobs 1 --storage memory --which all --one-in 1"
    command = f"python -m tests.stress seeds {again} -k iceberg.update.format.rises"
    assert done.output.splitlines()[-1] == f"again: {command}"


@pytest.mark.parametrize(
    ("which", "select", "number"),
    [
        ("drawn", "iceberg.namespace.create.nested", 1),
        ("worlds", "iceberg.namespace.create.nested", 1),
        ("examples", "iceberg.namespace.create.nested", 0),
        ("drawn", "iceberg.wire.load_table", 0),
        ("all", "iceberg.wire.load_table", 1),
    ],
)
def test_only_what_the_seed_changes_is_tested(run, which, select, number):
    assert f"{number} requirements" in run("--count", "1", "--which", which, "-k", select).output


def test_a_seed_draws_a_part():
    every = seeds._chosen("iceberg", seeds.WHICH["worlds"], 7, 1)
    part = seeds._chosen("iceberg", seeds.WHICH["worlds"], 7, 4)
    assert part < every
    assert part != seeds._chosen("iceberg", seeds.WHICH["worlds"], 8, 4)
    assert 0.2 < len(part) / len(every) < 0.3
