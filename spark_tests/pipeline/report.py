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
from specs.profiles import find_profile

VERSION = 1
NAME = "warehouse"
HERE = Path(__file__).parent
Rows = list[dict[str, Any]]
MOST_OPEN = 25  # rows: a longer table is folded
HEATS = {"all": 1.0, "most": 0.9, "many": 0.75, "half": 0.5, "few": 0.0}
"""Classes of colors, and the smallest share of passed requirements that has the color."""


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


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Share of passed MUST requirements on each group of operations of an API: a row for each server."""

    api: str
    groups: list[str]
    rows: dict[tuple[str, str], dict[str, HeatCell]]


@dataclass(frozen=True, slots=True)
class HeatCell:
    """Requirements on a group of operations: how many passed, of how many tested ones."""

    passed: int
    tested: int

    @property
    def label(self) -> str:
        """The share in percent, rounded down: only a server that passes all has 100 %."""
        return f"{100 * self.passed // self.tested} %" if self.tested else "not offered"

    @property
    def heat(self) -> str:
        """The class of the color."""
        if not self.tested:
            return "absent"
        share = self.passed / self.tested
        return next(name for name, least in HEATS.items() if share >= least)


def heat_maps(report: dict[str, Any]) -> list[HeatMap]:
    """Return a heat map for each API of the report; its groups come in the order of the newest profile."""
    maps: dict[str, HeatMap] = {}
    for row in report["groups"]:
        api = row["profile"].partition("/")[0]
        heat_map = maps.setdefault(api, HeatMap(api, list(find_profile(api).groups()), {}))
        if row["group"] not in heat_map.groups:
            heat_map.groups.append(row["group"])
        cells = heat_map.rows.setdefault((row["server"], row["profile"]), {})
        cells[row["group"]] = HeatCell(row["passed"], row["tested"])
    for heat_map in maps.values():
        known = {group for cells in heat_map.rows.values() for group in cells}
        heat_map.groups[:] = [group for group in heat_map.groups if group in known]
    return [maps[api] for api in sorted(maps)]


@dataclass(frozen=True, slots=True)
class Trend:
    """Broken requirements of a server in each of its runs, and the largest number of them, at least 1."""

    server: str
    profile: str
    suite: str
    runs: Rows

    @property
    def most(self) -> int:
        """The height of the picture: the largest number of broken requirements."""
        highest: int = max(run["broken"] + run["weak"] for run in self.runs)
        return max(1, highest)


def trends(report: dict[str, Any]) -> list[Trend]:
    """Return the trend of each server and suite with several runs; a single run has none."""
    runs: dict[tuple[str, str, str], Rows] = {}
    for row in report["trend"]:
        counts = {"broken": row["fail"] + row["error"], "weak": row["warn"] + row["blocked"] + row["known"]}
        runs.setdefault((row["server"], row["profile"], row["suite"]), []).append(row | counts)
    return [Trend(*subject, rows) for subject, rows in runs.items() if len(rows) > 1]


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
    return template("warehouse.html.j2", HERE).render(
        title="Warehouse",
        version=report["kit"].split(" ")[1],
        headline=sentence(report),
        facts={"warehouse": report["warehouse"], "made": report["made"]},
        report=report,
        matrix=matrix(report),
        trends=trends(report),
        heat_maps=heat_maps(report),
        most_open=MOST_OPEN,
        glyphs=GLYPHS,
        meanings=MEANINGS,
        order=WORST_FIRST,
    )
