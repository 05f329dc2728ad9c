"""The APIs that the suite knows: where their requirements are and how a target is looked at."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

from conformance.iceberg.prober import IcebergProber
from conformance.iceberg.support import checks as iceberg_checks
from conformance.lance.prober import LanceProber
from conformance.lance.support import checks
from conformance.requirement import REQUIREMENTS, Requirement
from conformance.target import Prober, Target
from conformance.wire import ExtraCheck


@dataclass(frozen=True, slots=True)
class Api:
    """One API: the package of its requirements, its prober, and checks of every answer beside the schema."""

    package: str
    prober: Callable[[Target], Prober]
    extra_checks: dict[str, ExtraCheck]


APIS = {
    "lance": Api("conformance.lance.requirements", LanceProber, checks.EXTRA_CHECKS),
    "iceberg": Api("conformance.iceberg.requirements", IcebergProber, iceberg_checks.EXTRA_CHECKS),
}


def requirements(api: str) -> dict[str, Requirement]:
    """Return the requirements of an API by id, importing the modules that declare them."""
    import_requirements(APIS[api].package)
    return {name: one for name, one in REQUIREMENTS.items() if one.suite == api}


def import_requirements(name: str) -> None:
    """Import the modules of a package that declare requirements."""
    package = importlib.import_module(name)
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if module.name.rpartition(".")[2].startswith("test_"):
            importlib.import_module(module.name)
