"""Show faults of the reference server to other judges: plain Schemathesis, and Iceberg's compatibility kit.

    python -m peers.judges schemathesis --api iceberg --keep mutants/results
    python -m peers.judges java --keep mutants/results

The faults are those in our kit's measurements in the folder. Schemathesis must be on the PATH
(`pip install schemathesis`). It knows the objects on the server (peers/schemathesis), and tests the operations of a
fault and the other operations of their paths, with all its phases and checks, for --seconds each. Each judge also
judges the server without a fault: findings on it do not count. Measurements that are in the folder are not repeated;
`python -m mutants publish` writes the page.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import click
import msgspec

from lakeproof import serve
from lakeproof.console import out
from mutants.scores import OURS, Keeper, counted
from peers.iceberg_java.embedded import USUAL
from peers.iceberg_java.kit import run_kit
from peers.iceberg_java.rck import run_command
from peers.iceberg_java.verdicts import requirement_id
from peers.schemathesis.judging import beside, known_things, run_schemathesis
from reference_server.faults import find_fault
from specs.apis import apis
from specs.problems import Problem
from specs.profiles import find_profile

TOKEN = "judged"  # noqa: S105 - for a server that runs only for its judge
KIT_SECONDS = 900.0  # the kit always runs to its end
Asked = tuple[str, ...]  # ids of operations, empty for all


def schemathesis(api: str, url: str, asked: Asked, seconds: float) -> set[str]:
    """Return the findings of Schemathesis on these operations of a server."""
    return run_schemathesis(api, url, TOKEN, find_profile(api).document(), asked, seconds)


def java(api: str, url: str, _asked: Asked, seconds: float) -> set[str]:
    """Return the tests of Iceberg's compatibility kit that fail on a server; it always runs all of them."""
    if api != "iceberg":
        raise Problem("--api: Iceberg's kit tests only Iceberg.", "Use --api iceberg.")
    with tempfile.TemporaryDirectory(prefix="lakeproof-rck-") as folder:
        outcomes = run_kit(url, {**USUAL, "token": TOKEN}, Path(folder, "log"), seconds=max(seconds, KIT_SECONDS))
    return {requirement_id(outcome) for outcome in outcomes if outcome.end == "failed"}


def _beside_fault(api: str, fault: str) -> Asked:
    document = find_profile(api).document()
    return tuple(beside(document, find_fault(fault, [document]).operations))


def _everything(_api: str, _fault: str) -> Asked:
    return ()


def _no_options(_api: str) -> dict[str, Any]:
    return {}


def _server_options(api: str) -> dict[str, Any]:
    return dict(known_things(api).get("server", {}))


@dataclass(frozen=True)
class Judge:
    """Judge: the function that judges a server, the operations that it tests, and the options of its servers.

    `how` describes its effort for each fault.
    """

    judge: Callable[[str, str, Asked, float], set[str]]
    asked: Callable[[str, str], Asked]
    options: Callable[[str], dict[str, Any]]
    how: str


JUDGES: Mapping[str, Judge] = {
    "schemathesis": Judge(schemathesis, _beside_fault, _server_options, "{seconds:g} s for each fault"),
    "java": Judge(java, _everything, _no_options, "the whole kit for each fault"),
}


@dataclass
class Judging:
    """Judge of an API. `usual` are its findings so far on the server without faults."""

    judge: Judge
    api: str
    seconds: float
    usual: set[str] = field(default_factory=set)

    def finds(self, fault: str) -> set[str]:
        """Return the judge's findings on a server with a fault that it does not find without it, in twice the time.

        Every new finding with a fault is searched without it again, since a judge draws different requests each time.
        """
        asked = self.judge.asked(self.api, fault)
        findings = self._on_server([fault], asked, self.seconds)
        if findings - self.usual:
            self.usual |= self._on_server([], asked, 2 * self.seconds)
        return findings - self.usual

    def _on_server(self, faults: Collection[str], asked: Asked, seconds: float) -> set[str]:
        options = self.judge.options(self.api)
        with serve(self.api, auth=f"token:{TOKEN}", faults=tuple(faults), **options) as server:
            return self.judge.judge(self.api, server.url, asked, seconds)


@click.command("judges")
@click.argument("judge", type=click.Choice(list(JUDGES)))
@click.option("--api", type=click.Choice(list(apis())), default="iceberg", show_default=True, help="Whose faults.")
@click.option("--sample", type=click.IntRange(1), default=1, metavar="N", help="Show only one fault in N.")
@click.option("--seconds", type=click.FloatRange(min=1), default=60.0, show_default=True, help="Time for each fault.")
@click.option(
    "--keep", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder of our kit's measurements."
)
def judges(judge: str, api: str, sample: int, seconds: float, keep: Path) -> None:
    """Show the faults that our kit was shown, and that changed a response, to another judge."""
    ours, kept = counted(Keeper.of(keep, api, OURS).read().values()), Keeper.of(keep, api, judge)
    known = kept.read()
    judging = Judging(JUDGES[judge], api, seconds)
    for mutant in sorted(ours, key=lambda mutant: mutant.fault):
        if mutant.fault in known or crc32(mutant.fault.encode()) % sample:
            continue
        started = time.perf_counter()
        findings = judging.finds(mutant.fault)
        taken = round(time.perf_counter() - started, 1)
        noticed, how = dict.fromkeys(sorted(findings), 0), judging.judge.how.format(seconds=seconds)
        kept.add(msgspec.structs.replace(mutant, noticed_by=noticed, seconds=taken, how=how))
        out.print(f"{mutant.fault}: {', '.join(sorted(findings)[:3]) or 'not noticed'} ({taken} s)", soft_wrap=True)


if __name__ == "__main__":
    run_command(judges)
