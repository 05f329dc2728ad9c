"""Former ids of requirements: what a requirement of an older kit is called now.

`conformance/<api>/former_ids.toml` has a line for each: `"lance.life.tag" = ["lance.effect.create_tag", ...]`. The
requirements behind it see together what the former one saw. Expectations, frozen sets, selections and results of older
kits name former ids.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from specs.apis import apis
from specs.files import read_toml

FILE = "former_ids.toml"


@cache
def former_ids(api: str) -> Mapping[str, tuple[str, ...]]:
    """Return the present ids of each former one of an API."""
    path = Path(__file__).parent / api / FILE
    read: dict[str, Any] = read_toml(path) if path.exists() else {}
    return {former: tuple(present) for former, present in read.items()}


def present_ids(id: str) -> tuple[str, ...]:
    """Return the ids that stand for one now: itself, unless it is a former one."""
    suite = id.partition(".")[0]
    return former_ids(suite).get(id, (id,)) if suite in apis() else (id,)


def is_former(id: str) -> bool:
    """True for an id that requirements of older kits had."""
    return present_ids(id) != (id,)


def followed(former: str, failed: bool, now: Mapping[str, bool]) -> Collection[str]:
    """Return the present ids to compare the result of a former one with; `now` says which of them fail.

    One that failed is compared with those that fail, or with the first if none does: which part failed is unknown.
    """
    present = [id for id in present_ids(former) if id in now]
    failing = [id for id in present if now[id]]
    return (failing or present[:1]) if failed else present
