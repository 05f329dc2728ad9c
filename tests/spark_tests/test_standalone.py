"""A race and the pipeline from the command line, on a standalone cluster of two workers on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from benchmarks.generate import Amount, generate
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_USAGE
from spark_tests.cluster import cluster

pytest.importorskip("pyspark")
SMALL = ("--clients", "24", "--operations", "1500")
EXECUTORS = ("--conf", "spark.executor.memory=512m", "--conf", "spark.cores.max=2")  # one on each worker
ONE_EXECUTOR = ("--conf", "spark.executor.memory=512m", "--conf", "spark.cores.max=1")


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster")) as url:
        yield url


def lakeproof(*words, cwd):
    command = [sys.executable, "-m", "lakeproof", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, timeout=300, env=os.environ)


def test_race(master, tmp_path):
    result = lakeproof("race", "--api", "iceberg", *SMALL, "--master", master, *EXECUTORS, cwd=tmp_path)
    assert result.returncode == EXIT_CONFORMS, result.stdout + result.stderr
    report = json.loads((tmp_path / "lakeproof-report" / "race.json").read_bytes())
    assert report["totals"]["operations"] >= 1500
    assert "No contradiction" in result.stdout


def test_pipeline(master, tmp_path):
    generate(tmp_path / "runs", Amount(runs=6, requirements=50, exchanges=50, servers=2))
    where = ("--folder", "tables", "--master", master, *ONE_EXECUTOR)
    first = lakeproof("warehouse", "load", "runs", *where, cwd=tmp_path)
    assert first.returncode == EXIT_CONFORMS, first.stdout + first.stderr
    assert "6 new runs from 6 files" in first.stdout
    report = lakeproof("warehouse", "report", *where, cwd=tmp_path)
    assert report.returncode == EXIT_CONFORMS, report.stdout + report.stderr
    assert "6 runs of 2 servers" in report.stdout
    assert (tmp_path / "lakeproof-report" / "warehouse.html").exists()


def test_master_that_is_not_there(tmp_path):
    result = lakeproof("race", *SMALL, "--master", "spark://127.0.0.1:9", cwd=tmp_path)
    assert result.returncode == EXIT_USAGE
    assert "no Spark master" in result.stderr
