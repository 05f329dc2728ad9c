"""Import packages of lakeproof, found by their location and not by their name alone.

Their names (`conformance`, `specs`, ...) are common: a project under test may have folders of the same names, and the
working directory, PYTHONPATH or pytest may put these first on `sys.path`.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

FOLDER = Path(__file__).parent.parent
PACKAGES = ("specs", "reference_server", "conformance", "spark_tests")
MUTANTS = "mutants"  # package of a checkout, for the project's developers; the wheel has none


def bind_packages() -> None:
    """Import the packages of lakeproof under their names, regardless of packages of the same names on `sys.path`.

    Raises ImportError if this process has already imported another package of one of these names.
    """
    for name in (*PACKAGES, *_of_a_checkout()):
        if name in sys.modules:
            _check_own(name)
        else:
            _import_own(name)


def suite_faults() -> list[str]:
    """Return the modules to import when a fault is requested that servers do not have themselves."""
    return [f"{name}.faults" for name in _of_a_checkout()]


def _of_a_checkout() -> list[str]:
    return [MUTANTS] if (FOLDER / MUTANTS / "__init__.py").exists() else []


def _check_own(name: str) -> None:
    file = sys.modules[name].__file__
    if file is None or Path(file).parent != FOLDER / name:
        raise ImportError(
            f"The package `{name}` of this project ({file}) hides lakeproof's package of the same name: "
            "run lakeproof in a separate process, with the command `lakeproof`."
        )


def _import_own(name: str) -> None:
    spec = PathFinder.find_spec(name, [str(FOLDER)])
    if spec is None or spec.loader is None:
        raise ImportError(f"The package `{name}` of lakeproof is missing from {FOLDER}: install lakeproof again.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
