"""One run against one target, from the first look to the results."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Collection
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from conformance.apis import APIS
from conformance.client import Client
from conformance.exchange_log import ExchangeLog
from conformance.requirement import Requirement
from conformance.results import Result, Results
from conformance.settings import Settings
from conformance.suite import Suite
from conformance.target import OFFERED, Target, connect
from specs.clauses import clauses, clauses_of

KIT = "lakeproof"


class Session:
    """Connects, collects results, and writes them down."""

    def __init__(self, settings: Settings, command: str = "", ids: Collection[str] | None = None) -> None:
        """Meet the target. Raises Problem when it cannot be judged. `ids` are all that is wanted, if given."""
        self.settings = settings
        self._ids = ids
        self.command = command or " ".join(sys.argv[:1])
        self.started = datetime.now(UTC)
        self.interrupted = False
        self.kit_errors: list[str] = []
        self._id = f"{self.started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
        self._clock = time.perf_counter()
        self._results: dict[str, Result] = {}
        self.target: Target = connect(settings)
        self.suite = Suite(settings, self.target)
        api = APIS[settings.api]
        self.client.wire.extra_checks.update(api.extra_checks)
        self.log = ExchangeLog(Path(settings.report))
        self.client.exchange_listener = self.log.add
        self._frozen = self.target.profile.frozen_requirements()
        self._elsewhere = clauses(settings.api).keys() - clauses_of(self.target.profile).keys()
        self.target.meet(api.prober(self.target))

    @property
    def client(self) -> Client:
        """The client of the run."""
        return self.target.client

    def wants(self, requirement: Requirement | None) -> bool:
        """True when the run is about this requirement: its API, its document, its kinds, its frozen set.

        What is judged over all answers of a run is so for those operations of it that the document has.
        """
        if requirement is None:
            return False
        enough = any if requirement.kind == "wire" else all
        return (
            requirement.api == self.settings.api
            and requirement.kind in self.settings.kinds
            and enough(operation in self.target.document.operations for operation in requirement.operations)
            and requirement.clause not in self._elsewhere
            and (self._frozen is None or requirement.id in self._frozen or requirement.suite != requirement.api)
            and (self._ids is None or requirement.id in self._ids)
        )

    def add(self, result: Result) -> None:
        """Take the verdict on one requirement; an error while cleaning up after it wins over a pass."""
        self._results[result.requirement.id] = result

    def verdict(self, requirement_id: str) -> str | None:
        """Return the verdict on a requirement, None while there is none."""
        result = self._results.get(requirement_id)
        return result.verdict if result else None

    def results(self) -> Results:
        """Return the results so far."""
        entries = [result.to_json() for result in self._results.values()]
        return Results(self._run(), self._target(), entries)

    def finish(self) -> None:
        """Close what the run had open."""
        self.log.close()
        self.client.close()

    def _run(self) -> dict[str, Any]:
        return {
            "id": self._id,
            "started": self.started.isoformat(timespec="seconds"),
            "seconds": round(time.perf_counter() - self._clock, 3),
            "seed": self.settings.seed,
            "depth": self.settings.depth,
            "command": self.command,
            "kit": f"{KIT} {version(KIT)}",
            "interrupted": self.interrupted,
            "requests": self.client.requests,
            "left_behind": self.suite.left_behind,
        }

    def _target(self) -> dict[str, Any]:
        target = self.target
        states = {name: probe.state for name, probe in target.probes.items()}
        return {
            "url": self.settings.server,
            "name": self.settings.name or self.settings.server,
            "api": self.settings.api,
            "profile": target.profile.name,
            "document": target.document.title,
            "server": target.server,
            "facts": target.facts,
            "operations": [
                {
                    "id": operation.id,
                    "resource": operation.resource,
                    "summary": operation.summary,
                    "state": states.get(operation.id, OFFERED),
                }
                for operation in target.document.operations.values()
            ],
            "settings": self.settings.shown(),
        }
