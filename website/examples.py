"""Examples of requirements: a request that each sends, and the answer of the reference server, from a recorded run."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any
from urllib.parse import urlsplit

import pytest

from conformance.after.runner import run
from conformance.author.fixtures import PLUGIN
from conformance.author.requirement import requirement_of
from conformance.replay.issued import to_steps
from conformance.report.pretty import short_body
from conformance.run.session import Session
from conformance.values.exchange import ERROR_STATUS, Exchange, Step
from conformance.values.kinds import WIRE
from conformance.values.redaction import REDACTED
from conformance.values.requirement import Requirement
from conformance.values.settings import load_settings
from lakeproof.checking import target_of
from specs.apis import apis
from website.markup import facts, text

DEPTH = "smoke"  # without drawn worlds: the plain request is the example
PREFIX = "demo"
LONGEST_REQUEST, LONGEST_ANSWER = 400, 240  # characters of a body
JSON = "application/json"
EVERYWHERE = {
    *("accept", "accept-encoding", "connection", "content-length", "date"),
    *("host", "server", "user-agent", "x-request-id"),
}


def examples(ids: Collection[str]) -> dict[str, str]:
    """Test the reference server with requirements, all APIs beside each other, and return their examples as HTML."""
    by_api = {api: [name for name in ids if name.partition(".")[0] == api] for api in apis()}
    asked = [(api, names) for api, names in by_api.items() if names]
    with ProcessPoolExecutor(len(asked) or 1, get_context("spawn")) as processes:
        recorded = processes.map(_recorded, *zip(*asked, strict=True)) if asked else ()
        return {name: shown for found in recorded for name, shown in found.items()}


def _recorded(api: str, ids: Collection[str]) -> dict[str, str]:
    """Return the examples of an API's requirements."""
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder:
        given = load_settings({"api": api, "depth": DEPTH, "report": folder, "prefix": PREFIX})
        with target_of(given) as target:
            results, _ = run(target, ids=ids, plugins=[recorder])
    left_out = {result.id: result.message for result in results.requirements}
    other = f"the recorded run is one of {results.target.profile}"  # of another revision or dialect than this one
    return {
        name: _shown(found) if (found := recorder.found(name)) else _none(left_out.get(name, other)) for name in ids
    }


class Recorder:
    """Plugin of a run that keeps the exchange that shows each requirement.

    Checks over all answers send nothing: they are shown by the exchanges of other requirements with their operation.
    """

    def __init__(self) -> None:
        self._own: dict[str, list[Step]] = {}
        self._judged: dict[str, Requirement] = {}
        self._answered: dict[
            str, dict[bool, Step]
        ] = {}  # by operation: the first answer without an error, and with one

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Keep the exchanges of a requirement before its clean-up."""
        requirement = requirement_of(item)
        if requirement and call.when == "call" and not call.excinfo:
            plugin: Any = item.config.pluginmanager.get_plugin(PLUGIN)
            self._take(requirement, plugin.session)
        return (yield)

    def _take(self, requirement: Requirement, session: Session) -> None:
        if requirement.kind == WIRE:
            self._judged[requirement.id] = requirement
            return
        target = session.target
        sent = session.client.steps
        own = {*session.client.headers.values(), *target.managing.values()}
        steps = [step for step in to_steps(sent, target.preparation, own) if not step.beside]
        if steps:
            self._own[requirement.id] = [steps[_telling(requirement, sent)]]
        for step in steps:
            answered = self._answered.setdefault(step.operation, {})
            answered.setdefault(step.response.status >= ERROR_STATUS, step)

    def found(self, name: str) -> list[Step]:
        """Return the exchanges that show a requirement, none where the run has none."""
        if requirement := self._judged.get(name):
            answers = (self._answered.get(operation, {}) for operation in requirement.operations)
            return next(([*found.values()] for found in answers if found), [])
        return self._own.get(name, [])


def _telling(requirement: Requirement, sent: Sequence[Exchange]) -> int:
    """Return the place of the exchange that shows a requirement best.

    It is the last one with a subject; of a requirement on errors, the last one that was refused.
    """
    subjects = [place for place, each in enumerate(sent) if each.operation in requirement.operations]
    refused = [place for place in subjects if sent[place].status >= ERROR_STATUS]
    chosen = refused if requirement.kind == "error" and refused else subjects
    return (chosen or range(len(sent)))[-1]


def _shown(steps: Sequence[Step]) -> str:
    lines = "\n".join(text(line) for step in steps for line in _lines(step))
    return f'<pre class="steps" data-search-exclude>{lines}</pre>'


def _none(why: str) -> str:
    return facts(f"no example: {text(why)}") if why else ""


def _lines(step: Step) -> Iterator[str]:
    """Yield a request and its answer: the first line, the headers that not all have, the body."""
    request, response, split = step.request, step.response, urlsplit(step.request.url)
    yield f"{request.method} {split.path}{'?' if split.query else ''}{split.query}"
    yield from _headers({name: step.borne.get(name, value) for name, value in request.headers.items()})
    yield from filter(None, [short_body(request.body, most=LONGEST_REQUEST)])
    yield f"→ {response.status or response.failure}"
    yield from _headers(response.headers)
    yield from filter(None, [short_body(response.body, most=LONGEST_ANSWER)])


def _headers(headers: Mapping[str, str]) -> Iterator[str]:
    """Yield the headers that not every request or answer has; the token of the run is in all."""
    for name, value in headers.items():
        if name.lower() not in EVERYWHERE and value not in (REDACTED, JSON):
            yield f"{name}: {value}"
