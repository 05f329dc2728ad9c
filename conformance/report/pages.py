"""Rendering of pages: the templates of this folder, and templates of other folders that extend them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import orjson

from conformance.values.results_files import report_written
from conformance.values.visible import visible
from specs.writing import check_writable, write_file

HERE = Path(__file__).parent


@cache
def template(name: str, folder: Path = HERE) -> jinja2.Template:
    """Return a template. One of another folder may extend `page.html.j2`, which provides the style."""
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
    """Return a value for a template, with texts made visible; text marked as safe HTML stays so."""
    return type(value)(visible(value)) if isinstance(value, str) else value


def check_page(folder: Path, name: str) -> None:
    """Check that `write_page` can write into a folder. Raises NotWritten otherwise."""
    with report_written(folder):
        check_writable(folder, [f"{name}.json", f"{name}.html"])


def write_page(folder: Path, name: str, report: dict[str, Any], page: str) -> dict[str, Path]:
    """Write a report as NAME.json and its page as NAME.html into a folder; return their paths as `results` and `html`.

    Raises Problem when the folder cannot be written.
    """
    paths = {"results": folder / f"{name}.json", "html": folder / f"{name}.html"}
    with report_written(folder):
        write_file(paths["results"], orjson.dumps(report, option=orjson.OPT_INDENT_2))
        write_file(paths["html"], page)
    return paths
