"""Comparison of two servers, request by request: different answers, and the server that the document supports."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace

from conformance.after.comparing.mirror import Deviation, Mirror
from conformance.after.comparing.shrinking import Shrinker
from conformance.after.runner import run
from conformance.apis import suite_part
from conformance.replay.answers import Reader
from conformance.run.reporting import Listener
from conformance.run.session import handshake, met
from conformance.target.target import connect
from conformance.values.activity import doing
from conformance.values.outcomes import Stopped
from conformance.values.results import Results
from conformance.values.settings import Settings


@dataclass
class Comparison:
    """The differences of two servers' answers to the same requests.

    `lacking` are the operations that only one of the two lacks, for each; `lost` is the reason why requests to the
    second server stopped; an `interrupted` comparison has not looked for the fewest steps of all.
    """

    deviations: list[Deviation]
    lacking: tuple[list[str], list[str]]
    lost: str
    interrupted: bool = False


def compare_answers(
    first: Settings,
    second: Settings,
    listener: Listener | None,
    command: str,
    keep: Callable[[Results], object] | None = None,
) -> tuple[Results, int, Comparison]:
    """Run the suite on one server, repeat its requests on another; return results, exit code and comparison.

    Requirements are tested one after another: the second server gets every request right after the first. `keep`
    receives the results before the clean-up. An interruption ends the search for the fewest steps. Raises Problem when
    one of them cannot be tested.
    """
    with met(second) as other:
        target = connect(first)
        handshake(target)
        parts = [suite_part(suite) for suite in target.profile.suites]
        ordered = {name for part in parts for name in part.ordered}
        chosen = {name for part in parts for name in part.chosen}
        reader = Reader(target.document.errors, ordered, chosen)
        mirror = Mirror(target, other, reader, listener)
        target.client.recording.listener = mirror.hear
        results, code = run(replace(first, jobs=1), mirror, command=command, known=target, keep=keep)
    comparison = Comparison(list(mirror.deviations.values()), mirror.lacking, mirror.lost)
    if not comparison.deviations:
        return results, code, comparison
    try:
        with ExitStack() as stack, suppress(Stopped), doing("looking for the fewest steps") as tell:
            shrinker = Shrinker(mirror, stack.enter_context(met(first)), stack.enter_context(met(second)))
            for number, deviation in enumerate(comparison.deviations, 1):
                tell(f"looking for the fewest steps, difference {number:,} of {len(comparison.deviations):,}")
                deviation.seen_once = not shrinker.shrink(deviation)
    except KeyboardInterrupt:
        comparison.interrupted = True
    return results, code, comparison
