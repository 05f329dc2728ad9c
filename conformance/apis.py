"""The part of each API in the suite: its prober, extra checks, and the location of its requirements.

The package `conformance.<api>` has a module `part` with its `PART`. Its requirements are the modules `test_*` in it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.author.requirement import REQUIREMENTS
from conformance.http.wire import ExtraCheck
from conformance.target.target import Prober, Target
from conformance.values.cells import Levels
from conformance.values.requirement import Requirement
from conformance.values.worlds import Dimension
from specs.apis import apis, part_of, require_extra_of
from specs.openapi import Document
from specs.profiles import Profile

PACKAGE = "conformance"


@dataclass(frozen=True, slots=True)
class SuitePart:
    """One API: its prober, checks of every answer beyond the schema (for a profile), and path parameters with levels.

    `crowded` are operations whose answers show objects of concurrent requirements: their requirements run alone.
    `ordered` are names of lists in answers whose order the document defines, `chosen` names of fields whose values the
    server chooses and no client interprets. `shared` are fixtures that a run creates once and uses, with objects of
    their own, in many requirements: one worker tests all requirements that use the same fixture. `worlds` are the
    dimensions of the worlds in which requirements are tested.
    """

    prober: Callable[[Target], Prober]
    extra_checks: Callable[[Profile], Mapping[str, ExtraCheck]]
    levels: tuple[Levels, ...] = ()
    crowded: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ("fields",)
    chosen: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    worlds: tuple[Dimension, ...] = ()


def suite_part(api: str) -> SuitePart:
    """Return the part of an API. Raises Problem without one, or without the extra of the API."""
    require_extra_of(api)
    package = part_of(PACKAGE, api).__name__
    part: SuitePart = importlib.import_module(f"{package}.part").PART
    return part


def dimensions_of(parts: Iterable[SuitePart], document: Document) -> tuple[Dimension, ...]:
    """Return the dimensions of several APIs in a revision; one of the same name is that of the first."""
    known = {dimension.name: dimension for part in reversed(list(parts)) for dimension in part.worlds}
    return tuple(
        dimension for dimension in known.values() if not dimension.needs or dimension.needs in document.operations
    )


def requirements(api: str) -> dict[str, Requirement]:
    """Return the requirements of an API by id, importing their modules. Raises Problem without the extra of the API."""
    import_requirements(f"{PACKAGE}.{api}")
    return {name: requirement for name, requirement in REQUIREMENTS.items() if requirement.suite == api}


def import_requirements(name: str) -> None:
    """Import the modules of a package that declare requirements, at any depth; the package may have an API's name.

    Raises Problem without the extra of that API.
    """
    if (api := name.rpartition(".")[2]) in apis():
        require_extra_of(api)
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name.rpartition(".")[2].startswith("test_"):
            importlib.import_module(module.name)


def place_of(module: str) -> Path:
    """Return the file of a module, or the folder of a package."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no module {module}")
    origin = Path(spec.origin)
    return origin.parent if spec.submodule_search_locations else origin
