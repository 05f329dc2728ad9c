"""Properties of a server that a run detected before its first requirement, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from conformance.target.capabilities import FLAT, NAMESPACES, NESTED, NESTING, NONE, PAGES, UNTRIED
from conformance.target.fallbacks import PLACES, SERVERS_PLACE
from conformance.target.given import NAMED_BY
from conformance.target.target import Target
from conformance.values.results import Result, Trait

LEVELS = {NESTED: "nested", FLAT: "one level", NONE: "only the root"}
MOST_SHOWN = 5
NO_WAY = "none of the tried ways works"


def server_profile(target: Target, findings: Iterable[Result] = ()) -> list[Trait]:
    """Return the detected traits: revision, names, nesting of namespaces, drops, and the ways to create things.

    What the `findings` and the clean-up of the run have shown since corrects what the first requests showed.
    """
    return [*_revision(target), *_surroundings(target, findings), *_ways(target)]


def _revision(target: Target) -> Iterator[Trait]:
    """Yield the revision that judges the server, where the run chose it."""
    if target.shown:
        yield Trait(name="revision", value=f"{target.shown.profile.name}: {target.shown.why}")


def _surroundings(target: Target, findings: Iterable[Result]) -> Iterator[Trait]:
    settings, capabilities = target.settings, target.capabilities
    offered, operations = len(target.offered()), len(target.document.operations)
    if target.read_only:
        unasked = operations - len(target.probes)
        yield Trait(name="operations", value=f"{offered} of {operations} offered, {unasked} not asked")
        yield Trait(name="the run reads", value=_read(target))
        return
    yield Trait(name="names", value=f"letters and digits, starting with {target.prefix}")
    yield Trait(name="operations", value=f"{offered} of {operations} offered")
    yield Trait(name="the run stays", value=f"in {settings.namespace}" if settings.namespace else "below the root")
    if NAMESPACES in capabilities:
        yield Trait(name="namespaces", value=_nesting(capabilities))
    if PAGES in capabilities:
        of_pages = [result.evidence for result in findings if result.kind == "pagination" and result.evidence]
        lossy = sorted({evidence.operation for evidence in of_pages if evidence.omits})
        seen = f", but {' and '.join(lossy)} left out objects" if lossy else ""
        yield Trait(name="listings", value=f"{capabilities[PAGES]}{seen}")
    inventory = target.sandbox.inventory
    if inventory is not None:
        left = {left.kind for left in target.sandbox.left_behind}
        kept = sorted({*inventory.undroppable(), *left})
        rest = "all objects of the run" if target.sandbox.ended else "not known before the clean-up ends"
        yield Trait(name="drops", value=f"all but {' and '.join(f'{kind}s' for kind in kept)}" if kept else rest)
    where = f"below {target.location}" if target.location else SERVERS_PLACE
    yield Trait(name=PLACES, value=where, refused=target.ways.refused.get(PLACES, {}))


def _nesting(capabilities: Mapping[str, str]) -> str:
    """Return whether namespaces nest, with the evidence where it is less than one that was created and shown."""
    why = capabilities.get(NESTING, UNTRIED)
    if why == UNTRIED:
        return UNTRIED
    return f"{LEVELS[capabilities[NAMESPACES]]}{f' ({why})' if why else ''}"


def _read(target: Target) -> str:
    """Return the existing objects that the run reads, in words."""
    objects = [f"{kind} {'.'.join(id)}" for kind in NAMED_BY for id in target.given.of(kind, target.given.home)]
    more = f" and {len(objects) - MOST_SHOWN} more" if len(objects) > MOST_SHOWN else ""
    return f"{', '.join(objects[:MOST_SHOWN])}{more}" if objects else "listings: it found no table and no view"


def _ways(target: Target) -> Iterator[Trait]:
    for thing, refused in target.ways.refused.items():
        if thing == PLACES:
            continue
        yield Trait(name=thing, value=target.ways.chosen.get(thing, NO_WAY), refused=refused)
