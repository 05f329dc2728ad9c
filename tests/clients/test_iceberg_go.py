"""iceberg-go's own tests of catalogs against the reference server; skipped where they cannot be built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lakeproof import serve

MODULE = Path(__file__).parent / "iceberg_go"
BUILT_WITHIN = 400  # seconds for modules, and for the build: a test of 900 ends the run; later builds have Go's cache
UNOPTIMIZED = "-gcflags=all=-N -l"  # takes the compiler half of the time
ENVIRONMENT = {**os.environ, "GOFLAGS": "-mod=readonly -buildvcs=false", "GOTOOLCHAIN": "local"}
NO_MODULES = re.compile(r"dial tcp|no such host|timeout|connection (refused|reset)|proxyconnect|module lookup disabled")
TOO_OLD = re.compile(r"requires go >= \S+ \(running go [^)]*\)")
OUTCOME = re.compile(r"^ +--- (PASS|FAIL|SKIP): TestCatalog/(\S+)", re.MULTILINE)
TESTS = 18


def run(*command, timeout, **more):
    """The outcome of a command in the folder of the module."""
    return subprocess.run(
        command, cwd=MODULE, env={**ENVIRONMENT, **more}, timeout=timeout, capture_output=True, text=True, check=False
    )


def skip_without_modules(go):
    """Skip where Go is too old for the module, or where its modules are not cached and cannot be fetched."""
    listed = run(go, "list", "-deps", "-test", ".", timeout=BUILT_WITHIN)
    if old := TOO_OLD.search(listed.stderr):
        pytest.skip(f"Go is too old for iceberg-go: {old[0]}")
    if listed.returncode and NO_MODULES.search(listed.stderr):
        pytest.skip(f"The modules of iceberg-go cannot be fetched: {listed.stderr.strip()[-300:]}")
    assert listed.returncode == 0, listed.stderr


@pytest.fixture(scope="module")
def catalogtest(tmp_path_factory):
    """The tests as a program."""
    go, program = shutil.which("go"), tmp_path_factory.mktemp("go") / "catalogtest"
    if go is None:
        pytest.skip("The tests of iceberg-go need Go: put `go` on the PATH.")
    try:
        skip_without_modules(go)
        built = run(go, "test", "-c", UNOPTIMIZED, "-ldflags=-s -w", "-o", program, ".", timeout=BUILT_WITHIN)
    except subprocess.TimeoutExpired:
        pytest.skip(f"Go did not build iceberg-go's tests within {BUILT_WITHIN} s; what it has built is kept.")
    assert built.returncode == 0, built.stderr
    return program


@pytest.mark.parametrize("kind", ["memory", "dir"])
def test_catalogtest_passes(catalogtest, tmp_path, kind):
    with serve("iceberg", storage=kind if kind == "memory" else f"dir:{tmp_path / 'lake'}") as server:
        ran = run(catalogtest, "-test.v", timeout=300, LAKEPROOF_ICEBERG_URL=server.url)
    outcomes = {name: outcome for outcome, name in OUTCOME.findall(ran.stdout)}
    assert set(outcomes.values()) == {"PASS"}, ran.stdout + ran.stderr
    assert len(outcomes) == TESTS
    assert ran.returncode == 0, ran.stderr
