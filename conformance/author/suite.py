"""The suite of a run: settings, target and client, and the execution of requirements' tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.errors import Flaky, HypothesisException
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from conformance.author.drawing import as_seeded
from conformance.author.shrinking import Shrinking
from conformance.author.wandering import Wandering
from conformance.http.client import Client
from conformance.target.target import Target
from conformance.values.outcomes import UNREADABLE, Blocked, Stopped, Violation
from conformance.values.settings import DEPTHS, Settings
from specs.openapi import Operation

Drawing = TypeVar("Drawing", bound=Callable[..., Any])
STEP_COUNT = 12
ATTEMPTS = 5
CLOSES = "the server closes connections without an answer, at varying requests"
VARYING = "connection"  # the blocker of a requirement that lost its connection so


@dataclass
class Suite:
    """The settings, target and client that all requirements of a run share.

    `subject` is the id of the current one, `unmet` are those of its needs that are not met: a model leaves out the
    commands that would only find the same defects again. `shared` is what requirements of one worker share, by class.
    """

    settings: Settings
    target: Target
    subject: str = ""
    unmet: frozenset[str] = frozenset()
    shared: dict[type, Any] = field(default_factory=dict)
    wandering: Wandering = field(init=False)
    _shrinking: Shrinking | None = None  # of the current test's examples

    def __post_init__(self) -> None:
        """Set up the tests in drawn worlds: none until the run draws some."""
        self.wandering = Wandering(self.target)

    def clean_up(self, *, look: bool = False) -> None:
        """Drop the objects that a requirement created, and with `look` all objects in its namespaces."""
        self.target.sandbox.clean_up(look=look)

    @property
    def client(self) -> Client:
        """The client that talks to the target."""
        return self.target.client

    def as_documented(self, value: Any) -> Any:
        """Return an operation in the version of the run's document; other values unchanged.

        An operation that the document lacks is unchanged: its requirements are not tested.
        """
        return self.target.document.operations.get(value.id, value) if isinstance(value, Operation) else value

    def _hypothesis_settings(self) -> hypothesis.settings:
        """Return the settings of Hypothesis: reproducible draws, except in a deep run."""
        deep = self.settings.depth == "deep"
        phases = (Phase.explicit, Phase.generate, *(() if self.settings.no_shrink else (Phase.shrink,)))
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
        """Run a requirement's test once, or once for each drawn example, and then in its drawn worlds."""

        def example(**drawn: Any) -> None:
            self._run_example(lambda: test(**fixtures, **drawn), fixtures.values())

        if not strategies:
            before = self.client.requests
            example()
            self.wandering.run(self.subject, example, fixtures.values(), self.client.requests - before)
            return
        example.__name__ = test.__name__
        drawn = self._seeded(self._hypothesis_settings()(hypothesis.given(**strategies)(example)))
        self._shrinking = self._new_shrinking()
        try:
            with as_seeded(), self._shrinking.limited():
                drawn()
        finally:
            self._shrinking = None

    def run_machine(self, machine: type[RuleBasedStateMachine], **attributes: Any) -> None:
        """Run a state machine with these attributes, once for each drawn sequence of its rules."""
        shrinking = self._new_shrinking()

        def begin(example: RuleBasedStateMachine) -> None:
            shrinking.begin()
            machine.__init__(example)

        def teardown(example: RuleBasedStateMachine) -> None:
            shrinking.note(sys.exc_info()[1])  # Hypothesis tears a machine down while the error of a rule passes
            machine.teardown(example)

        bound = type(machine.__name__, (machine,), {**attributes, "__init__": begin, "teardown": teardown})
        with as_seeded(), shrinking.limited():
            run_state_machine_as_test(self._seeded(bound), settings=self._hypothesis_settings())

    def _new_shrinking(self) -> Shrinking:
        return Shrinking(self.subject, self.settings.depth, self.client)

    def _seeded(self, drawing: Drawing) -> Drawing:
        """Return a drawing function with the seed of the run, if it is a deep one."""
        return hypothesis.seed(self.settings.seed)(drawing) if self.settings.depth == "deep" else drawing

    def _run_example(self, test: Callable[[], None], fixtures: Iterable[Any]) -> None:
        """Run one example within the limits of shrinking."""
        with self._shrinking.example() if self._shrinking else nullcontext():
            self._attempt(test, fixtures)

    def _attempt(self, test: Callable[[], None], fixtures: Iterable[Any]) -> None:
        """Run one example; repeat it while connections break in it.

        If every attempt loses the connection at the same step, that is the server's answer to this request; otherwise
        the example gives no evidence about the requirement, and is blocked.
        """
        breaks = set()
        for _ in range(ATTEMPTS):
            broken = self.client.traffic.broken
            for fixture in fixtures:
                if hasattr(fixture, "begin_example"):
                    fixture.begin_example()
            try:
                self._read(test)
                return
            except (Violation, Blocked, Flaky) as error:
                if isinstance(error, Stopped) or self.client.traffic.broken == broken:
                    raise
                breaks.add(self.client.broken)
                last = error
        if len(breaks) == 1 and None not in breaks:
            raise last
        raise Blocked(CLOSES, VARYING)

    def _read(self, test: Callable[[], None]) -> None:
        """Run a test; an error while it reads an answer that breaks the document is a violation by the server.

        Raises Blocked for a defect of an answer before the first call of a subject.
        """
        try:
            test()
        except Violation as error:
            if self.client.recording.only_prepared:
                raise Blocked(str(error), self.client.steps[-1].operation) from error
            raise
        except UNREADABLE as error:
            if isinstance(error, HypothesisException):
                raise
            self.client.reject_malformed(error)
