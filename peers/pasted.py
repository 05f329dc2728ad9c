"""Reproduce findings of a published report on a fresh server, in all three forms, which must agree.

    python -m peers.pasted reports/pylance-14.0.2-restadapter http://127.0.0.1:2333 [--count 10]

The forms are `lakeproof repro ID URL`, the module of `--as pytest`, and the commands of `--as curl`. The marked step of
the commands must return the recorded status, or the commands state why they cannot show the finding. Exit code 1 if a
form does not reproduce a finding.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
from rich.text import Text

from conformance.after.reading import read_results
from conformance.after.reproduction import Recorded, as_shell, recorded, reproduce, settings_for
from conformance.replay.script import doubt
from conformance.report.pytest_module import as_pytest
from conformance.run.session import met
from conformance.values.evidence import shown_step
from conformance.values.results import Result
from conformance.values.settings import Settings, variable
from conformance.values.verdict import FINDINGS
from lakeproof.console import out
from peers.iceberg_java.rck import run_command

STATUS = re.compile(r"^HTTP/\S+ (\d+)", re.MULTILINE)
CURL_SECONDS = 60
SAME = "still fails"
SAID = "states why it cannot show it"


def forms(record: Recorded, result: Result, url: str) -> Mapping[str, str]:
    """Return the outcome of each form of a finding on a server: "still fails", or another one."""
    settings = settings_for(record, url, {})
    again = reproduce(record, settings)
    sent = _by_curl(record, url, result, _secrets(settings))
    why = doubt(record.finding)  # the commands print it
    return {
        "repro": SAME if again.fails else f"fixed: {again.why}",
        "pytest": _by_pytest(as_pytest(record, url), url),
        "curl": f"{SAID}: {why}" if why and sent != SAME else sent,
    }


def _secrets(settings: Settings) -> dict[str, str]:
    """Return the variables of curl commands, with a new token if the run got one for its credential.

    The run has dropped the objects of its own caller.
    """
    with met(settings) as target:
        headers = target.managing or target.client.headers
        return {variable(name): value for name, value in headers.items() if value}


def _by_pytest(module: str, url: str) -> str:
    """Run the test of a written module like pytest."""
    names: dict[str, Any] = {}
    exec(compile(module, "finding", "exec"), names)  # noqa: S102 - our own code
    test = next(value for name, value in names.items() if name.startswith("test_"))
    with patch.dict(os.environ, {"BASE": url}):
        try:
            test()
        except AssertionError:
            return SAME
    return "passes"


def _by_curl(record: Recorded, url: str, result: Result, secrets: Mapping[str, str]) -> str:
    """Run the commands up to the step that shows the finding, and compare its status."""
    step = shown_step(result.steps)
    if step is None:
        return "no steps"
    done = subprocess.run(
        ["sh"],  # noqa: S607
        input=as_shell(record, url).encode(),
        capture_output=True,
        timeout=CURL_SECONDS,
        check=False,
        env={**os.environ, **secrets},
    )
    answers = done.stdout.decode(errors="replace").replace("HTTP/1.1 100", "interim")
    parts = STATUS.split(answers)[1::2]
    number = [one for one in result.steps if not one.beside].index(step)
    place = len(record.preparation) + number
    got = int(parts[place]) if place < len(parts) else 0
    return SAME if got == step.response.status else f"step {number + 1} returned {got}, not {step.response.status}"


def chosen(results: Sequence[Result], count: int) -> list[Result]:
    """Return findings from all parts of a run, at equal distances."""
    findings = [result for result in results if result.verdict in FINDINGS and result.steps]
    return findings[:: max(len(findings) // count, 1)][:count]


@click.command("pasted")
@click.argument("report", type=click.Path(path_type=Path))
@click.argument("url")
@click.option("--count", type=click.IntRange(1), default=10, show_default=True, help="Number of findings.")
def pasted(report: Path, url: str, count: int) -> int:
    """Reproduce findings of a published report on a server."""
    results = read_results(report)
    differing = 0
    for result in chosen(results.requirements, count):
        said = forms(recorded(results, result.id), result, url)
        differs = any(word != SAME and not word.startswith(SAID) for word in said.values())
        differing += differs
        words = ", ".join(f"{form} {word}" for form, word in said.items())
        out.print(Text(f"{result.id} ({result.kind}): {words}", "red" if differs else "green"), soft_wrap=True)
    out.print(f"{differing} differ")
    return int(differing > 0)


if __name__ == "__main__":
    run_command(pasted)
