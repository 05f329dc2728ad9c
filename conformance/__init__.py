"""The suite: requirements, the target they judge, and the results.

It never imports the reference server: the judge does not share code with the accused.
"""

from conformance.requirement import given, may, must, should
from conformance.results import Results
from conformance.runner import run
from conformance.settings import Settings

__all__ = ["Results", "Settings", "given", "may", "must", "run", "should"]
