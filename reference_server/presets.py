"""Presets: kinds of catalogs, each a row of rules and settings for the reference server, in `<api>/presets.toml`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from specs.apis import part_of
from specs.files import read_toml
from specs.problems import Problem, did_you_mean

PACKAGE, FILE_NAME = __name__.partition(".")[0], "presets.toml"


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of catalog: what is particular about it, and the rules and settings that make it."""

    name: str
    about: str
    rules: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def options(self, flags: Mapping[str, str]) -> Iterator[str]:
        """Yield the options of the command line that mean the same; `flags` are those of the API by name."""
        for rule in self.rules:
            yield f"--fault {shlex.quote(rule)}"
        for name, value in self.settings.items():
            flag = flags.get(name, f"--{name.replace('_', '-')}")
            values = value if isinstance(value, list) else [value]
            yield from (flag if each is True else f"{flag} {shlex.quote(str(each))}" for each in values)


@cache
def presets_of(api: str) -> dict[str, Preset]:
    """Return the presets of an API by name."""
    file = Path(part_of(PACKAGE, api).__file__).with_name(FILE_NAME)
    rows = read_toml(file) if file.exists() else {}
    return {
        name: Preset(name, row["about"], tuple(row.get("rules", ())), row.get("settings", {}))
        for name, row in rows.items()
    }


def find_presets(name: str, apis: Sequence[str]) -> list[Preset]:
    """Return the presets of a name, of each of the APIs that has it. Raises Problem for an unknown name."""
    found = [presets_of(api)[name] for api in apis if name in presets_of(api)]
    if not found:
        known = {preset for api in apis for preset in presets_of(api)}
        raise Problem(f"--like: there is no preset {name!r}.", did_you_mean(name, known))
    return found
