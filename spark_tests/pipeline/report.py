"""Report of a warehouse: `warehouse.json`, and a page that is rendered from it alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conformance.report.matrix import GLYPHS, MEANINGS, WORST_FIRST
from conformance.report.pages import template, write_page
from conformance.values.results import kit_name

VERSION = 1
NAME = "warehouse"
HERE = Path(__file__).parent
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class WarehouseMatrix:
    """Newest verdict on each requirement, by server."""

    servers: list[tuple[str, str]]
    rows: dict[str, dict[tuple[str, str], str]]


def to_json(answers: dict[str, Rows], where: str) -> dict[str, Any]:
    """Return the report of a warehouse as JSON."""
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return {"version": VERSION, "made": created, "warehouse": where, "kit": kit_name(), **answers}


def matrix(report: dict[str, Any]) -> WarehouseMatrix:
    """Return the requirements that some server does not pass, by server."""
    servers = sorted({(row["server"], row["profile"]) for row in report["matrix"]})
    rows: dict[str, dict[tuple[str, str], str]] = {}
    for row in report["matrix"]:
        rows.setdefault(row["requirement"], {})[row["server"], row["profile"]] = row["verdict"]
    return WarehouseMatrix(servers, {name: cells for name, cells in rows.items() if set(cells.values()) != {"pass"}})


def sentence(report: dict[str, Any]) -> str:
    """Return the changes in one sentence."""
    changes = Counter("passing" if row["now"] == "pass" else "failing" for row in report["changes"])
    runs = sum(row["runs"] for row in report["servers"])
    subjects = len(report["servers"])
    changed = f"{changes['failing']} newly failing, {changes['passing']} newly passing, {len(report['flaky'])} flaky"
    return f"{runs:,} runs of {subjects} {'server' if subjects == 1 else 'servers'}: {changed}."


def write(report: dict[str, Any], folder: Path) -> dict[str, Path]:
    """Write the report and its page into a folder and return their paths. Raises Problem if they cannot be written."""
    return write_page(folder, NAME, report, page(report))


def page(report: dict[str, Any]) -> str:
    """Return the page of a report."""
    trends: dict[tuple[str, str, str], Rows] = {}
    for row in report["trend"]:
        trends.setdefault((row["server"], row["profile"], row["suite"]), []).append(row)
    return template("warehouse.html.j2", HERE).render(
        title="Warehouse",
        version=report["kit"].split(" ")[1],
        headline=sentence(report),
        facts={"warehouse": report["warehouse"], "made": report["made"]},
        report=report,
        matrix=matrix(report),
        trends=trends,
        glyphs=GLYPHS,
        meanings=MEANINGS,
        order=WORST_FIRST,
    )
