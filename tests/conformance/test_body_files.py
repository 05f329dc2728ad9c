"""Large bodies of requests are files beside the report page, and its commands read them from there."""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
from pathlib import Path

import pytest
from conformance.after.reading import read_results

from conformance.replay.replaying import Finding
from conformance.replay.script import script_of
from conformance.report import render_reports
from conformance.report.body_files import FOLDER, LARGE, with_file
from conformance.report.servers import write_servers
from conformance.values.exchange import Exchange

REPORT = Path(__file__).parents[2] / "reports/pylance-14.0.2-restadapter"
MOST_BYTES = 1_000_000
NAMED = re.compile(rf"--data-binary @({FOLDER}/\w+)$")


def command_with(body):
    return Exchange("CreateTable", "POST", "http://h:1/v1", {"Authorization": "t"}, body, 400, {}).curl()


@pytest.mark.parametrize("body", [b'{"a": "it\'s"}' + b" " * LARGE, b"\xff" * LARGE, "ü".encode() * LARGE])
def test_a_large_body_is_read_from_a_file(body, tmp_path):
    command, files = with_file(command_with(body))
    assert len(command) < 200
    assert "$LAKEPROOF_AUTHORIZATION" in command
    for name, content in files.items():
        (tmp_path / FOLDER).mkdir()
        (tmp_path / name).write_bytes(content)
    printed = f'curl() {{ for last; do :; done; cat "${{last#@}}"; }}\n{command}'
    assert subprocess.run(["sh", "-c", printed], cwd=tmp_path, capture_output=True, check=True).stdout == body


@pytest.mark.parametrize("body", [b"", b'{"a": 1}', b"\xff\x00"])
def test_a_small_body_stays_in_its_command(body):
    assert with_file(command_with(body)) == (command_with(body), {})


def test_a_page_is_small_and_the_files_that_it_names_are_there(tmp_path):
    page = render_reports(read_results(REPORT), tmp_path)["html"].read_text()
    packed = re.search('id="data">([^<]+)<', page)[1]
    requirements = json.loads(gzip.decompress(base64.b64decode(packed)))["requirements"]
    commands = [step["curl"] for requirement in requirements for step in requirement["steps"]]
    named = {match[1] for command in commands if (match := NAMED.search(command))}
    assert named
    assert {f"{FOLDER}/{path.name}" for path in (tmp_path / FOLDER).iterdir()} == named
    assert len(page.encode()) < MOST_BYTES


def test_the_pages_of_a_matrix_have_their_files(tmp_path):
    write_servers([read_results(REPORT)], tmp_path)
    assert any(tmp_path.glob(f"*/{FOLDER}/*"))


@pytest.mark.parametrize("size", [1, LARGE])
@pytest.mark.parametrize("sign", ["", "\udcff"])
def test_names_in_bodies_outside_of_a_command_are_those_of_the_reader(sign, size, tmp_path):
    """Bodies in files, and those that are no text: with the names of the recorded run they would be wrong."""
    at = '"at": "s3://b/0b50cbcb.*", ' if not sign else ""  # what a server chose is only looked for in text
    text = '{"a": "lpabcdefn1", ' + at + '"c": "' + sign + '"}' + " " * size
    body = text.encode("utf-8", "surrogateescape")
    sent = Exchange("CreateTable", "POST", "http://h:1/v1/lpabcdefn1", {}, body, 400, {}).to_step()
    made = Exchange(
        "CreateNamespace", "POST", "http://h:1/v1", {}, b"", 200, {}, b'{"at": "s3://b/0b50cbcb.*"}'
    ).to_step()
    about = Finding("x.y", "behaviour", "", [made, sent], "http://h:1", "lpabcdef")
    script = script_of(about, [], "http://h:1", with_file)
    for name, content in script.files.items():
        (tmp_path / FOLDER).mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    curl = 'curl() { for last; do :; done; [ "$last" = @- ] && cat || printf %s "$last"; }'
    lines = [curl, "RUN=lpnew", "AT_1=s3://new/place", *script.steps[1]]
    printed = subprocess.run(
        ["bash"], input="\n".join(lines).encode(), cwd=tmp_path, capture_output=True, check=True
    ).stdout
    assert printed == body.replace(b"lpabcdef", b"lpnew").replace(b"s3://b/0b50cbcb.*", b"s3://new/place")
    assert bool(script.files) == (size == LARGE)
