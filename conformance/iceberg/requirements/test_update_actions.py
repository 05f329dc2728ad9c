"""updateTable: every action of the document is carried out or refused, never passed over in silence."""

from __future__ import annotations

from typing import Any

from conformance.checks import equal
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.commits import COMMIT, state, unchanged
from conformance.iceberg.support.content import WIDER, order, partition, sort_field, spec
from conformance.iceberg.support.metadata import current_snapshot
from conformance.iceberg.support.staging import Stage, stage
from conformance.iceberg.support.statistics import partition_statistics, statistics
from conformance.iceberg.support.update_actions import ACTIONS, KEY, NEW, OLD
from conformance.iceberg.support.updates import (
    add_and_use_order,
    add_and_use_schema,
    add_and_use_spec,
    append,
    set_ref,
    update,
)
from conformance.outcomes import Violation
from conformance.requirement import must

REFUSED = (400, 406, 409, 422)


NEEDS_KEYS = ("encryption-key",)  # only tables of version 3 have them
CASES = {action.replace("-", "_"): action for action in ACTIONS}


@must("iceberg.update.action.{}", operations=COMMIT, clause="update-all-or-refused", each=CASES)
def test_action_is_done_or_refused(catalog: IcebergCatalog, case: str) -> None:
    """An update {} has its effect, or is refused with a 4xx status and has none."""
    catalog.revision.require_updates([{"action": case}])
    version = 3 if case.endswith(NEEDS_KEYS) else 2
    id = catalog.new_table(properties={"format-version": str(version), "a": "1"})
    files = stage(catalog, id)
    history = _history(files, version)
    catalog.update_table(id, [one for one in history if catalog.revision.has_update(one["action"])])
    before = state(catalog, id)
    action = ACTIONS[case]
    answer = catalog.update_table(id, [action.update(files)], expect=(200, *REFUSED))
    if answer.status == 200:
        if not action.done(answer["metadata"]):
            raise Violation(f"{case} was passed over: the answer is 200, but the metadata do not show it")
    else:
        unchanged(catalog, id, before)
    equal(current_snapshot(catalog.metadata(id)), NEW, "the current snapshot")


def _history(files: Stage, version: int) -> list[dict[str, Any]]:
    """Return the updates that give a table something of everything, so that each action finds its object."""
    rows: list[dict[str, Any]] = [{"first_row_id": 0, "added_rows": 0}] * 2 if version == 3 else [{}, {}]
    return [
        *append(files.snapshot(OLD, 1, **rows[0])),
        *append(files.snapshot(NEW, 2, parent=OLD, **rows[1])),
        set_ref("v1", OLD, "tag"),
        update("set-statistics", snapshot_id=OLD, statistics=statistics(OLD)),
        update("set-partition-statistics", partition_statistics=partition_statistics(OLD)),
        *add_and_use_schema(WIDER),
        *add_and_use_spec(spec(partition(3, "day"), id=1)),
        *add_and_use_order(order(sort_field(2))),
        *([update("add-encryption-key", encryption_key={**KEY, "key-id": "k0"})] if version == 3 else []),
    ]
