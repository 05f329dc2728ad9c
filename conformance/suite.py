"""A run's own things: settings, target, client. It runs the requirements' tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity

from conformance.client import Client
from conformance.settings import DEPTHS, Settings
from conformance.target import Target

STEP_COUNT = 12


class Scope(Protocol):
    """A place in the target in which a requirement may create things."""

    @property
    def left_behind(self) -> list[str]:
        """What could not be dropped."""

    def clean_up(self) -> None:
        """Drop them all; called again after an interruption."""


@dataclass
class Suite:
    """What every requirement of a run shares.

    `scopes` are where requirements create things; `left_behind` names what could not be dropped again.
    """

    settings: Settings
    target: Target
    scopes: list[Scope] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)

    def clean_up(self) -> None:
        """Drop what was created, after each requirement, and at the end what an interruption left."""
        while self.scopes:
            self.scopes[-1].clean_up()
            self.left_behind += self.scopes.pop().left_behind

    @property
    def client(self) -> Client:
        """The client that talks to the target."""
        return self.target.client

    def hypothesis_settings(self) -> hypothesis.settings:
        """Return how drawn arguments are explored: the same way every time, but for a deep run."""
        deep = self.settings.depth == "deep"
        phases = (Phase.explicit, Phase.generate, Phase.shrink)
        return hypothesis.settings(
            max_examples=DEPTHS[self.settings.depth],
            stateful_step_count=STEP_COUNT if not deep else STEP_COUNT * 4,
            phases=phases,
            derandomize=not deep,
            database=None,
            deadline=None,
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
        )

    def run(self, test: Callable[..., None], fixtures: Mapping[str, Any], strategies: Mapping[str, Any]) -> None:
        """Run a requirement's test once, or once for each drawn example."""

        def example(**drawn: Any) -> None:
            for fixture in fixtures.values():
                if hasattr(fixture, "begin_example"):
                    fixture.begin_example()
            test(**fixtures, **drawn)

        if not strategies:
            example()
            return
        example.__name__ = test.__name__
        drawn = hypothesis.given(**strategies)(example)
        drawn = self.hypothesis_settings()(drawn)
        if self.settings.depth == "deep":
            drawn = hypothesis.seed(self.settings.seed)(drawn)
        drawn()
