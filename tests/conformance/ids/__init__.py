"""The ids of requirements, a list for each API: expectations, links and repros of users name them, so none may go."""

from __future__ import annotations

from pathlib import Path

from conformance.apis import requirements


def list_of(api: str) -> Path:
    """Return the file with the ids of an API's requirements."""
    return Path(__file__).with_name(f"{api}.txt")


def listed_ids(api: str) -> set[str]:
    """Return the ids that are listed, none where there is no list."""
    path = list_of(api)
    return set(path.read_text().split()) if path.exists() else set()


def known_ids(api: str) -> set[str]:
    """Return the ids of an API's own requirements."""
    return {id for id, requirement in requirements(api).items() if requirement.api == api}
