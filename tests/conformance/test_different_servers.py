"""The suite against servers that are right in their own way: no requirement that must be met is said to be broken.

One server of each API is drawn; `SEEDS=0-40 tox -e py -- tests/conformance/test_different_servers.py` draws forty. They
are judged by a quarter of the requirements, as in test_strange_servers.py. Single freedoms are tried with what is about
them.
"""

from __future__ import annotations

import os

import pytest

from lakeproof import check, serve
from tests.conformance import different_iceberg, different_lance
from tests.conformance.different_server import FREEDOMS, DifferentServer, drawn
from tests.conformance.drawing import drawn as drawn_requirements

FIRST, _, LAST = os.environ.get("SEEDS", "0-1").rpartition("-")
SEEDS = range(int(FIRST or 0), int(LAST))
APIS = (different_iceberg.API, different_lance.API)
ICEBERG = different_iceberg.API


def broken(api, freedoms, folder, seed=0, **settings):
    """What is said to be broken by the server of an API that uses freedoms."""
    with serve(api) as server, DifferentServer(server.url, api, freedoms, seed) as different:
        results, _ = check(different.url, api=api, depth="smoke", report=str(folder), **settings)
    assert results.requirements
    return [(result.id, result.message) for result in results.requirements if result.verdict in ("fail", "error")]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("api", APIS)
def test_a_different_server_breaks_nothing(api, seed, tmp_path):
    freedoms = drawn(api, seed)
    findings = broken(api, freedoms, tmp_path, seed, judge=drawn_requirements(api, seed))
    assert findings == [], [freedom.name for freedom in freedoms]


# What was once said of servers that had done nothing wrong, and the freedom that it takes.
FALSE = {
    "own_places": "iceberg.statistics. or iceberg.register. or update.action",
    "fixed_locations": "iceberg.update.location or iceberg.view.commit.properties",
    "absent_is_not_removed": "removed or iceberg.ref.remove or iceberg.snapshot.remove or statistics",
    "other_order_of_metadata": "iceberg.table.load.snapshots or iceberg.commit.log or iceberg.snapshot",
    "own_metadata_fields": "iceberg.table.create or rename or statistics or iceberg.ref or iceberg.view or stored",
    "upper_case_uuids": "iceberg.snapshot.add or uuid or race",
    "paths_are_split_first": "iceberg.names or iceberg.wire or iceberg.errors",
    "knows_its_media_types": "iceberg.request or iceberg.wire or iceberg.errors",
    "no_renames": "iceberg.race or broken_json or no_object or iceberg.errors",
    "no_purging": "iceberg.table.drop",
    "renamings_are_noted": "rename",
    "batched_commits": "iceberg.race.disjoint",
    "unknown_transforms_are_kept": "bad_layout",
    "two_format_versions": "format or newer_type or encryption or row_ids or stored or action",
    "plain_namespaces": "namespace or race",
    "no_tags": "etag",
    "empty_fields_left_out": "iceberg.table.create or iceberg.commit.log or iceberg.register.table or iceberg.ref",
    "other_statuses": "iceberg.update or iceberg.ref or iceberg.snapshot or invalid",
}
FALSE_OF_LANCE = {
    "paths_are_split_first": "lance.name or lance.identifier or lance.codes",
    "short_bodies": "lance.body.padded or lance.wire or lance.codes",
    "short_pages_of_lance": "lance.pagination or lance.listing",
    "plain_names_of_lance": "lance.name or lance.table.create",
}
CASES = [
    *((different_iceberg.API, name, select) for name, select in FALSE.items()),
    *((different_lance.API, name, select) for name, select in FALSE_OF_LANCE.items()),
]
# The defects of others: which requirements find them, of those that may not blame anything else.
DEFECTS = {
    "lost_property": ("iceberg.race.create_table", set()),
    "lost_file": ("iceberg.register.table or iceberg.table.drop", {"iceberg.register.table.after_drop"}),
}


@pytest.mark.parametrize(("api", "name", "select"), CASES)
def test_a_freedom_is_no_finding(api, name, select, tmp_path):
    assert broken(api, [FREEDOMS[name]], tmp_path, select=select) == []


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_found_by_what_is_about_it(name, tmp_path):
    select, wanted = DEFECTS[name]
    findings = broken(ICEBERG, [different_iceberg.DEFECTS[name]], tmp_path, select=select)
    assert {id for id, _ in findings} == wanted
