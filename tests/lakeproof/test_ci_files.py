"""The files for CI systems: an action, a GitLab job and a Dockerfile, run in clean folders with only the wheel."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys

import pytest

from tests.lakeproof.ci_machines import Docker, GitHub, gitlab
from tests.lakeproof.environments import ROOT, environment, run

FAULT = "config-key-lifetime-in-seconds"
BROKEN = "iceberg.config.key_lifetime"
KEEPS = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02"
SHOWS = "github/codeql-action/upload-sarif@99df26d4f13ea111d4ec1a7dddef6063f76b97e9"
INSTALLER = """#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\\necho "$@"\\n' > "$3/bin/pip"
chmod +x "$3/bin/pip"
"""
PART = {"LAKEPROOF_SELECT": f"{BROKEN} or iceberg.config.maps", "LAKEPROOF_DEPTH": "smoke"}


@contextlib.contextmanager
def starting(*faults):
    """Start a server as a job does, in the background, and yield its URL without waiting for it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = [word for fault in faults for word in ("--fault", fault)]
    command = [sys.executable, "-m", "lakeproof", "serve", "--api", "iceberg", "--port", str(port), *given]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def git(*words, folder):
    code, output = run("git", *words, cwd=folder)
    assert code == 0, output
    return output


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the packages that lakeproof depends on, without it."""
    folder = tmp_path_factory.mktemp("dependencies")
    environment(folder, "-r", ROOT / "pyproject.toml")
    return next(folder.glob("lib/python*/site-packages"))


@pytest.fixture(scope="module")
def github(tmp_path_factory, site):
    """A runner whose workspace is a clone with a commit."""
    runner = GitHub(tmp_path_factory.mktemp("github"), site)
    origin = runner.folder / "origin.git"
    git("init", "--quiet", "--bare", origin, folder=runner.folder)
    git("clone", "--quiet", origin, runner.workspace, folder=runner.folder)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    git(*who, "commit", "--quiet", "--allow-empty", "-m", "first", folder=runner.workspace)
    return runner


def test_the_action(github, wheel):
    """A server with a defect fails; with the defect in the file of known ones it passes. Both push a badge."""
    inputs = {"api": "iceberg", "package": str(wheel), "badge-branch": "badges", "jobs": "1"}
    with starting(FAULT) as url:
        passed, outputs = github.use({**inputs, "url": url, "artifact": "mine", "code-scanning": "true"}, **PART)
        assert (passed, outputs) == (False, {"exit-code": "1", "report": "lakeproof-report"}), github.said
        assert "::error title=MUST" in github.said
        assert github.summary.startswith("## ") and BROKEN in github.summary
        assert github.used == [
            (KEEPS, {"name": "mine", "path": "lakeproof-report"}),
            (
                SHOWS,
                {"sarif_file": "lakeproof-report/findings.sarif", "category": "mine"},
            ),
        ]
        assert (github.workspace / "lakeproof-report" / "findings.sarif").exists()
        command = github.temp / "lakeproof" / "bin" / "lakeproof"
        assert run(command, "expect", "--file", "known.toml", cwd=github.workspace)[0] == 0
        known = {**inputs, "url": url, "artifact": "other", "expect": "known.toml"}
        assert github.use(known, **PART)[1]["exit-code"] == "0", github.said
        assert [used for used, _ in github.used[2:]] == [KEEPS]
    badges = git("ls-tree", "--name-only", "badges", folder=github.folder / "origin.git").split()
    assert badges == ["mine.json", "other.json"]
    badge = json.loads(git("show", "badges:mine.json", folder=github.folder / "origin.git"))
    assert (badge["schemaVersion"], badge["message"]) == (1, "1/2, 34/35 operations (partial run)")
    assert len(git("log", "--format=%H", "badges", folder=github.folder / "origin.git").split()) == 2


@pytest.mark.parametrize(
    ("inputs", "installed"),
    [
        ({"api": "lance"}, "w.whl[lance]"),
        ({"api": "iceberg"}, "w.whl"),
        ({"api": "polaris"}, "w.whl"),
        ({"api": "iceberg", "extras": "s3"}, "w.whl[s3]"),
        ({"api": "lance", "extras": "lance,s3"}, "w.whl[lance,s3]"),
    ],
    ids=str,
)
def test_the_action_installs_what_its_api_needs(tmp_path, site, inputs, installed):
    """A program in the place of Python makes an environment whose pip prints its arguments."""
    python = tmp_path / "python"
    python.write_text(INSTALLER)
    python.chmod(0o755)
    runner = GitHub(tmp_path / "runner", site)
    runner.use({"url": "http://127.0.0.1:9", "package": "w.whl", "python": str(python), **inputs})
    assert f"install --quiet {installed}\n" in runner.said


def test_the_action_keeps_nothing_where_no_report_was_written(github, wheel):
    """The report of an earlier step is not shown as that of a run that found no server."""
    before, used = github.summary, len(github.used)
    inputs = {"url": "http://127.0.0.1:9", "api": "iceberg", "package": str(wheel), "wait": "0"}
    passed, outputs = github.use(inputs, **PART)
    assert (passed, outputs) == (False, {"exit-code": "4", "report": ""}), github.said
    assert (github.summary, len(github.used)) == (before, used)


def test_the_job_of_gitlab(tmp_path, site, wheel):
    variables = {**PART, "LAKEPROOF_API": "iceberg", "LAKEPROOF_PACKAGE": str(wheel), "LAKEPROOF_JOBS": "1"}
    with starting(FAULT) as url:
        code, said, artifacts = gitlab(tmp_path, site, LAKEPROOF_SERVER=url, **variables)
    assert (code, BROKEN in said) == (1, True), said
    assert [path for path in artifacts if not path.exists()] == []


def test_the_image(tmp_path, site):
    image = Docker(tmp_path / "docker", site, EXTRAS="")
    assert image.users.read_text().split() == ["--create-home", "--home-dir", "/work", image.user]
    with starting() as url:
        code, said = image.run("check", url, "--api", "iceberg", "--wait", "60", **PART)
    assert code == 0, said
    assert image.place == image.root / "work"
    assert (image.place / "lakeproof-report" / "report.html").exists()
    assert [name for name in ("tests", ".git", "reports") if (image.stages["build"] / "src" / name).exists()] == []
