"""Starting Iceberg's Java peers: which Java, which jars; and one run of the kit against the fixture."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from lakeproof import serve
from peers.iceberg_java import fixture as fixture_module
from peers.iceberg_java import jars
from peers.iceberg_java.embedded import FLAGS
from peers.iceberg_java.fixture import environment, fixture
from peers.iceberg_java.judging import judge
from peers.iceberg_java.kit import probe
from spark_tests import java
from spark_tests.java import Java, find_java, java_version, trust_options
from specs.problems import Problem

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_401"', 8),
        ('openjdk version "25" 2025-09-16', 25),
        ("no such thing", 0),
    ],
)
def test_java_says_its_version(printed, version):
    assert java_version(printed) == version


@pytest.fixture
def javas(monkeypatch, tmp_path):
    """Make programs that answer like Javas, and let only these be found."""

    def make(*kinds):
        programs = []
        for number, (version, modules) in enumerate(kinds):
            program = tmp_path / str(number) / "bin" / "java"
            program.parent.mkdir(parents=True)
            listed = "\\n".join(f"{module}@{version}" for module in modules)
            program.write_text(
                f'#!/bin/sh\n[ "$1" = -version ] && echo \'openjdk version "{version}"\' >&2 || printf "{listed}\\n"\n'
            )
            program.chmod(0o755)
            programs.append((program, ()))
        monkeypatch.setattr(java, "_candidates", lambda: iter(programs))
        return [program for program, _ in programs]

    find_java.cache_clear()
    yield make
    find_java.cache_clear()


def test_the_first_java_that_is_new_enough_is_taken(javas):
    _, second, _ = javas(("11.0.2", ["jdk.net"]), ("17.0.9", ["java.base"]), ("21.0.1", ["jdk.net"]))
    assert find_java().program == second


def test_a_java_without_the_module_is_passed_over(javas):
    *_, third = javas(("11.0.2", ["jdk.net"]), ("17.0.9", ["java.base"]), ("21.0.1", ["jdk.net"]))
    assert find_java("jdk.net").program == third
    assert find_java("jdk.net").home == third.parent.parent


def test_a_refused_java_is_named(javas):
    old, bare = javas(("1.8.0_1", []), ("17.0.9", ["java.base"]))
    with pytest.raises(Problem) as problem:
        find_java("jdk.net")
    assert f"{old} is version 8" in problem.value.message
    assert f"{bare} does not contain the module jdk.net" in problem.value.message


def test_the_systems_authorities_are_handed_on(tmp_path):
    store = tmp_path / "cacerts"
    assert trust_options((store,)) == ()
    store.touch()
    assert trust_options((tmp_path / "none", store)) == (f"-Djavax.net.ssl.trustStore={store}",)


def test_the_cache_is_where_the_user_wants_it_and_follows_the_list(tmp_path):
    here = jars.cache_folder({"XDG_CACHE_HOME": str(tmp_path)})
    assert here.parent == tmp_path / "lakeproof" / "iceberg-java"
    assert jars.cache_folder({}).is_relative_to(Path.home() / ".cache")
    changed = tmp_path / "pom.xml"
    changed.write_bytes(jars.POM.read_bytes() + b"<!-- -->")
    assert jars.cache_folder({"XDG_CACHE_HOME": str(tmp_path)}, changed) != here


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(jars, "find_java", lambda: Java(Path("/opt/java/bin/java"), 17))
    return jars.cache_folder()


def resolver(monkeypatch, tmp_path, script):
    """Put a program in Maven's place."""
    program = tmp_path / "mvn"
    program.write_text(f"#!/bin/sh\nfor word; do folder=${{word#-DoutputDirectory=}}; done\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))


def test_jars_are_fetched_once(empty_cache, monkeypatch, tmp_path):
    resolver(monkeypatch, tmp_path, 'mkdir -p "$folder"; touch "$folder/a.jar"')
    assert [path.name for path in jars.resolve().iterdir()] == ["a.jar"]
    resolver(monkeypatch, tmp_path, "exit 1")
    assert jars.resolve() == empty_cache
    assert [path.name for path in empty_cache.parent.iterdir()] == [empty_cache.name]


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("[ERROR] PKIX path building failed", "trustStore"),
        ("[ERROR] Unknown host repo.example", "copy "),
        ("[ERROR] Could not find artifact a:b:jar:1", "pom.xml"),
        ("[ERROR] something else", "Run it by hand"),
    ],
)
def test_a_failure_is_one_problem_with_advice(empty_cache, monkeypatch, tmp_path, said, hint):
    resolver(monkeypatch, tmp_path, f"echo '{said}'; exit 1")
    with pytest.raises(Problem) as problem:
        jars.resolve()
    assert said in problem.value.message
    assert hint in problem.value.hint
    assert list(empty_cache.parent.iterdir()) == [], "half a set of jars must not stay"


def test_without_maven_and_pyspark_nothing_can_be_fetched(empty_cache, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Problem, match="neither Maven nor pyspark"):
        jars.resolve()


def test_ivy_reads_the_same_list(empty_cache, monkeypatch, tmp_path):
    ivy = tmp_path / "pyspark" / "jars" / "ivy-2.5.3.jar"
    ivy.parent.mkdir(parents=True)
    ivy.touch()
    (tmp_path / "pyspark" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "pyspark", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    ran = []
    monkeypatch.setattr(subprocess, "run", lambda command, **rest: ran.append(command) or failed())
    with pytest.raises(Problem, match="by java"):
        jars.resolve()
    assert ran[0][:5] == ["/opt/java/bin/java", "-jar", str(ivy), "-ivy", str(jars.POM)]


def failed():
    return subprocess.CompletedProcess([], 1, "", "error")


def test_the_fixture_keeps_its_catalog_only_when_told(tmp_path):
    settings = environment(8555, tmp_path, durable=True, strict=False)
    assert settings["CATALOG_URI"] == f"jdbc:sqlite:file:{tmp_path / 'catalog.db'}"
    assert settings["CATALOG_JDBC_STRICT__MODE"] == "false"
    assert "CATALOG_URI" not in environment(8555, tmp_path, durable=False, strict=True)


@pytest.mark.parametrize("word", ["prot=1", "port=x", "strict=maybe"])
def test_a_wrong_option_of_the_fixture_is_a_problem(word):
    with pytest.raises(Problem, match="option"):
        fixture_module._options([word])


def test_a_fixture_that_ends_at_once_is_a_problem(monkeypatch, tmp_path):
    program = tmp_path / "java"
    program.write_text("#!/bin/sh\necho no such class\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(fixture_module, "find_java", lambda: Java(program, 17))
    monkeypatch.setattr(fixture_module, "class_path", lambda: "x")
    with pytest.raises(Problem, match="no such class"), fixture(root=tmp_path):
        pytest.fail("there is no server")


@pytest.fixture(scope="module")
def judged(java_here, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rck")
    with fixture(strict=False) as url:
        return judge(url, {}, folder), folder


def test_the_kit_passes_on_icebergs_own_server(judged):
    results, folder = judged
    assert {name: count for name, count in results.totals.items() if count} == {"pass": 144, "unoffered": 13}
    assert results.exit_code() == EXIT_CONFORMS
    assert {"results.json", "report.html", "junit.xml", "rck.log"} <= {path.name for path in folder.iterdir()}


def test_every_test_of_the_kit_has_an_id_and_subjects_of_its_own(judged):
    entries = judged[0].requirements
    assert len({entry.id for entry in entries}) == len(entries)
    known = {operation.id for operation in judged[0].target.operations}
    for entry in entries:
        assert entry.operations, entry.id
        assert set(entry.operations) <= known, entry.id
        if entry.verdict == "unoffered":
            assert "without a reason" not in entry.message, entry.id


def test_the_fixture_as_a_command_leaves_no_java_behind(java_here):
    command = [sys.executable, "-m", "peers.iceberg_java.fixture"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    url = process.stdout.readline().removeprefix("ready: ").strip()
    assert len(probe(url, {}).endpoints) > 20
    process.terminate()
    assert "every interface" in process.communicate()[1]
    with pytest.raises(Problem, match="No server responds"):
        probe(url, {})


def test_the_kit_passes_on_our_server(java_here, tmp_path):
    with serve("iceberg", storage=f"dir:{tmp_path / 'lake'}") as server:
        results = judge(server.url, FLAGS["dots"], tmp_path / "report")
    messages = {entry.id: entry.message for entry in results.requirements if entry.verdict != "pass"}
    assert len(messages) == results.totals["unoffered"] == 10, messages
    assert results.totals["pass"] == 147


def test_the_kit_notices_a_broken_server(java_here, tmp_path):
    with serve("iceberg", faults=("commit-conflict",)) as server:
        results = judge(server.url, FLAGS["usual"], tmp_path, only=["rck.catalog.test_append"])
    assert results.exit_code() == EXIT_FAILS
    [entry] = results.requirements
    assert (entry.id, entry.verdict) == ("rck.catalog.test_append", "fail")
    assert entry.message.startswith("CommitFailedException: ")
