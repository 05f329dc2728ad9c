"""What every page is made with: the templates of this folder, and those of another one that build on them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import orjson

from conformance.results_files import report_written
from conformance.visible import visible

HERE = Path(__file__).parent


@cache
def template(name: str, folder: Path = HERE) -> jinja2.Template:
    """Return a template. One of another folder may extend `page.html.j2`, which brings the looks."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, HERE]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.globals["zip"] = zip
    return environment.get_template(name)


def _finalize(value: Any) -> Any:
    """Return what a template shows of a value; text that is safe in HTML stays so."""
    return type(value)(visible(value)) if isinstance(value, str) else value


def write_page(folder: Path, name: str, report: dict[str, Any], page: str) -> dict[str, Path]:
    """Write a report as NAME.json and its page as NAME.html into a folder; return their paths as `results` and `html`.

    Raises Problem when that is impossible.
    """
    paths = {"results": folder / f"{name}.json", "html": folder / f"{name}.html"}
    with report_written(folder):
        folder.mkdir(parents=True, exist_ok=True)
        paths["results"].write_bytes(orjson.dumps(report, option=orjson.OPT_INDENT_2))
        paths["html"].write_text(page, encoding="utf-8")
    return paths
