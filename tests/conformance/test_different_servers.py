"""The suite against servers that are right in their own way: no requirement that must be met is said to be broken.

One server of each API is drawn; `tox -e py -- --seeds 0-39 tests/conformance/test_different_servers.py` draws forty.
They are judged by a sixteenth of the requirements, with `--seeds` by a quarter, as in test_strange_servers.py, and with
`--thorough` by all. Freedoms are tried several at once with what is about them, of a test with many cases with a few;
with `--thorough` each alone, with all.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from conformance.after.runner import run
from lakeproof import check, serve
from tests.amount import amount, seeds
from tests.conformance import (
    different_callers,  # noqa: F401 - registers its freedoms
    different_decisions,
    different_iceberg,
    different_lance,
    different_polaris,
    different_tables,
)
from tests.conformance.different_server import FREEDOMS, DifferentServer, drawn
from tests.conformance.drawing import drawn as drawn_requirements
from tests.conformance.drawing import few_of_each
from tests.conformance.mutants import ROOT, TOKEN

APIS = (different_iceberg.API, different_lance.API, different_polaris.API)
SERVED: dict[str, dict[str, Any]] = {different_polaris.API: {"bootstrap": ROOT}}
GIVEN = {different_polaris.API: {"credential": ROOT}}  # to the run


def broken(api, freedoms, folder, seed=0, auth="none", verdicts=("fail", "error"), **settings):
    """Return id and message of each requirement that a server fails when it uses freedoms."""
    settings = GIVEN.get(api, {}) | settings
    with (
        serve(api, auth=auth, **SERVED.get(api, {})) as server,
        DifferentServer(server.url, api, freedoms, seed) as different,
    ):
        results, _ = check(different.url, api=api, depth="smoke", world=("drawn",), report=str(folder), **settings)
    assert results.requirements
    return [(result.id, result.message) for result in results.requirements if result.verdict in verdicts]


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("api", APIS)
def test_a_different_server_breaks_nothing(api, seed, tmp_path):
    freedoms = drawn(api, seed)
    findings = broken(api, freedoms, tmp_path, seed, runner=amount(drawn_requirements(api, seed), run))
    assert findings == [], [freedom.name for freedom in freedoms]


# What was once said of servers that had done nothing wrong, and the freedom that it takes.
FALSE = {
    "own_places": "iceberg.statistics. or iceberg.register. or update.action",
    "fixed_locations": "iceberg.update.location or iceberg.view.commit.properties",
    "absent_is_not_removed": "removed or iceberg.effect or iceberg.after.set_refs or iceberg.after.re or statistics",
    "another_order_each_time": "iceberg.table.load.again or iceberg.commit or iceberg.view.commit or rename or stored",
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
    "ids_are_given_once": "iceberg.update.schema.id or iceberg.update.spec or iceberg.update.order or partition_fields",
    "places_first": "iceberg.register or rename or location or commit.properties",
    "files_go_with_views": "view_file or iceberg.register.view",
    "plans_are_sought_first": "iceberg.scan.no_",
    "schemas_are_mended": "bad_schema or newer_type",
    "order_ids_wanted": "iceberg.update.order or iceberg.update.spec or update.action",
    "foreign_requirements_do_not_hold": "iceberg.commit.view_requirement or iceberg.view.commit.unknown_requirement",
    "other_statuses": "iceberg.update or iceberg.ref or iceberg.snapshot or invalid",
    "versions_of_its_own": "newer_type or format.rises or encryption or row_ids or stored or upgrade",
    "plain_values": "properties or stored or iceberg.namespace.create",
    "equal_schemas_are_new": "iceberg.update.schema.last_added",
    "no_metadata_log": "iceberg.key",
    "fresh_credentials": "iceberg.key.replay",
    "properties_of_the_moment": "iceberg.view.load or iceberg.view.create or iceberg.unregister or iceberg.key.replay "
    "or iceberg.commit.create.late",
    "own_fields_of_names": "iceberg.names.separator",
    "no_overwriting": "iceberg.register.table.overwrite",
    "refs_hold_what_they_name": "iceberg.effect.remove_ or iceberg.after.remove_ or iceberg.after.set_refs.remove_",
    "no_encryption": "encryption",
    "two_levels": "iceberg.namespace or iceberg.listing or iceberg.names.nested",
    "other_case_fits_nothing": "iceberg.scan.case",
}
FALSE_OF_LANCE = {
    "paths_are_split_first": "lance.name or lance.identifier or lance.codes",
    "short_bodies": "lance.body.padded or lance.wire or lance.codes",
    "short_pages_of_lance": "lance.pagination or lance.listing",
    "plain_names_of_lance": "lance.name or lance.table.create",
    "tables_before_bodies": "lance.body.malformed or lance.body.not_object or lance.body.id_type",
    "own_metadata_of_schemas": "lance.metadata",
    "few_types_of_indices": "lance.index.create or lance.index.stats.type or lance.index.answers",
    "no_cascades": "lance.namespace.drop",
    "wider_results": "lance.batch.results or lance.wire.batch",
    "empty_trees_find_nothing": "lance.query.tree",
    "changes_take_versions": "lance.column.add.together or lance.column.alter.version or lance.branch.write.alter",
    "tags_in_lower_case": "lance.tag",
    "few_types_of_columns": "lance.arrow.type or lance.arrow.create or lance.arrow.insert or lance.arrow.merge",
    "no_narrower_types": "lance.column.alter",
    "wider_rows": "extra_column",
    "parts_are_sought_first": "missing and (lance.tag or lance.version or lance.index)",
    "many_parts": "lance.index.stats",
    "other_order_of_rows": "lance.index.drop or lance.query.columns or lance.query.vector or lance.query.effort "
    "or lance.rows.update or lance.column or lance.branch.main or lance.branch.write or lance.field_metadata.rows "
    "or lance.backfill.plain or lance.version.delete.all_rows",
    "relative_locations": "lance.table.register or lance.table.deregister",
}
# Several freedoms at once: before a run of Polaris much has to be made.
FALSE_OF_POLARIS = {
    "own_fields_of_entities others_are_there no_times no_empty_properties no_client_ids_of_principals "
    "more_allowed_locations": "polaris.principal.create or polaris.principal.update or polaris.catalog.update.partial "
    "or polaris.assignment.catalog_role.complete or polaris.grant.table.every or polaris.policy.same or "
    "polaris.policy.listed or polaris.generic_table.listed or storage_said.s3 or polaris.principal.rotate.answer "
    "or polaris.principal.reset.no_body",
    "another_clock plain_properties one_place_for_a_catalog no_notifications": "create.loadable or create.answer or "
    "update.version or polaris.catalog.update.partial or polaris.access.no_token or polaris.effect.update",
    "attached_once names_are_given_once no_namespaces_by_notifications one_format_of_generic_tables": "polaris.policy."
    "attached or polaris.refusal.create_generic_table or polaris.effect.drop or polaris.after.drop or "
    "polaris.accepted or polaris.notification.create or polaris.after.attach or polaris.after.create_generic or "
    "polaris.notification.newer or polaris.after.delete_catalog_role or polaris.after.create_catalog_role",
    "names_are_given_once other_statuses_of_polaris": "polaris.after.delete_principal or "
    "polaris.after.create_principal",
    "properties_of_the_moment_of_polaris fresh_credentials_of_polaris": "polaris.namesake.content or "
    "polaris.namesake.case.content",
    "errors_without_bodies": "polaris.missing.principal_roles or polaris.refusal.delete",
    "rights_before_names": "polaris.life.catalog_role",
    "other_statuses_of_polaris own_properties_of_entities": "polaris.refusal.delete_catalog_role.missing or "
    "polaris.effect.drop_generic_table or polaris.race.create_generic_table.create_generic_table",
}
CASES_OF_A_TEST = 3
AT_ONCE = 6  # as many as a server may use that a seed draws


def cases(api, known):
    """The freedoms of an API, so many at once, and what is about any of them."""
    count = amount(AT_ONCE, 1)
    for start in range(0, len(known), count):
        some = [*known.items()][start : start + count]
        yield api, " ".join(names for names, _ in some), " or ".join(f"({select})" for _, select in some)


CASES = [
    *cases(different_iceberg.API, FALSE),
    *cases(different_lance.API, FALSE_OF_LANCE),
    *((different_polaris.API, names, select) for names, select in FALSE_OF_POLARIS.items()),
]
# The defects of others: which requirements find them, of those that may not blame anything else.
DEFECTS = {
    "modes_ignored": ("lance.table.register", {"lance.table.register.mode_unknown"}),
    "other_successes": (
        "iceberg.table.rename or iceberg.view.rename or iceberg.namespace.create or iceberg.walk.all or iceberg.wire",
        {f"iceberg.wire.{name}" for name in ("rename_table", "rename_view", "create_table", "create_namespace")},
    ),
    "null_results": ("lance.batch.results or lance.wire.batch", {"lance.wire.batch_commit_tables"}),
    "long_names_fail": ("length_ or very_long", set()),
    "lost_property": ("iceberg.race.create_table", set()),
    "lost_file": ("iceberg.register.table or iceberg.table.drop", {"iceberg.register.table.after_drop"}),
}


@pytest.mark.parametrize(("api", "names", "select"), CASES)
def test_freedoms_are_no_finding(api, names, select, tmp_path):
    about = amount({"runner": partial(run, ids=few_of_each(api, select, CASES_OF_A_TEST))}, {"select": select})
    assert broken(api, [FREEDOMS[name] for name in names.split()], tmp_path, **about) == []


# The same for what should be met.
FALSE_WARNINGS = {"no_pages": "iceberg.page"}


@pytest.mark.parametrize(("name", "select"), FALSE_WARNINGS.items())
def test_a_freedom_is_no_warning(name, select, tmp_path):
    freedoms, verdicts = [FREEDOMS[name]], ("fail", "warn", "error")
    assert broken(different_iceberg.API, freedoms, tmp_path, select=select, verdicts=verdicts) == []


def test_a_form_is_all_that_tokens_are_asked_for_by(tmp_path):
    known = {"token": TOKEN, "credential": f"lakeproof:{TOKEN}", "select": "iceberg.token or iceberg.wire.get_token"}
    freedoms = [FREEDOMS[different_tables.forms_alone.__name__]]
    assert broken(different_iceberg.API, freedoms, tmp_path, auth=f"token:{TOKEN}", **known) == []


def test_a_server_of_the_root_alone_supports_no_other_namespace(tmp_path):
    select = "lance.namespace or lance.listing"
    assert broken(different_lance.API, [different_lance.ROOT_ALONE], tmp_path, select=select) == []


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_found_by_what_is_about_it(name, tmp_path):
    select, wanted = DEFECTS[name]
    defect = (different_iceberg.DEFECTS | different_decisions.DEFECTS | different_lance.DEFECTS)[name]
    findings = broken(defect.api, [defect], tmp_path, select=select)
    assert {id for id, _ in findings} == wanted


def test_a_model_leaves_out_what_is_known_to_be_wrong(tmp_path):
    select = "lance.refusal.create_namespace.taken or lance.walk.all"
    defect = different_lance.DEFECTS["another_code"]
    with serve("lance") as server, DifferentServer(server.url, "lance", [defect]) as different:
        results, _ = check(different.url, api="lance", depth="smoke", report=str(tmp_path), select=select)
    verdicts = {result.id: result.verdict for result in results.requirements}
    assert verdicts == {"lance.refusal.create_namespace.taken": "fail", "lance.walk.all": "pass"}
