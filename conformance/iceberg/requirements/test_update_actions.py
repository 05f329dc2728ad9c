"""updateTable: every update action of the document is applied or rejected, never ignored."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT, POLICY, state, unchanged
from conformance.iceberg.support.metadata import current_snapshot
from conformance.iceberg.support.update_actions import ACTIONS, NEW, prepare, version_of
from conformance.iceberg.support.updates import update
from conformance.values.outcomes import Violation

CASES = {action.replace("-", "_"): action for action in ACTIONS}


@must(
    "iceberg.update.action.{}",
    operations=COMMIT,
    clause="update-all-or-refused",
    each=CASES,
    statement="The update {} is applied, or returns 400, 403, 406, 409 or 422 and changes nothing.".format,
)
def test_action_is_done_or_refused(catalog: IcebergCatalog, case: str) -> None:
    """An update is applied, or returns 400, 403, 406, 409 or 422 and changes nothing."""
    catalog.revision.require_updates([{"action": case}])
    action = ACTIONS[case]
    id, files = prepare(catalog, case)
    before = state(catalog, id)
    answer = catalog.update_table(id, [action.update(files)], expect=(200, *POLICY))
    if answer.succeeded:
        if not action.done(answer["metadata"]):
            raise Violation(f"{case} was passed over: the answer is 200, but the metadata do not show it")
    else:
        unchanged(catalog, id, before)
    if case != "add-snapshot":  # iceberg.snapshot.add tests the current snapshot after it
        equal(current_snapshot(catalog.metadata(id)), NEW, "the current snapshot")


ABSENT: dict[str, dict[str, Any]] = {
    "property": update("remove-properties", removals=["never"]),
    "ref": update("remove-snapshot-ref", ref_name="never"),
    "snapshot": update("remove-snapshots", snapshot_ids=[17]),
    "spec": update("remove-partition-specs", spec_ids=[99]),
    "schema": update("remove-schemas", schema_ids=[99]),
    "statistics": update("remove-statistics", snapshot_id=17),
    "partition_statistics": update("remove-partition-statistics", snapshot_id=17),
    "encryption_key": update("remove-encryption-key", key_id="never"),
}


@should("iceberg.update.absent.{}", operations=COMMIT, clause="update-remove-absent", each=ABSENT)
def test_removal_of_what_is_not_there(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """An update that removes a missing object ({}) succeeds."""
    catalog.revision.require_updates([case])
    catalog.update_table(catalog.new_table(properties={"format-version": str(version_of(case["action"]))}), [case])
