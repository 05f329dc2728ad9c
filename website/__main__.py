"""`python -m website`: write the pages, build the site with MkDocs, and check it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import click

from website import catalogue, examples, servers, sources
from website.checks import problems
from website.documents import copy_documents

ROOT = Path(__file__).parent.parent
CONFIG = Path(__file__).with_name("mkdocs.yml")
PAGES = ROOT / "build" / "pages"
SITE = ROOT / "build" / "site"
MOST_TOLD = 20
EMPTY_HEADER = re.compile(r"<th([^>]*)>\s*</th>")


@click.command()
@click.option("--site", type=click.Path(path_type=Path), default=SITE, help="Folder of the site.")
@click.option("--url", default="", metavar="URL", help="Address of the site, such as https://me.example/lakeproof/.")
@click.option(
    "--examples",
    "shown",
    multiple=True,
    metavar="TEXT",
    help="Record examples only of requirements with TEXT in their ids; repeatable.",
)
def main(site: Path, url: str, shown: tuple[str, ...]) -> None:
    """Build the static site. It tests the reference server, to show an example of each requirement."""
    write_pages(PAGES, shown)
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    command = [*mkdocs, "--config-file", str(CONFIG), "--site-dir", str(site)]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "SITE_URL": url}
    if code := subprocess.run(command, check=False, env=environ).returncode:
        sys.exit(code)
    _drop_unused(site)
    if not url:  # the page for missing addresses links from the root, which a site below a path does not have
        (site / "404.html").unlink()
    for path in site.rglob("*.html"):
        path.write_text(_accessible(path.read_text()))
    found = list(problems(site))
    for problem in found[:MOST_TOLD]:
        click.echo(problem, err=True)
    if found:
        sys.exit(f"{len(found)} problems")
    files = [path for path in site.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    pages = sum(path.suffix == ".html" for path in files)
    click.echo(f"{site}: {pages} pages, {size:.1f} MB; links and loaded files checked")


def _accessible(page: str) -> str:
    """Return a page with a name for the theme's search dialog, and without empty headers of tables."""
    named = page.replace('role="dialog">', 'role="dialog" aria-label="Search">')
    return EMPTY_HEADER.sub(r"<td\1></td>", named)


def _drop_unused(site: Path) -> None:
    """Drop what no page loads: maps of scripts, and the words of other languages."""
    for path in site.glob("assets/**/*.map"):
        path.unlink()
    shutil.rmtree(site / "assets" / "javascripts" / "lunr", ignore_errors=True)


def write_pages(pages: Path, shown: Collection[str]) -> None:
    """Write the Markdown of all pages into an empty folder.

    Requirements have examples if one of the texts `shown` is in their ids; without any text all have.
    """
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    copy_documents(ROOT, pages)
    for name in ("site.css", "site.js"):
        shutil.copy(Path(__file__).with_name(name), pages)
    every, known = servers.servers(ROOT / "reports"), catalogue.requirements()
    by_chapter, noticing = catalogue.chapters(known), catalogue.faults(known)
    recorded = examples.examples([name for name in known if not shown or any(part in name for part in shown)])
    for folder in ("requirements", "servers", sources.FOLDER):
        (pages / folder).mkdir()
    (pages / "requirements" / "index.md").write_text(catalogue.index(by_chapter))
    for name, members in by_chapter.items():
        (pages / "requirements" / f"{name}.md").write_text(catalogue.page(name, members, noticing, every, recorded))
    for name, content in sources.source_pages(known.values()).items():
        (pages / sources.FOLDER / name).write_text(content)
    (pages / "servers" / "index.md").write_text(servers.scoreboard(every))
    for server in every:
        (pages / "servers" / f"{server.name}.md").write_text(servers.page(server, known))


if __name__ == "__main__":
    main()
