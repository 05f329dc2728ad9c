"""Checks of the built site: links and their places, requests to other machines, size."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

MOST_BYTES = 30_000_000  # the site stays quick to copy and to publish
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
NO_REQUESTS = ("canonical", "prev", "next", "alternate")


class Page(HTMLParser):
    """The ids, links and loaded resources of a page."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.twice: list[str] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        given = {name: value or "" for name, value in attrs}
        if id := given.get("id"):
            self.twice += [id] if id in self.ids else []
            self.ids.add(id)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADS and LOADS[tag] in given and given.get("rel") not in NO_REQUESTS:
            self.loads.append(given[LOADS[tag]])


def problems(site: Path) -> Iterator[str]:
    """Yield what is wrong with a built site."""
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site)
        yield from (f"{name}: two elements have the id {id}" for id in page.twice)
        yield from (f"{name}: loads {url} from another machine" for url in page.loads if urlsplit(url).netloc)
        if path.name != "404.html":  # its links begin with the address of the site
            for url in {*page.links, *page.loads}:
                if why := _broken(path, url, pages, site):
                    yield f"{name}: {why}"
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    if size > MOST_BYTES:
        yield f"the site has {size:,} bytes, {MOST_BYTES:,} are allowed"


def _broken(path: Path, url: str, pages: dict[Path, Page], site: Path) -> str:
    """Return why a link of a page leads nowhere, "" if it leads somewhere or to another machine."""
    target, anchor = urldefrag(url)
    if urlsplit(target).scheme or urlsplit(target).netloc:
        return ""
    file = (path.parent / unquote(target.partition("?")[0])).resolve() if target else path
    if not file.is_relative_to(site.resolve()):
        return f"{url} leads out of the site, which may be below a path"
    file = file / "index.html" if file.is_dir() else file
    if not file.exists():
        return f"there is nothing at {url}"
    known = pages.get(site / file.relative_to(site.resolve()))
    return f"there is no place {url}" if anchor and known and unquote(anchor) not in known.ids else ""
