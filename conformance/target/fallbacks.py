"""Fallbacks for the objects that requirements start from: ways to create each, tried before the first test.

The first way that works is used throughout the run. A rejected way is reported once, among the traits of the server;
the requirements of the rejected operation test it, and nothing else is blocked by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from conformance.values.outcomes import UNREADABLE, NotTested, Stopped, Violation

PLACES = "places of tables"
GIVEN_PLACE, SERVERS_PLACE = "below the given location", "where the server puts them"
CHOSEN_PLACE = "below the given location where the request names one"


@dataclass(frozen=True, slots=True)
class Fallbacks:
    """The names of the ways to create a thing, the best first; `make` creates one in the chosen way, in a catalog.

    `operations` create it; the server must have one of them. `rests_on` are things that it uses, whose fallbacks come
    before.
    """

    thing: str
    operations: tuple[str, ...]
    ways: tuple[str, ...]
    make: Callable[[Any], object]
    rests_on: tuple[str, ...] = ()


@dataclass
class Ways:
    """The chosen way to create each thing, and why earlier ways were rejected. A thing may have no way."""

    chosen: dict[str, str] = field(default_factory=dict)
    refused: dict[str, dict[str, str]] = field(default_factory=dict)

    def impossible(self, thing: str) -> bool:
        """True when no way to create a thing was found."""
        return thing in self.refused and thing not in self.chosen

    def find(self, every: Iterable[Fallbacks], catalog: Any) -> None:
        """Find the way for each thing that the server can create. Raises Stopped when the run is over.

        An operation that seems to be missing is tried too: a 404 to its probe may concern the requested object.
        """
        for fallbacks in every:
            if any(map(catalog.inventory.may_offer, fallbacks.operations)) and not any(
                map(self.impossible, fallbacks.rests_on)
            ):
                self._find(fallbacks, catalog)

    def _find(self, fallbacks: Fallbacks, catalog: Any) -> None:
        refused = self.refused[fallbacks.thing] = {}
        for way in fallbacks.ways:
            self.chosen[fallbacks.thing] = way
            try:
                why = _refusal(fallbacks, catalog)
            except Stopped:
                del self.chosen[fallbacks.thing], self.refused[fallbacks.thing]  # the way was not tried to its end
                raise
            if not why:
                return
            del self.chosen[fallbacks.thing]
            refused[way] = why


def _refusal(fallbacks: Fallbacks, catalog: Any) -> str:
    """Create a thing; return why that failed, "" on success."""
    catalog.begin_example()
    try:
        fallbacks.make(catalog)
    except Stopped:
        raise
    except (Violation, NotTested) as error:
        return str(getattr(error, "msg", None) or error)
    except UNREADABLE:
        return "the answers to it cannot be used"
    return ""
