"""Faults that the requirements of an API must notice, and those that are excused, with reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mutants.faults import FAULTS
from mutants.noticed import Excused, excuse, noticed_file, read_excused, read_noticed
from mutants.shipped import read_shipped
from reference_server.faults import Fault, find_fault
from specs.apis import apis
from specs.profiles import Profile, find_profile


def to_notice() -> dict[str, dict[str, str]]:
    """Return the written faults of every API that are not excused, and their descriptions, by API and name."""
    excused = {api: excused_of(api) for api in apis()}
    return {
        api: {
            fault.name: fault.breaks
            for fault in written_faults(find_profile(api))
            if not excuse(fault.name, excused[api])
        }
        for api in apis()
    }


def excused_of(api: str) -> Excused:
    """Return the excused faults of an API and of the suites that it shares, and the permitted ones, with reasons."""
    excused = {pattern: why for suite in find_profile(api).suites for pattern, why in read_excused(suite).items()}
    return excused | {entry.fault: entry.why for entry in read_shipped().permitted}


def written_faults(profile: Profile) -> Iterator[Fault]:
    """Yield the faults of the operations that the API's own suite tests, and other faults that it notices.

    Some of those are limited to one operation: on every operation they would prevent all preparation.
    """
    api = profile.api
    operations = {operation for operation in profile.document().operations if profile.suite_of(operation) == api}
    known = read_noticed(noticed_file(api))
    yield from (fault for fault in FAULTS.values() if fault.operations & operations or fault.name in known)
    narrowed = (name for name in known if name not in FAULTS and name.partition(":")[0] in FAULTS)
    yield from (replace(find_fault(name), name=name) for name in narrowed)
