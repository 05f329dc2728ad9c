"""Evidence of a test's error: the fields that its check stated, completed from the exchanges and the code."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Sequence

import msgspec
from hypothesis.errors import Flaky

from conformance.author.shrinking import UNSTEADY
from conformance.values.evidence import Evidence, completed
from conformance.values.exchange import Step
from conformance.values.outcomes import violation_of
from conformance.values.requirement import Requirement
from conformance.values.worlds import PLAIN_WORLD, World

# The code of the suite that checks: requirements, templates, and what they share. The rest of it are tools.
CHECKS = re.compile(r"conformance\.(common|fuzz)\.|conformance\.\w+\.(requirements|support)\.")
TOOLS = {*sys.stdlib_module_names, "conformance", "specs", "hypothesis", "pytest", "_pytest", "pluggy"}
MOST_OF_A_STATEMENT = 2000


def evidence_of(
    error: BaseException, requirement: Requirement, steps: Sequence[Step], world: World = PLAIN_WORLD, only: str = ""
) -> Evidence:
    """Return the evidence of the error that ended a requirement's test, with its steps.

    `world` is the smallest one in which the test ends so, and `only` tells it in words.
    """
    stated = violation_of(error)
    evidence = stated.evidence if stated else Evidence(thing=_words(error))
    evidence = msgspec.structs.replace(evidence, thing=evidence.thing[:MOST_OF_A_STATEMENT], check=_place(error))
    evidence = msgspec.structs.replace(evidence, world=tuple(sorted(world.items())), only=only)
    return completed(evidence, steps, requirement.operations)


def _words(error: BaseException) -> str:
    """Return the words of a report for an error without stated evidence."""
    return UNSTEADY if isinstance(error, Flaky) else str(getattr(error, "msg", None) or error)


def _place(error: BaseException) -> str:
    """Return the place of the check that failed: module, function, and line within it; "" for none."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = frame.f_globals.get("__name__", "")
        if CHECKS.match(module) or module.partition(".")[0] not in TOOLS:
            return f"{module}:{frame.f_code.co_qualname}+{line - frame.f_code.co_firstlineno}"
    return ""
