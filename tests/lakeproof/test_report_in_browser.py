"""The report page as a person uses it: in a browser, its commands pasted into a shell against a fresh server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conformance.after.reading import read_results
from conformance.report.servers import write_servers
from lakeproof import check, serve
from tests.conformance.made_results import result, results

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PUBLISHED = Path(__file__).parents[2] / "reports"
STATUS = re.compile(r"^HTTP/\S+ (\d+)", re.MULTILINE)
PLAIN = "plain-text-errors:createNamespace"
CONFLICT = "iceberg.namespace.create.conflict"
ROOT = "root:s3cr3t"


@dataclass(frozen=True)
class Shape:
    """A form in which the page shows a finding, and a server that has it."""

    api: str
    finding: str
    fault: str
    server: dict[str, Any] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)
    shows: tuple[str, ...] = ()  # what is on the card


POLARIS: dict[str, Any] = {"server": {"bootstrap": ROOT}, "run": {"credential": ROOT}}
SHAPES = {
    "plain": Shape("iceberg", CONFLICT, PLAIN),
    "a caller with a token": Shape(
        "iceberg", CONFLICT, PLAIN, {"auth": "token:s3cr3t"}, {"token": "s3cr3t"}, ("LAKEPROOF_AUTHORIZATION:?",)
    ),
    "a HEAD": Shape(
        "iceberg", "iceberg.namespace.exists.missing", "other-status:namespaceExists:404", shows=("--head",)
    ),
    "no answer": Shape("iceberg", "iceberg.namespace.drop.siblings", "connection-lost:dropNamespace"),
    "chosen by the server": Shape(
        "iceberg", "iceberg.commit.create.staged", "staged-uuid-lost", shows=("ANSWER=$(", "=$(field ", "field() {")
    ),
    "Arrow": Shape("lance", "lance.arrow.create", "last-batch-lost", shows=("| base64 -d |",)),
    "a body in a file": Shape("lance", "lance.arrow.schema.wide", "last-batch-lost", shows=("cd '", "@bodies/")),
    "several callers": Shape(
        "polaris", "iceberg.update.schema.id", "added-is-chosen", **POLARIS, shows=("create what the steps depend on",)
    ),
    "management": Shape("polaris", "polaris.grant.catalog.absent_refused", "absent-revoke-conflicts", **POLARIS),
}
BY_REQUIREMENT = {
    "a race": Shape("iceberg", "iceberg.race.commit", "lost-update", shows=("its requests were concurrent",)),
    "too large": Shape("lance", "lance.arrow.large.create", "last-batch-lost", shows=("too large to store",)),
}


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM:
        pytest.skip("there is no Chromium on this machine: apt install chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def opened(browser):
    """A function that opens a page; in the end nothing may have gone wrong on any."""
    context = browser.new_context(
        permissions=["clipboard-read", "clipboard-write"], viewport={"width": 1280, "height": 900}
    )
    said = []

    def open_page(path, fragment=""):
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("requestfailed", lambda request: said.append(request.url))
        page.goto(f"{path.as_uri()}{fragment}")
        return page

    yield open_page
    context.close()
    assert said == []


def seen(shape, folder):
    """The port of a server that was tested and is gone, when it had the finding; the report is in the folder."""
    with serve(shape.api, faults=[shape.fault], **shape.server) as server:
        found, _ = check(server.url, api=shape.api, select=shape.finding, report=str(folder), **shape.run)
        assert {entry.id for entry in found.requirements if entry.verdict in ("fail", "warn")} >= {shape.finding}
        return server.port


def card_of(page, finding):
    card = page.locator(f"[id='{finding}'] .card")
    card.wait_for()
    return card


def copied(page, buttons):
    """The texts that these buttons copy: those beside them, unless the page says that it shows a part."""
    texts = []
    for button in buttons.all():
        button.click()
        beside = button.locator("xpath=preceding-sibling::*[1]")
        text = page.evaluate("navigator.clipboard.readText()")
        assert beside.get_attribute("data-full") or beside.inner_text() == text
        assert "undefined" not in text
        texts.append(text)
    return texts


def in_shell(lines, cwd, **environ):
    """The output of bash for pasted lines, with the command line of this environment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash"], input="\n".join(lines) + "\n", capture_output=True, text=True, cwd=cwd, check=False, timeout=120,
        env={**os.environ, "PATH": path, **environ}, errors="replace",
    )  # fmt: skip
    return done.stdout + done.stderr


def secrets_of(shape, url):
    """The variables that a reader sets first."""
    if "token" in shape.run:
        return {"LAKEPROOF_AUTHORIZATION": f"Bearer {shape.run['token']}"}
    if "credential" not in shape.run:
        return {}
    form = "grant_type=client_credentials&client_id=root&client_secret=s3cr3t&scope=PRINCIPAL_ROLE:ALL"
    answer = in_shell([f"curl -sS {url}/api/catalog/v1/oauth/tokens -d '{form}'"], None)
    return {"LAKEPROOF_AUTHORIZATION": f"Bearer {json.loads(answer)['access_token']}"}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_commands_of_a_card_show_the_finding_as_pasted(shape, opened, tmp_path):
    folder, elsewhere = tmp_path / "a 'report", tmp_path / "elsewhere"
    elsewhere.mkdir()
    port = seen(shape, folder)
    page = opened(folder / "report.html", f"#{shape.finding}")
    card = card_of(page, shape.finding)
    shown = card.text_content()
    for words in shape.shows:
        assert words in shown
    first, *steps = copied(page, card.locator(".first .copy, .steps .curl .copy"))
    assert first.removeprefix(first.partition("BASE=")[0]).startswith(f"BASE=http://127.0.0.1:{port} RUN=lp$(date +%s)")
    recorded = card.locator(".steps > li > .answers > div:first-child .status").all_text_contents()
    assert len(recorded) == len(steps)
    with serve(shape.api, port=port, faults=[shape.fault], **shape.server) as fresh:
        printed = in_shell([first, *(f"{step}; echo" for step in steps)], elsewhere, **secrets_of(shape, fresh.url))
    assert STATUS.findall(printed) == list(filter(str.isdigit, recorded)), printed


@pytest.mark.parametrize("shape", BY_REQUIREMENT.values(), ids=BY_REQUIREMENT)
def test_what_commands_cannot_show_the_card_says_and_the_kit_tests(shape, opened, tmp_path):
    port = seen(shape, tmp_path)
    page = opened(tmp_path / "report.html", f"#{shape.finding}")
    card = card_of(page, shape.finding)
    for words in shape.shows:
        assert words in card.text_content()
    (command,) = copied(page, card.locator(".repro .copy"))
    with serve(shape.api, port=port, faults=[shape.fault]):
        assert "It still fails" in in_shell([command], tmp_path)
    with serve(shape.api, port=port):
        assert "It is fixed" in in_shell([command], tmp_path)


def test_commands_that_test_again_work_as_pasted(opened, tmp_path):
    """The results lie where the commands look for them: beside the folder in which the reader is."""
    with serve("iceberg", faults=[PLAIN]) as server:
        check(server.url, api="iceberg", select=CONFLICT)
        page = opened(tmp_path / "lakeproof-report/report.html", f"#{CONFLICT}")
        again, repro = copied(page, card_of(page, CONFLICT).locator(".again .copy, .repro .copy"))
        assert copied(page, page.locator("#cause-1 .meta .copy")) == [again, repro]
        assert "Does not conform" in in_shell([again], tmp_path)
        assert "It still fails" in in_shell([repro], tmp_path)


def test_answers_are_copied_as_json(opened, tmp_path):
    shape = SHAPES["chosen by the server"]
    seen(shape, tmp_path)
    page = opened(tmp_path / "report.html", f"#{shape.finding}")
    bodies = copied(page, card_of(page, shape.finding).locator(".body .copy"))
    assert len([json.loads(body) for body in bodies]) >= 4


def test_a_card_of_each_kind_of_a_published_report_can_be_opened(opened, tmp_path):
    read = read_results(PUBLISHED / "pylance-14.0.2-restadapter")
    findings = {
        (one.kind, one.verdict): one.id
        for one in read.requirements
        if one.verdict not in ("pass", "unoffered", "skipped")
    }
    assert len(findings) > 8
    write_servers([read], tmp_path)
    page = opened(next(tmp_path.glob("*/report.html")))
    for finding in findings.values():
        page.evaluate("(id) => { location.hash = id; }", finding)
        card = card_of(page, finding)
        texts = card.locator(".curl code").all_text_contents()
        assert any("BASE=" in text for text in texts) or not card.locator(".steps").count()
        assert not [text for text in texts if re.search(r"undefined|\[object|^\d*$", text)]


@pytest.mark.parametrize("name", ["report.html", "matrix.html"])
def test_scripts_of_pages_share_no_names(name, opened, tmp_path):
    write_servers([results(result("fail")), results(result("pass"))], tmp_path)
    path = next(tmp_path.rglob(name))
    assert set(re.findall(r"<script[^>]*>", path.read_text())) <= {
        '<script type="module">',
        '<script type="application/gzip" id="data">',
    }
    page = opened(path)
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_what_is_marked_in_a_long_answer_is_in_sight(opened, tmp_path):
    found = result("fail")
    found.steps[-1].response.body = {"json": {"items": list(range(150)), "end": "wrong"}}
    found.steps[-1].mark = "body:/end"
    write_servers([results(found)], tmp_path)
    page = opened(next(tmp_path.rglob("report.html")), f"#{found.id}")
    marked, box = (
        card_of(page, found.id).locator(name).bounding_box() for name in (".answer mark", ".answer:has(mark)")
    )
    assert box["y"] <= marked["y"] < box["y"] + box["height"]
