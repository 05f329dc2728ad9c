"""The ids of requirements: expectations, links and repros of users name them, so none may go without another for it.

A set of a date has those that were there then; a list for each API has those that are newer than all sets.
"""

from __future__ import annotations

from pathlib import Path

from conformance.apis import requirements
from conformance.former_ids import present_ids
from conformance.run.frozen import frozen
from conformance.values.settings import SUITES


def list_of(api: str) -> Path:
    """Return the file with the ids of an API's requirements that no set has."""
    return Path(__file__).with_name(f"{api}.txt")


def frozen_ids(api: str) -> set[str]:
    """Return the ids that the sets of an API have."""
    return {id for date in SUITES for id in frozen(api, date)}


def listed_ids(api: str) -> set[str]:
    """Return the present ids of all that a set has or that are listed, none where there is neither."""
    path = list_of(api)
    listed = path.read_text().split() if path.exists() else []
    return frozen_ids(api) | {id for former in listed for id in present_ids(former)}


def known_ids(api: str) -> set[str]:
    """Return the ids of an API's own requirements."""
    return {id for id, requirement in requirements(api).items() if requirement.api == api}
