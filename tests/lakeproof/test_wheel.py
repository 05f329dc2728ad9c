"""The wheel: installed without extras into a project that has packages and options of the same names."""

from __future__ import annotations

import json
import os
from zipfile import ZipFile

import pytest

from conformance.http.operation_stub import stub
from specs.apis import apis
from tests.lakeproof.environments import environment, run

PACKAGES = ("conformance", "specs", "reference_server", "spark_tests", "reports")
CONFTEST = """
    import pytest

    def pytest_addoption(parser):
        parser.addoption("--server", default="mine")
        parser.addoption("--api", default="mine")

    def pytest_configure(config):
        config.addinivalue_line("markers", "requirement(text): a marker of the project")
"""
OWN_TEST = """
    import importlib
    import sys
    from pathlib import Path

    import pytest

    PROJECT = Path(__file__).parent.parent

    @pytest.mark.requirement("of the project")
    @pytest.mark.parametrize(
        "name", ["conformance", "specs", "reference_server", "spark_tests", "reports"]
    )
    def test_packages_are_the_projects(name):
        module = importlib.import_module(name)
        assert module.NAME == f"{name} of the project"
        assert Path(module.__file__) == PROJECT / name / "__init__.py"

    def test_lakeproof_is_not_imported_but_for_its_plugin():
        ours = {name for name in sys.modules if name.startswith("lakeproof")}
        assert ours == {"lakeproof", "lakeproof.packages", "lakeproof.pytest_plugin"}

    def test_options_are_the_projects(pytestconfig):
        assert pytestconfig.getoption("--server") == pytestconfig.getoption("--api") == "mine"

    def test_the_server_says_what_is_in_its_way(request):
        with pytest.raises(ImportError, match="of this project .*separate process"):
            request.getfixturevalue("lakeproof_server")
"""
MOCK_TEST = """
    import urllib.request

    import pytest

    @pytest.mark.parametrize("lakeproof_server", ["iceberg"], indirect=True)
    def test_mock(lakeproof_server):
        assert urllib.request.urlopen(lakeproof_server.url + "/v1/config").status == 200
"""
NEEDS_PYLANCE = ("lance needs pyarrow and pylance", "lance")
NEEDS_PYSPARK = ("spark needs pyspark", "spark")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line.removeprefix("    ") for line in text.splitlines()]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory, wheel):
    """The folder of the commands of an environment that has the wheel, without extras, and nothing else."""
    return environment(tmp_path_factory.mktemp("installed") / "venv", wheel)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose packages have the names of ours, with tests of its own."""
    for name in PACKAGES:
        write(tmp_path / name / "__init__.py", f'NAME = "{name} of the project"')
    write(tmp_path / "tests" / "conftest.py", CONFTEST)
    write(tmp_path / "tests" / "test_own.py", OWN_TEST)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return tmp_path


@pytest.mark.parametrize("command", [["python", "-m", "pytest"], ["pytest", "-o", "pythonpath=."]], ids=" ".join)
def test_the_tests_of_a_project_are_not_disturbed(scripts, project, command):
    code, output = run(scripts / command[0], *command[1:], "-q", "--strict-markers", "-p", "no:cacheprovider", "tests")
    assert code == 0, output
    assert f"{len(PACKAGES) + 3} passed" in output


@pytest.mark.parametrize(
    ("command", "path"), [(["lakeproof"], {"PYTHONPATH": "."}), (["python", "-m", "lakeproof"], {})], ids=str
)
def test_the_command_works_there(scripts, project, command, path):
    select = ["--api", "iceberg", "-k", "iceberg.config", "--report", "out"]
    code, output = run(scripts / command[0], *command[1:], "check", *select, env=os.environ | path)
    assert code == 0, output
    results = json.loads((project / "out" / "results.json").read_text())
    assert results["totals"]["pass"] > 0


def test_the_suite_runs_under_pytest_there(scripts, project):
    options = ["--lakeproof-server", "http://127.0.0.1:9", "--lakeproof-api", "iceberg", "--pyargs", "conformance"]
    code, output = run(scripts / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options)
    assert (code, "cannot be reached" in output) == (4, True), output


def test_the_fixture_works_without_extras(scripts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "test_mock.py", MOCK_TEST)
    code, output = run(scripts / "pytest", "-q", "-p", "no:cacheprovider")
    assert code == 0, output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--api", "lance"], NEEDS_PYLANCE),
        (["check", "-k", "lance.namespace"], NEEDS_PYLANCE),
        (["list", "--api", "lance"], NEEDS_PYLANCE),
        (["serve", "--port", "0"], NEEDS_PYLANCE),
        (["spark", "--api", "iceberg"], NEEDS_PYSPARK),
        (["race", "--api", "iceberg"], NEEDS_PYSPARK),
        (["warehouse", "report"], NEEDS_PYSPARK),
        (
            ["serve", "--api", "iceberg", "--warehouse", "w=s3://bucket/path"],
            ("s3 needs botocore and pyarrow", "s3"),
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value[:3]),
)
def test_what_needs_an_extra_says_which(scripts, wheel, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, output = run(scripts / "lakeproof", *arguments)
    # A slow machine prints before it, every ten seconds, that the embedded server starts.
    assert (code, output.splitlines()[-1]) == (4, f"lakeproof: {_said(message, scripts, wheel)}")


def _said(message, scripts, wheel):
    """The message about a missing extra, with a command for this installation, which came by a wheel."""
    words, extra = message
    return f"{words}: {scripts / 'python'} -m pip install 'lakeproof[{extra}] @ {wheel.as_uri()}'"


def test_without_extras_the_other_apis_are_tested(scripts, wheel, tmp_path, monkeypatch):
    """The installation has no pyarrow, which is larger than all the rest."""
    monkeypatch.chdir(tmp_path)
    assert run(scripts / "python", "-c", "import pyarrow")[0] == 1
    code, output = run(
        scripts / "lakeproof", "check", "--depth", "smoke", "-k", "config or policy.create or scan.deletes"
    )
    assert code == 0, output
    assert f"Lance Namespace is left out: {_said(NEEDS_PYLANCE, scripts, wheel)}" in output.splitlines()
    assert {path.name for path in (tmp_path / "lakeproof-report").iterdir()} >= {"iceberg", "polaris", "report.html"}


def test_the_wheel_has_the_packages_alone(wheel):
    """Tools for measuring and for tests of the kit stay in the repository."""
    names = [name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert {name.split("/")[0] for name in names} == {*PACKAGES} - {"reports"} | {"lakeproof"}
    assert [name for name in names if {"tests", "stress", "generate.py"} & {*name.split("/")}] == []


@pytest.mark.parametrize("api", apis())
def test_the_wheel_has_the_stub_of_every_api(wheel, api):
    assert ZipFile(wheel).read(f"conformance/{api}/methods.pyi").decode() == stub(api)


def test_every_package_is_typed(scripts):
    site = next(scripts.parent.glob("lib/python*/site-packages"))
    assert {path.parent.name for path in site.glob("*/py.typed")} >= {*PACKAGES} - {"reports"} | {"lakeproof"}
