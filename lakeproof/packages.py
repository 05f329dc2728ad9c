"""The import packages of lakeproof beside this one, found by their place and not by their name alone.

Their names (`conformance`, `specs`, ...) are ordinary: a project under test may have folders of the same names, and
the working directory, PYTHONPATH or pytest may put these first on `sys.path`.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

FOLDER = Path(__file__).parent.parent
SUITE_FAULTS = "mutants.faults"  # what servers import when a fault is requested that they do not have themselves
PACKAGES = ("specs", "reference_server", "conformance", "spark_tests", "mutants")


def bind_packages() -> None:
    """Import the packages of lakeproof under their names, whatever `sys.path` has under these names.

    Raises ImportError when this process has imported another package of such a name already.
    """
    for name in PACKAGES:
        if name in sys.modules:
            _check_own(name)
        else:
            _import_own(name)


def _check_own(name: str) -> None:
    file = sys.modules[name].__file__
    if file is None or Path(file).parent != FOLDER / name:
        raise ImportError(
            f"lakeproof has a package `{name}`, and so has this project ({file}): "
            "run lakeproof in a process of its own, with the command `lakeproof`."
        )


def _import_own(name: str) -> None:
    spec = PathFinder.find_spec(name, [str(FOLDER)])
    if spec is None or spec.loader is None:
        raise ImportError(f"The package `{name}` of lakeproof is not in {FOLDER}: install lakeproof again.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
