"""What a run found out about a server by itself before its first requirement, in words."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.target.capabilities import FLAT, NAMESPACES, NESTED, NONE, PAGES

from conformance.target.fallbacks import PLACES, SERVERS_PLACE
from conformance.target.target import Target
from conformance.values.results import Trait

NESTING = {NESTED: "within one another", FLAT: "of one level", NONE: "none but the root"}
NO_WAY = "in no way that was tried"


def server_profile(target: Target) -> list[Trait]:
    """Return what was found out: how names are written, what nests, what is dropped, and how things are made."""
    return [*_surroundings(target), *_ways(target)]


def _surroundings(target: Target) -> Iterator[Trait]:
    settings, capabilities = target.settings, target.capabilities
    yield Trait(name="names", value=f"letters and digits, beginning with {target.prefix}")
    yield Trait(name="the run stays", value=f"in {settings.namespace}" if settings.namespace else "below the root")
    if NAMESPACES in capabilities:
        yield Trait(name="namespaces", value=NESTING[capabilities[NAMESPACES]])
    if PAGES in capabilities:
        yield Trait(name="listings", value=capabilities[PAGES])
    inventory = target.sandbox.inventory
    if inventory is not None:
        kept = inventory.undroppable()
        yield Trait(
            name="drops", value=f"all but {' and '.join(f'{kind}s' for kind in kept)}" if kept else "all it makes"
        )
    where = f"below {target.location}" if target.location else SERVERS_PLACE
    yield Trait(name=PLACES, value=where, refused=target.ways.refused.get(PLACES, {}))


def _ways(target: Target) -> Iterator[Trait]:
    for thing, refused in target.ways.refused.items():
        if thing == PLACES:
            continue
        yield Trait(name=thing, value=target.ways.chosen.get(thing, NO_WAY), refused=refused)
