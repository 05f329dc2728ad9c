"""Properties of a server that a run detected before its first requirement, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from conformance.target.capabilities import FLAT, NAMESPACES, NESTED, NESTING, NONE, PAGES, UNTRIED
from conformance.target.fallbacks import CHOSEN_PLACE, GIVEN_PLACE, PLACES, SERVERS_PLACE
from conformance.target.given import NAMED_BY
from conformance.target.target import Target
from conformance.values.results import Result, Trait

LEVELS = {NESTED: "nested", FLAT: "one level", NONE: "only the root"}
MOST_SHOWN = 5
NO_WAY = "none of the ways tried before the first requirement worked"


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
        yield Trait(name="operations", value=f"{offered} of {operations} offered, {_unasked(target)} not asked")
        yield Trait(name="the run reads", value=_read(target))
        return
    yield Trait(name="names", value=f"contain {target.prefix}, or lie below one that does")
    yield Trait(name="operations", value=f"{offered} of {operations} offered")
    stays = f"in {settings.namespace}" if settings.namespace else "below the root"
    inventory = target.sandbox.inventory
    beside = f", with {_plurals(inventory.outer)} beside it" if inventory is not None and inventory.outer else ""
    yield Trait(name="the run stays", value=f"{stays}{beside}")
    if NAMESPACES in capabilities:
        yield Trait(name="namespaces", value=_nesting(capabilities))
    if PAGES in capabilities:
        of_pages = [result.evidence for result in findings if result.kind == "pagination" and result.evidence]
        lossy = sorted({evidence.operation for evidence in of_pages if evidence.omits})
        seen = f", but {' and '.join(lossy)} left out objects" if lossy else ""
        yield Trait(name="listings", value=f"{capabilities[PAGES]}{seen}")
    if inventory is not None:
        left = {left.kind for left in target.sandbox.left_behind}
        kept = sorted({*inventory.undroppable(), *left})
        rest = "all objects of the run" if target.sandbox.ended else "not known before the clean-up ends"
        yield Trait(name="drops", value=f"all but {_plurals(kept)}" if kept else rest)
    yield Trait(name=PLACES, value=_places(target), refused=target.ways.refused.get(PLACES, {}))


def _plurals(kinds: Iterable[str]) -> str:
    return " and ".join(f"{kind}s" for kind in kinds)


def _unasked(target: Target) -> int:
    """Return the number of operations without an answer of their own, whatever the configuration says about them."""
    asked = {name for name, probe in target.probes.items() if probe.exchange.operation == name}
    return len(target.document.operations.keys() - asked - target.client.known.done)


def _places(target: Target) -> str:
    """Return the place of the tables of the run, in words."""
    if PLACES not in target.ways.refused:
        return UNTRIED
    return {
        GIVEN_PLACE: f"below {target.location}",
        CHOSEN_PLACE: f"below {target.location} where the request names one, others {SERVERS_PLACE}",
    }.get(way := target.ways.chosen.get(PLACES, NO_WAY), way)


def _nesting(capabilities: Mapping[str, str]) -> str:
    """Return whether namespaces nest, with the evidence where it is less than one that was created and shown."""
    why = capabilities.get(NESTING, UNTRIED)
    if why == UNTRIED:
        return UNTRIED
    return f"{LEVELS[capabilities[NAMESPACES]]}{f' ({why})' if why else ''}"


def _read(target: Target) -> str:
    """Return the existing objects that the run reads, in words: tables and views by name, others by number."""
    objects = [f"{kind} {'.'.join(id)}" for kind in NAMED_BY for id in target.given.of(kind, target.given.home)]
    named = [*objects[:MOST_SHOWN], *([f"{len(objects) - MOST_SHOWN} more"] if len(objects) > MOST_SHOWN else [])]
    counts = {kind: len(ids) for kind, ids in target.given.ids.items() if ids and kind not in NAMED_BY}
    others = [f"{count} {kind}{'s' * (count > 1)}" for kind, count in counts.items()]
    return ", ".join([*named, *others]) or "listings: it found no object"


def _ways(target: Target) -> Iterator[Trait]:
    for thing, refused in target.ways.refused.items():
        if thing == PLACES:
            continue
        yield Trait(name=thing, value=target.ways.chosen.get(thing, NO_WAY), refused=refused)
