"""Requirements that notice each fault: measured by `python -m mutants measure`, stored in a file per API.

A file has a line for each fault, with ids of requirements or patterns of ids. That is the least that the suite
has to notice: a fault may be noticed by more than what stands there.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase, translate
from pathlib import Path

from specs.writing import write_file, written

FILE = "noticed.toml"
SCENARIOS = "noticed_scenarios.toml"  # the same for the scenarios of Spark
EXCUSED = "excused.toml"
FOLDER = Path(__file__).parent
WIDTH = 120
WILD = re.compile(r"[*?\[]")
BARE_KEY = re.compile(r"[\w-]+", re.ASCII)
HEAD = "# Which requirements notice which fault. Measured: see `python -m mutants measure --help`.\n\n"
Noticed = dict[str, tuple[str, ...]]
Excused = dict[str, str]


def noticed_file(api: str, name: str = FILE) -> Path:
    """Return the file of an API."""
    return FOLDER / api / name


def read_noticed(path: Path) -> Noticed:
    """Return the patterns of requirement ids by fault; none where there is no file."""
    if not path.exists():
        return {}
    return {fault: tuple(patterns) for fault, patterns in tomllib.loads(path.read_text()).items()}


def write_noticed(path: Path, noticed: Mapping[str, Collection[str]]) -> None:
    """Write the file, sorted by fault. Raises NotWritten when that is impossible."""
    with written(path, "Install lakeproof where you may write, as with `pip install -e`."):
        write_file(path, HEAD + "".join(_line(fault, noticed[fault]) for fault in sorted(noticed)))


def read_excused(api: str) -> Excused:
    """Return the reasons for unnoticed faults of an API, by patterns of faults; none where there is no file."""
    path = FOLDER / api / EXCUSED
    entries = tomllib.loads(path.read_text())["excused"] if path.exists() else []
    return {pattern: entry["why"] for entry in entries for pattern in entry["faults"]}


def excuse(fault: str, excused: Excused) -> str:
    """Return the reason for an unnoticed fault, "" where a requirement must notice it."""
    return next((why for pattern, why in excused.items() if fnmatchcase(fault, pattern)), "")


def matching(patterns: Iterable[str], ids: Iterable[str]) -> set[str]:
    """Return those of the ids that are named by one of the patterns."""
    patterns = set(patterns)
    wild = [re.compile(translate(pattern)) for pattern in patterns if WILD.search(pattern)]
    return {name for name in ids if name in patterns or any(pattern.match(name) for pattern in wild)}


def faults_noticed_by(requirement_id: str, noticed: Noticed) -> list[str]:
    """Return the faults that a requirement notices."""
    return sorted(fault for fault, patterns in noticed.items() if matching(patterns, [requirement_id]))


def compress(ids: Collection[str], universe: Collection[str]) -> list[str]:
    """Return as few patterns as it takes to name these ids and no others of the universe.

    A pattern stands for everything below a beginning of an id: `lance.tag.create.*`.
    """
    others = {start for name in universe if name not in ids for start in _beginnings(name)}
    patterns: dict[str, list[str]] = {}
    for name in sorted(ids):
        start = next((start for start in _beginnings(name) if start not in others), name)
        patterns.setdefault(start, []).append(name)
    return [members[0] if len(members) == 1 else f"{start}*" for start, members in patterns.items()]


def _beginnings(requirement_id: str) -> list[str]:
    """Return the prefixes of an id at each of its dots after the API, the shortest first."""
    parts = requirement_id.split(".")
    return [".".join(parts[:count]) + "." for count in range(2, len(parts))]


def _line(fault: str, patterns: Collection[str]) -> str:
    key = fault if BARE_KEY.fullmatch(fault) else json.dumps(fault)
    values = [json.dumps(pattern) for pattern in patterns]
    line = f"{key} = [{', '.join(values)}]\n"
    return line if len(line) <= WIDTH else f"{key} = [\n" + "".join(f"  {value},\n" for value in values) + "]\n"
