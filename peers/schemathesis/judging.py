"""Runs of Schemathesis on a server, and their findings, parsed from its report."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import urllib3

from conformance.author.strategies import tables
from conformance.lance.client import STREAM_TYPE
from conformance.lance.support.arrow import stream
from specs.files import read_toml
from specs.openapi import JSON_TYPE, Document
from specs.problems import Problem

FORM = "application/x-www-form-urlencoded"
HERE = Path(__file__).parent
EXAMPLES = 10
END_SECONDS = 120  # time to parse the document, and to end
SEED = 1
RAN = (0, 1)  # exit codes of Schemathesis after tests: no findings, or some
FAILURE = re.compile(r"^- (ST.*)$", re.MULTILINE)
STATUS = re.compile(r"^\[(\d+)\]", re.MULTILINE)
CASE = re.compile(r"^\d+\. Test Case ID", re.MULTILINE)


def known_things(api: str) -> dict[str, Any]:
    """Return the options of an API's server (`server`), its token request (`login`), and the objects to create."""
    return dict(read_toml(HERE / "things.toml")[api])


def beside(document: Document, operations: Collection[str]) -> list[str]:
    """Return these operations and the other operations of their paths, which may show a fault of these."""
    paths = {operation.path for operation in document.operations.values() if operation.id in operations}
    return sorted(operation.id for operation in document.operations.values() if operation.path in paths)


def run_schemathesis(
    api: str, url: str, token: str, document: Document, operations: Collection[str], seconds: float
) -> set[str]:
    """Return the findings of Schemathesis on a server: operations, checks and statuses.

    It tests these operations, or all if none are given, until the seconds are over. Raises Problem if it cannot run.
    """
    program = shutil.which("st")
    if not program:
        raise Problem("Schemathesis is not on the PATH.", "Install it: pip install schemathesis.")
    with tempfile.TemporaryDirectory(prefix="lakeproof-st-") as name:
        folder = Path(name)
        things = known_things(api)
        if "login" in things:
            token = _token(url, **things["login"])
        (folder / "document.json").write_text(json.dumps(document.raw, default=str))
        (folder / "things.json").write_text(json.dumps(list(_requests(things["things"], url, token, folder))))
        config = f"hooks = {json.dumps(str(HERE / 'hooks.py'))}\n{(HERE / f'{api}.toml').read_text()}"
        (folder / "schemathesis.toml").write_text(config)
        command = [program, "run", "document.json", "--url", url, "-H", f"Authorization: Bearer {token}"]
        command += ["--max-examples", str(EXAMPLES), "--seed", str(SEED), "--max-time", str(round(seconds))]
        command += ["--report", "junit", "--report-junit-path", "junit.xml", "--continue-on-failure", "--no-shrink"]
        command += [f"--include-operation-id={operation}" for operation in operations]
        environ = {**os.environ, "LAKEPROOF_THINGS": str(folder / "things.json")}
        return _ended(command, folder, environ, seconds + END_SECONDS)


def _ended(command: list[str], folder: Path, environ: Mapping[str, str], seconds: float) -> set[str]:
    """Run Schemathesis and return the findings in its report."""
    report = folder / "junit.xml"
    try:
        done = subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise Problem(f"Schemathesis did not end within {seconds:g} s.", "Give it more --seconds.") from None
    if done.returncode not in RAN or not report.exists():
        said = (done.stderr or done.stdout)[-300:]
        raise Problem(f"Schemathesis ended with {done.returncode}: {said}", "Run it by hand.")
    return set(failures(ET.parse(report).getroot()))  # noqa: S314 - its own report


def failures(root: ET.Element) -> Iterator[str]:
    """Yield each failure of a JUnit report as operation, check and status."""
    for case in root.iter("testcase"):
        for failure in case.iter("failure"):
            for text in CASE.split(failure.text or "")[1:]:
                status = STATUS.search(text)
                for title in FAILURE.findall(text):
                    yield f"{case.get('name')}: {title}{f' ({status[1]})' if status else ''}"


def _token(url: str, path: str, fields: Mapping[str, str]) -> str:
    answer = urllib3.request("POST", url + path, body=urlencode(fields), headers={"Content-Type": FORM}, retries=False)
    return str(answer.json()["access_token"])


def _requests(things: Collection[dict[str, Any]], url: str, token: str, folder: Path) -> Iterator[list[Any]]:
    """Yield the requests that create the objects, in the form for the hook."""
    for thing in things:
        rows = "rows" in thing
        text = json.dumps(thing.get("body")).replace("{folder}", folder.as_uri())
        body = stream(tables(thing["rows"])) if rows else text.encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": STREAM_TYPE if rows else JSON_TYPE}
        yield [thing.get("method", "POST"), url + thing["path"], headers, base64.b64encode(body).decode()]
