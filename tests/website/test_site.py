"""The whole site: built as people build it, and asked by its own search."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from website.asking import QUESTIONS, unanswered
from website.looking import FLAGS, MISSING, PLACES, chromium, served

ROOT = Path(__file__).parents[2]
CONFLICT = "iceberg.namespace.create.conflict"
RECORDED = (
    CONFLICT,
    "polaris.principal.rot",
    "iceberg.wire.create_namespace",
    "iceberg.storage.vended.alone",
    "tables_api.exists",
)
SECRETS = re.compile(
    r"(?:[sS]ecret|token)(?:=|&quot;:&quot;)(?!redacted|&lt;redacted)\w|Authorization: (?!Bearer [A-Z]+_TOKEN_)\w"
)
browser = pytest.mark.skipif(not shutil.which("chromium"), reason="It needs a browser: `apt install chromium`.")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site that was built with links and files checked, and with the examples of some requirements."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "website", "--site", str(folder)]
    command += [part for name in RECORDED for part in ("--examples", name)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def test_a_requirement_leads_to_its_source(site):
    page = (site / "requirements" / "iceberg.namespace" / "index.html").read_text()
    assert "../../source/conformance.iceberg.requirements.test_namespaces.html#L" in page
    assert 'href="#create"' in page  # its contents list


def test_a_requirement_has_an_example_from_a_recorded_run(site):
    page = (site / "requirements" / "iceberg.namespace" / "index.html").read_text()
    example = page.partition(f'id="{CONFLICT}"')[2].partition("</pre>")[0].partition("<pre")[2].splitlines()
    assert example[0].endswith(">POST /v1/namespaces"), example
    assert example[1].startswith("{&quot;namespace&quot;:[&quot;demo"), example
    assert example[2] == "→ 409", example
    assert "AlreadyExistsException" in example[3], example


def test_a_check_over_all_answers_is_shown_by_answers_to_other_requirements(site):
    page = (site / "requirements" / "iceberg.wire" / "index.html").read_text()
    example = page.partition('id="iceberg.wire.create_namespace"')[2].partition("</pre>")[0]
    assert ">POST /v1/namespaces" in example
    assert "→ 200" in example
    assert "→ 409" in example


def test_a_requirement_that_the_recorded_run_left_out_says_why(site):
    page = (site / "requirements" / "iceberg.storage" / "index.html").read_text()
    assert "no example: the server hands out no credentials for its tables" in page
    page = (site / "requirements" / "iceberg.tables_api" / "index.html").read_text()
    assert "no example: the recorded run is one of iceberg/2026-08" in page


def test_examples_hide_secrets(site):
    page = (site / "requirements" / "polaris.principal" / "index.html").read_text()
    examples = re.findall(r'<pre class="steps".*?</pre>', page, re.DOTALL)
    assert any("/rotate" in example for example in examples)
    assert any("Authorization: " in example for example in examples)
    assert [found[0] for example in examples for found in SECRETS.finditer(example)] == []


@browser
def test_pages_work_below_a_path(site):
    wrong = []
    with served(site) as url, sync_playwright() as playwright:
        chrome = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = chrome.new_page()
        page.on("response", lambda answer: wrong.append(answer.url) if answer.status >= MISSING else None)
        page.on("request", lambda request: wrong.append(request.url) if not request.url.startswith(url) else None)
        for place in PLACES.values():
            page.goto(url + place, wait_until="networkidle")
        page.goto(url, wait_until="networkidle")
        page.click("nav.md-tabs a[href*='servers']")
        page.wait_for_url(f"{url}servers/")
        chrome.close()
    assert wrong == []


@browser
def test_questions_of_newcomers_find_their_answers(site):
    asked = tomllib.loads(QUESTIONS.read_text())
    assert len(asked) >= 20
    assert list(unanswered(site, asked)) == []
