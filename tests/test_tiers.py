"""The tiers of the tests: each file is in one, and each tier is run by tox, by .ci/run and by both CI systems."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.tiers import ROOT, TIERS, is_left_out, tier_of

FILES = sorted((ROOT / "tests").rglob("test_*.py"))
ENTRIES = [(tier, entry) for tier, entries in TIERS.items() for entry in entries]
COMMIT = ("unit", "self")  # what `tox` runs alone


@pytest.fixture(scope="module")
def tox():
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "tox.ini")
    return parser


def test_each_file_is_in_one_tier():
    assert len(FILES) > 300
    for path in FILES:
        assert [tier for tier in TIERS if not is_left_out(path, [tier])] == [tier_of(path)], path
        assert not is_left_out(path, None)


def test_each_entry_stands_for_files_of_its_own():
    assert len({entry for _, entry in ENTRIES}) == len(ENTRIES)
    for tier, entry in ENTRIES:
        path = ROOT / entry
        assert path in FILES or path.is_dir(), f"tests/tiers.toml: {entry} is no test file and no folder"
        assert any(tier_of(file) == tier and file.is_relative_to(path) for file in FILES), entry


def test_a_new_file_needs_no_entry():
    for name, tier in {"specs/test_new.py": "unit", "clients/test_new.py": "clients"}.items():
        assert tier_of(ROOT / "tests" / name) == tier


def test_files_of_others_are_collected_with_every_tier():
    """Helpers hold no tests, and pytest may run test files of other folders."""
    assert not is_left_out(Path(__file__).with_name("conftest.py"), ["spark"])
    assert not is_left_out(Path("/elsewhere/test_x.py"), ["spark"])


def test_pytest_collects_the_files_of_a_tier_alone(tox):
    """In the form that tox uses: without `=` pytest takes `peers` for the folder of this name."""
    (tests,) = [name for name in tox.sections() if name.startswith("testenv:{") and "stress" in name]
    form = tox[tests]["commands"].split()[-2]
    command = [sys.executable, "-m", "pytest", "-qq", "--collect-only", form.replace("{env_name}", "peers")]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = {ROOT / line.partition(":")[0] for line in listed.stdout.splitlines() if line.startswith("tests/")}
    assert found == {path for path in FILES if tier_of(path) == "peers"}, listed.stdout + listed.stderr


def test_tox_alone_runs_what_a_commit_needs(tox):
    assert tox["tox"]["env_list"] == "py"
    assert re.findall(r"--tier=(\w+)", tox["testenv:py"]["commands"]) == list(COMMIT)
    (tests,) = [name for name in tox.sections() if name.startswith("testenv:{") and "stress" in name]
    assert set(tests.partition("{")[2].rstrip("}").split(",")) == set(TIERS)
    purposes = dict(line.split(": ", 1) for line in tox[tests]["description"].split("\n") if line)
    assert purposes.keys() == TIERS.keys()


def test_ci_runs_every_tier():
    run = (ROOT / ".ci" / "run").read_text()
    readme = (ROOT / "README.md").read_text()
    (command,) = [line for line in readme.splitlines() if line.endswith("tox -qq")]
    assert any(line.startswith(f"{command} || ") for line in run.splitlines())
    assert re.findall(r"--tier=(\w+)", run) == [tier for tier in TIERS if tier not in COMMIT]
    assert "--junit-xml .tox/junit/ci.xml" in run, "the results of the first run are in .tox/junit/py.xml"
    github = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert set(TIERS) <= set(github["jobs"]["tests"]["strategy"]["matrix"]["tox"])
    gitlab = yaml.safe_load((ROOT / ".gitlab-ci.yml").read_text())
    assert set(TIERS) <= set(gitlab["tests"]["parallel"]["matrix"][0]["TOX"])


def test_the_command_of_tox_is_one_line(tox):
    """A line that goes on without a backslash is a second command, and the arguments of tox are for the last one."""
    *others, last = tox["pytest"]["command"].splitlines()
    assert [line for line in others if not line.endswith("\\")] == []
    assert not last.endswith("\\")


def test_contributors_read_the_purposes_that_tox_says(tox):
    page = (ROOT / "CONTRIBUTING.md").read_text().replace("`", "")
    (tests,) = [name for name in tox.sections() if name.startswith("testenv:{") and "stress" in name]
    for line in filter(None, tox[tests]["description"].split("\n")):
        tier, purpose = line.split(": ", 1)
        assert f"| {tier} | {purpose} |" in page
