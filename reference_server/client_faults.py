"""Faults for developers of clients, by the part of a client that they test.

These are the faults of every API; an API lists its own in `client_faults` of its class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reference_server.faults import FAULTS, Fault
from reference_server.serve import api_class
from specs.profiles import Profile

Groups = Mapping[str, Sequence[str]]
GROUPS: Groups = {
    "The server and the way to it": (
        *("slow", "connection-lost", "unavailable", "throttled", "rate-limited", "rate-limit-in-words"),
        *("forbidden", "unsupported", "plain-text-errors", "conflict-as-400", "not-found-as-400", "compressed-unasked"),
    ),
}


@dataclass(frozen=True, slots=True)
class ClientFault:
    """A fault of a group, the APIs that have it, and the operations that it applies to, empty for all."""

    fault: Fault
    group: str
    apis: tuple[str, ...]
    operations: tuple[str, ...]


def client_faults(served: Sequence[Profile]) -> list[ClientFault]:
    """Return the faults for clients of some profiles, by group."""
    having: dict[str, dict[str, list[Profile]]] = {}
    for profile in served:
        for group, name in _named(profile):
            having.setdefault(group, {}).setdefault(name, []).append(profile)
    return [
        _client_fault(FAULTS[name], group, profiles)
        for group, names in having.items()
        for name, profiles in names.items()
    ]


def _named(profile: Profile) -> Iterator[tuple[str, str]]:
    """Yield group and name of the faults that all APIs share, and of those of the profile's APIs."""
    of_apis = (api_class(api).client_faults for api in reversed(profile.suites))
    for groups in (GROUPS, *of_apis):
        for group, names in groups.items():
            yield from ((group, name) for name in names if _operations(FAULTS[name], profile))


def _operations(fault: Fault, profile: Profile) -> list[str]:
    """Return the operations of a profile that a fault applies to."""
    return [id for id in profile.document().operations if fault.touches(id)]


def _client_fault(fault: Fault, group: str, profiles: Sequence[Profile]) -> ClientFault:
    touched = [id for profile in profiles for id in _operations(fault, profile)] if fault.operations else []
    return ClientFault(fault, group, tuple(profile.api for profile in profiles), tuple(dict.fromkeys(touched)))
