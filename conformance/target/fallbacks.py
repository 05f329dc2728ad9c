"""How the things are made that requirements start from: several ways for each, tried before the first requirement.

The first way that works is used throughout the run. What a server does not take on the way there is told once, with
what else was found out about it; requirements of the operation concerned test it, and nothing else is blocked by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from conformance.values.outcomes import UNREADABLE, Blocked, Stopped, Unoffered, Violation

PLACES = "places of tables"
GIVEN_PLACE, SERVERS_PLACE = "below the given location", "where the server puts them"


@dataclass(frozen=True, slots=True)
class Fallbacks:
    """The names of the ways to make a thing, the best first; `make` makes one in the way that is chosen, in a catalog.

    `operations` are what makes it, one of which the server must have. `rests_on` are things that it takes, whose
    fallbacks come before.
    """

    thing: str
    operations: tuple[str, ...]
    ways: tuple[str, ...]
    make: Callable[[Any], object]
    rests_on: tuple[str, ...] = ()


@dataclass
class Ways:
    """The way to make each thing, and why those before it are not used. What can be made in no way has none."""

    chosen: dict[str, str] = field(default_factory=dict)
    refused: dict[str, dict[str, str]] = field(default_factory=dict)

    def impossible(self, thing: str) -> bool:
        """True when no way was found to make a thing."""
        return thing in self.refused and thing not in self.chosen

    def find(self, every: Iterable[Fallbacks], catalog: Any) -> None:
        """Find the way for each thing that the server makes. Raises Stopped when the run is over.

        What makes it may seem to be missing: a 404 to its probe may have been about what it was asked for.
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
            why = _refusal(fallbacks, catalog)
            if not why:
                return
            del self.chosen[fallbacks.thing]
            refused[way] = why


def _refusal(fallbacks: Fallbacks, catalog: Any) -> str:
    """Make a thing; return why that is impossible, "" when it is not."""
    catalog.begin_example()
    try:
        fallbacks.make(catalog)
    except Stopped:
        raise
    except (Violation, Blocked, Unoffered) as error:
        return str(getattr(error, "msg", None) or error)
    except UNREADABLE:
        return "the answers to it cannot be used"
    return ""
