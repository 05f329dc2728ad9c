"""Pages of the site: addresses that last, links that hold, nothing from other machines."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from pathlib import Path

import pytest

from conformance.run.requirement_index import index_of
from tests.conformance.made_results import result, results
from website import catalogue, servers, sources
from website.checks import problems
from website.documents import BOOST, copy_documents
from website.markup import address

ROOT = Path(__file__).parents[2]
NAME = "iceberg.namespace.create.conflict"


@pytest.fixture(scope="module")
def known():
    return index_of("conformance.iceberg", "iceberg")


def test_a_requirement_has_an_address_with_clause_faults_and_servers(known):
    server = servers.Server("mine-1.0", "Mine 1.0", results(result("fail", name="x")))
    server.__dict__["verdicts"] = {NAME: "fail"}
    shown = {NAME: "<pre>the example</pre>"}
    page = catalogue.page("iceberg.namespace", [known[NAME]], {NAME: ["some-fault"]}, [server], shown)
    assert f'<h3 id="{NAME}">' in page
    assert address(NAME).endswith(f"/requirements/iceberg.namespace/#{NAME}")
    clause = known[NAME].requirement.clause
    assert "\n## create\n" in page
    for part in (
        sources.source_address(known[NAME]),
        f"check URL --api iceberg -k {NAME}",
        f"#clause-{clause}",
        f'<h3 id="clause-{clause}">',
        "some-fault",
        shown[NAME],
        f"../../servers/mine-1.0/#{NAME}",
    ):
        assert part in page, part


def test_every_requirement_is_on_one_page(known):
    by_chapter = catalogue.chapters(known)
    assert sorted(entry.requirement.id for members in by_chapter.values() for entry in members) == sorted(known)
    assert [name for name in by_chapter if f"({name}.md)" not in catalogue.index(by_chapter)] == []


def test_the_source_of_a_requirement_is_at_its_address(known):
    declared = known[NAME]
    page, _, place = sources.source_address(declared).rpartition("/")[2].partition("#")
    content = sources.source_pages([declared])[page]
    shown = content.partition(f'<pre id="{place}">')[2].partition("</pre>")[0]
    assert unescape(shown) == declared.source()


@pytest.mark.parametrize(
    ("offered", "size", "verdicts", "state"),
    [
        (0, 2, ["fail"], servers.ABSENT),
        (2, 2, ["pass", "pass"], servers.FULL),
        (1, 2, ["pass"], servers.PARTIAL),
        (2, 2, ["pass", "blocked"], servers.PARTIAL),
        (2, 2, ["fail"], servers.NONE),
    ],
)
def test_the_state_of_a_group_follows_from_must_requirements(offered, size, verdicts, state):
    found = [result(verdict, name=f"n{number}") for number, verdict in enumerate(verdicts)]
    found.append(result("warn", "SHOULD", name="weak"))
    assert servers.Group("g", offered, size, found).state == state


def test_documents_are_copied_with_what_they_link_to(tmp_path):
    root, pages = tmp_path / "root", tmp_path / "pages"
    (root / "docs").mkdir(parents=True)
    (root / "README.md").write_text("[a\nb](docs/a.md#x) [folder](docs) [none](gone.md)\n```\n[x](docs/y.md)\n```\n")
    (root / "docs" / "a.md").write_text("[code](../tool.py) [out](https://h.example/)\n")
    (root / "tool.py").write_text("pass\n")
    copy_documents(root, pages)
    assert (pages / "tool.py").exists()
    _, head, page = (pages / "README.md").read_text().split("---\n")
    assert head == f"search: {{boost: {BOOST}}}\n"
    assert page == "[a\nb](docs/a.md#x) folder none\n```\n[x](docs/y.md)\n```\n"


def test_the_findings_of_a_report_are_on_the_page_of_its_server(tmp_path):
    root, pages = tmp_path / "root", tmp_path / "pages"
    folder = root / "reports" / "mine-1.0"
    folder.mkdir(parents=True)
    (root / "reports" / "README.md").write_text("[mine](mine-1.0/findings.md)\n")
    (folder / "findings.md").write_text(
        "# Mine\n\nConforms.\n\nTested.\n\nThe notes.\n\n## Main causes\n\n- x\n\n## Form\n\ny\n"
    )
    copy_documents(root, pages)
    assert (pages / "reports" / "README.md").read_text() == "[mine](../servers/mine-1.0.md)\n"
    assert not (pages / "reports" / "mine-1.0").exists()
    assert servers.notes(folder) == "The notes.\n\n## Main causes\n\n- x"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="b/#x">', ""),
        ('<a href="https://h.example/">', ""),
        ('<a href="c/">', "there is nothing at c/"),
        ('<a href="b/#y">', "there is no place b/#y"),
        ('<img src="https://h.example/a.png">', "from another machine"),
        ('<a href="/b/">', "/b/ leads out of the site"),
        ('<a href="../">', "../ leads out of the site"),
        ('<p id="x"></p><p id="x"></p>', "two elements have the id x"),
    ],
)
def test_what_is_wrong_with_a_site_is_told(tmp_path, body, problem):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text('<p id="x">')
    (tmp_path / "index.html").write_text(body)
    found = list(problems(tmp_path))
    assert len(found) == bool(problem)
    assert [line for line in found if problem not in line] == []


def test_every_guide_is_in_the_navigation():
    nav = (ROOT / "website" / "mkdocs.yml").read_text()
    guides = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert guides <= set(re.findall(r"docs/[\w-]+\.md", nav))


def test_pages_name_the_version_that_is_built():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        assert set(re.findall(r"lakeproof-(\d+\.\d+\.\d+)-py3", path.read_text())) <= {version}, path.name
