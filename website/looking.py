"""`python -m website.looking FOLDER --axe axe.min.js`: pictures of the site's pages, and what axe finds on them.

It drives the system's Chromium. `npm install axe-core` brings axe as node_modules/axe-core/axe.min.js.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
from playwright.sync_api import Browser, Page, sync_playwright

from website.__main__ import SITE

BELOW = "/below/"
MISSING = 400  # and above
SEARCH = "?q=namespace"
PLACES = {
    "start": "",
    "servers": "servers/",
    "server": "servers/nessie-0.99.0/",
    "requirements": "requirements/",
    "requirement": "requirements/iceberg.namespace/#iceberg.namespace.create.conflict",
    "document": "docs/gate-your-server/",
    "bugs": "mutants/results/shipped/",
    "search": SEARCH,
}
WIDTHS = (1400, 400)
SCHEMES = ("light", "dark")
FLAGS = ("--no-sandbox", "--disable-gpu")
# Tables and code that are wider than their place, which a reader sees only by scrolling.
CUT = """[...document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code, .md-typeset pre.steps")]
  .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent.trim().slice(0, 60))"""
RULES = "axe.run(document, {resultTypes: ['violations']})"


class Below(SimpleHTTPRequestHandler):
    """Handler that serves a folder below the path BELOW and nothing else, and writes no log."""

    def translate_path(self, path: str) -> str:
        """Return the file at a path of a URL; of one elsewhere, a file that does not exist."""
        inside = path.startswith(BELOW)
        return super().translate_path(path.removeprefix(BELOW[:-1]) if inside else "/nothing")

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder on a free port, below a path as on many hosts, and yield its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Below, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{BELOW}"
        server.shutdown()


def chromium() -> str:
    """Return the path of the system's Chromium. Exits with what to do where there is none."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    return found or sys.exit("There is no Chromium on this machine: apt install chromium.")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--site", type=click.Path(path_type=Path, exists=True), default=SITE, help="The built site.")
@click.option("--axe", type=click.Path(path_type=Path, exists=True), help="File axe.min.js; without it, only pictures.")
def main(folder: Path, site: Path, axe: Path | None) -> None:
    """Take pictures of pages in both widths and schemes, and run axe on them; all pages have to fit both widths."""
    folder.mkdir(parents=True, exist_ok=True)
    found: list[str] = []
    with served(site) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for scheme in SCHEMES:
            for width in WIDTHS:
                found += _look(browser, url, folder, axe, scheme, width)
        for width in WIDTHS:
            found += _look_through(browser, url, site, width)
        browser.close()
    for line in found:
        click.echo(line)
    if found:
        sys.exit(f"{len(found)} problems")
    click.echo(f"{folder}: {len(PLACES) * len(WIDTHS) * len(SCHEMES)} pictures; no problem found")


def _look(browser: Browser, url: str, folder: Path, axe: Path | None, scheme: str, width: int) -> list[str]:
    """Take pictures of all pages in one width and scheme, and return what is wrong with them."""
    found: list[str] = []
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.on("request", lambda request: found.append(f"asks {request.url}") if not request.url.startswith(url) else None)
    page.on(
        "response", lambda answer: found.append(f"{answer.status}: {answer.url}") if answer.status >= MISSING else None
    )
    page.on("pageerror", lambda error: found.append(f"script error: {error}"))
    for name, place in PLACES.items():
        page.goto(url + place, wait_until="networkidle")
        if place == SEARCH:  # it loads its index first
            page.wait_for_selector(".md-search-result__item")
        page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
        where = f"{name} at {width}, {scheme}"
        found += _unfit(page, width, where)
        found += [f"{where}: {line}" for line in (_violations(page, axe) if axe else ())]
    context.close()
    return found


def _look_through(browser: Browser, url: str, site: Path, width: int) -> list[str]:
    """Return the pages of the theme that do not fit a width."""
    found: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": 900})
    for path in sorted(site.rglob("index.html")):
        place = path.parent.relative_to(site).as_posix()
        page.goto(f"{url}{place}/")
        found += _unfit(page, width, f"{place} at {width}")
    page.close()
    return found


def _unfit(page: Page, width: int, where: str) -> list[str]:
    wide = page.evaluate("document.documentElement.scrollWidth")
    found = [f"{where}: {wide} pixels wide"] if wide > width else []
    return found + [f"{where}: a table or code is cut: {text}" for text in page.evaluate(CUT) if width == max(WIDTHS)]


def _violations(page: Page, axe: Path) -> list[str]:
    page.add_script_tag(path=axe)
    violations = page.evaluate(RULES)["violations"]
    return [f"{each['id']} ({len(each['nodes'])} times): {each['nodes'][0]['html'][:200]}" for each in violations]


if __name__ == "__main__":
    main()
