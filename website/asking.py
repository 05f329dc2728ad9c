"""`python -m website.asking`: questions of newcomers, put to the search of the built site in Chromium."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import click
from playwright.sync_api import sync_playwright

from website.__main__ import SITE
from website.looking import FLAGS, chromium, served

QUESTIONS = Path(__file__).with_name("questions.toml")
FIRST = 3
RESULTS = ".md-search-result__item > a.md-search-result__link"


@click.command()
@click.option("--site", type=click.Path(path_type=Path, exists=True), default=SITE, help="The built site.")
def main(site: Path) -> None:
    """Ask each question, and fail where its answer is not among the first three results."""
    asked = tomllib.loads(QUESTIONS.read_text())
    missed = list(unanswered(site, asked))
    for line in missed:
        click.echo(line)
    if missed:
        sys.exit(f"{len(missed)} of {len(asked)} questions are not answered by the first {FIRST} results")
    click.echo(f"{len(asked)} questions answered")


def unanswered(site: Path, asked: dict[str, list[str]]) -> Iterator[str]:
    """Yield the questions whose first results have none of their addresses, with these results."""
    with served(site) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page()
        for question, addresses in asked.items():
            page.goto("about:blank")
            page.goto(f"{url}?q={quote(question)}", wait_until="networkidle")
            page.wait_for_selector(RESULTS)
            links = page.eval_on_selector_all(RESULTS, "found => found.map(each => each.href)")
            found = [link.removeprefix(url).partition("?")[0] or "#" for link in links[:FIRST]]
            if not any(link.startswith(tuple(addresses)) for link in found):
                yield f"{question}: {', '.join(found)}"
        browser.close()


if __name__ == "__main__":
    main()
