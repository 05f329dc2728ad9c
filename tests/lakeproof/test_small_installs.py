"""Packages that Iceberg and Polaris do without: those of the extra `lance` are most of an installation."""

from __future__ import annotations

import subprocess
import sys

import pytest

LARGE = ("pyarrow", "lance", "pandas", "numpy", "botocore")
PROGRAMS = {
    "the suite": """
from conformance.apis import requirements, suite_part
for api in ("iceberg", "polaris"):
    suite_part(api), requirements(api)
""",
    "a run": """
from lakeproof import check
for api, select in {"iceberg": "iceberg.scan.deletes", "polaris": "polaris.effect.create_policy"}.items():
    results, code = check(api=api, select=select, depth="smoke")
    assert code == 0 and results.totals["pass"], results.totals
""",
    "the server": """
from lakeproof import serve
with serve("iceberg", "polaris", storage="memory"):
    pass
""",
    "the build of the wheel": """
from conformance.http.operation_stub import stub
from specs.apis import apis
for api in apis():
    stub(api)
""",
    "the command line": """
import lakeproof.every_api, lakeproof.shown_run, conformance.run.recognition
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_nothing_large_is_imported_for_iceberg_and_polaris(program):
    said = f"{program}\nimport sys\nprint('imported:', [name for name in {LARGE} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines()[-1:] == ["imported: []"], ended.stderr
