"""Random commits: updates that fit a table, or sometimes do not, and requirements.

A function chooses one of several options, so that either Hypothesis draws commits or a random generator makes
a hundred thousand of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, TypeVar

from conformance.iceberg.support.content import (
    field,
    layout,
    partition,
    partition_statistics,
    schema,
    sort_field,
    statistics,
)
from conformance.iceberg.support.metadata import MAIN, Metadata
from conformance.iceberg.support.revision import Revision
from conformance.iceberg.support.staging import Stage
from conformance.iceberg.support.table_model import (
    OWN,
    Content,
    ContentVersions,
    InvalidCommit,
    MetadataModel,
    columns,
    directions,
    partitions,
)
from conformance.iceberg.support.updates import (
    LAST_ADDED,
    OTHER_UUID,
    Updates,
    add_schema,
    append,
    requirement,
    set_properties,
    set_ref,
    update,
)

T = TypeVar("T")
UNKNOWN = 9_999
DAY, DAY_COLUMN = 3, "day"  # the column that specs and orders use, so it is never dropped
KEPT_COLUMNS = 3
BRANCHES, TAGS = ("audit", "dev"), ("v1", "v2")
ROWS_ADDED = 5
MOST_UPDATES = 3
UNKNOWN_ID = "iceberg.update.unknown_id."
RISES, MAIN_IS_A_BRANCH = "iceberg.update.format.rises", "iceberg.refusal.set_refs.main_tag"
UNKNOWN_SNAPSHOT = "iceberg.refusal.set_refs.unknown"
# Requirements on single updates; where one is not met, no commit has such an update.
COMMIT_NEEDS = (*(UNKNOWN_ID + kind for kind in ("schema", "spec", "order")), RISES, MAIN_IS_A_BRANCH, UNKNOWN_SNAPSHOT)


@dataclass(frozen=True, slots=True)
class Choice:
    """Source of random choices: `pick` returns one of several options.

    `files` is the stage for manifest lists of snapshots, if files can be written; `revision` knows the updates of
    the document; `ids` yields the ids of new snapshots; `unmet` are those of COMMIT_NEEDS that are not met.
    """

    pick: Callable[[Sequence[Any]], Any]
    revision: Revision
    files: Stage | None = None
    ids: Iterator[int] = dataclasses.field(default_factory=lambda: count(1_001))
    unmet: Collection[str] = ()

    def one(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        chosen: T = self.pick(options)
        return chosen


Step = Callable[[MetadataModel, Choice], Updates]


def updates(table: MetadataModel, choice: Choice) -> tuple[Updates, MetadataModel | None]:
    """Return the updates of a commit and the table after them, None when the commit must be rejected."""
    chosen: Updates = []
    after = table.begun()
    for _ in range(choice.one(range(1, MOST_UPDATES + 1))):
        for step in choice.one(STEPS if choice.files else STEPS_WITHOUT_FILES)(after, choice):
            if not choice.revision.has_update(step["action"]):
                continue
            chosen.append(step)
            try:
                after.apply(step)
            except InvalidCommit:
                return chosen, None
    return chosen, after.finished()


# Updates


def _set_property(_table: MetadataModel, choice: Choice) -> Updates:
    return [set_properties(**{OWN + choice.one("abc"): choice.one(["0", "1", "two words"])})]


def _remove_property(_table: MetadataModel, choice: Choice) -> Updates:
    return [update("remove-properties", removals=[OWN + choice.one("abc"), "never"])]


def _add_column(table: MetadataModel, choice: Choice) -> Updates:
    id = table.last_column + 1
    wider = schema(*_fields(table), field(id, f"c{id}", choice.one(["int", "string", "double"])))
    return _schema_in_use(table, wider) if choice.one([True, True, False]) else [add_schema(wider)]


def _drop_column(table: MetadataModel, _choice: Choice) -> Updates:
    return _schema_in_use(table, schema(*_fields(table)[: max(KEPT_COLUMNS, len(_fields(table)) - 1)]))


def _rename_column(table: MetadataModel, choice: Choice) -> Updates:
    first, *others = _fields(table)
    return _schema_in_use(table, schema({**first, "name": choice.one(["id", "key", "number"])}, *others))


def _schema_in_use(table: MetadataModel, wanted: Metadata) -> Updates:
    use = update("set-current-schema", schema_id=_named(table.schemas, columns(wanted)))
    return [add_schema(wanted), use]


def _use_schema(table: MetadataModel, choice: Choice) -> Updates:
    return [update("set-current-schema", schema_id=choice.one(_names(table.schemas, choice, "schema")))]


def _remove_schemas(table: MetadataModel, choice: Choice) -> Updates:
    return [update("remove-schemas", schema_ids=[choice.one(table.schemas.ids() or [UNKNOWN]), UNKNOWN])]


def _add_spec(table: MetadataModel, choice: Choice) -> Updates:
    transform = choice.one(["identity", "day", "bucket[4]", "void"])
    known = {parts[3]: parts[0] for content in table.specs.contents.values() for parts in content}
    id = known.get(transform, table.last_field + 1)
    wanted = layout(partition(DAY, f"{DAY_COLUMN}_{id}", transform, field_id=id))
    use = update("set-default-spec", spec_id=_named(table.specs, partitions(wanted)))
    return [update("add-spec", spec=wanted), *choice.one([[use], []])]


def _use_spec(table: MetadataModel, choice: Choice) -> Updates:
    return [update("set-default-spec", spec_id=choice.one(_names(table.specs, choice, "spec")))]


def _remove_specs(table: MetadataModel, choice: Choice) -> Updates:
    return [update("remove-partition-specs", spec_ids=[choice.one(table.specs.ids() or [UNKNOWN]), UNKNOWN])]


def _add_order(table: MetadataModel, choice: Choice) -> Updates:
    wanted = layout(sort_field(DAY, choice.one(["identity", "month"]), choice.one(["asc", "desc"])))
    use = update("set-default-sort-order", sort_order_id=_named(table.orders, directions(wanted)))
    return [update("add-sort-order", sort_order=wanted), *choice.one([[use], []])]


def _use_order(table: MetadataModel, choice: Choice) -> Updates:
    return [update("set-default-sort-order", sort_order_id=choice.one(_names(table.orders, choice, "order")))]


def _append(table: MetadataModel, choice: Choice) -> Updates:
    branch = choice.one([MAIN, MAIN, *BRANCHES])
    return append(_snapshot(table, choice, _head(table, branch)), branch)


def _add_snapshot(table: MetadataModel, choice: Choice) -> Updates:
    taken = [*list(table.snapshots)[:1], None, None, None]
    return [update("add-snapshot", snapshot=_snapshot(table, choice, table.current, id=choice.one(taken)))]


def _set_ref(table: MetadataModel, choice: Choice) -> Updates:
    name = choice.one([MAIN, *BRANCHES, *TAGS])
    snapshots = [*table.snapshots, *([] if UNKNOWN_SNAPSHOT in choice.unmet else [UNKNOWN])]
    if not snapshots:
        return []
    either = name == MAIN and MAIN_IS_A_BRANCH not in choice.unmet
    kinds = ["tag"] if name in TAGS else ["branch", "branch", "tag"] if either else ["branch"]
    return [set_ref(name, choice.one(snapshots), choice.one(kinds))]


def _remove_ref(_table: MetadataModel, choice: Choice) -> Updates:
    return [update("remove-snapshot-ref", ref_name=choice.one([*BRANCHES, *TAGS]))]


def _expire(table: MetadataModel, choice: Choice) -> Updates:
    free = sorted(set(table.snapshots) - {snapshot for _, snapshot in table.refs.values()})
    return [update("remove-snapshots", snapshot_ids=[choice.one(free), UNKNOWN])] if free else []


def _statistics(table: MetadataModel, choice: Choice) -> Updates:
    id = choice.one([*table.snapshots, UNKNOWN])
    if id == UNKNOWN:
        return [update("remove-statistics", snapshot_id=id), update("remove-partition-statistics", snapshot_id=id)]
    gone = [update("remove-statistics", snapshot_id=id), update("remove-partition-statistics", snapshot_id=id)]
    there = [
        update("set-statistics", snapshot_id=id, statistics=statistics(table.location, id)),
        update("set-partition-statistics", partition_statistics=partition_statistics(table.location, id)),
    ]
    return [choice.one([*gone, *there])]


def _upgrade(_table: MetadataModel, choice: Choice) -> Updates:
    if RISES in choice.unmet:
        return []
    return [update("upgrade-format-version", format_version=choice.one(range(1, choice.revision.format_version + 1)))]


def _move(table: MetadataModel, choice: Choice) -> Updates:
    return [update("set-location", location=choice.one([table.location, f"{table.location.rstrip('/')}/moved"]))]


STEPS_WITHOUT_FILES: tuple[Step, ...] = (
    *(_set_property, _remove_property, _upgrade, _move),
    *(_add_column, _drop_column, _rename_column, _use_schema, _remove_schemas),
    *(_add_spec, _use_spec, _remove_specs, _add_order, _use_order),
)
STEPS: tuple[Step, ...] = (
    *STEPS_WITHOUT_FILES,
    *(_append, _append, _append, _add_snapshot, _set_ref, _set_ref, _remove_ref, _expire, _statistics),
)

# Requirements


def requirements(metadata: Metadata, table: MetadataModel, choice: Choice) -> tuple[Updates, bool]:
    """Return random requirements, and True when all of them hold for a table with these metadata."""
    chosen = [choice.one(CLAIMS) for _ in range(choice.one([0, 0, 1, 2]))]
    true = [choice.one([True, True, True, False]) for _ in chosen]
    return [claim(metadata, table, holds) for claim, holds in zip(chosen, true, strict=True)], all(true)


def _uuid(_metadata: Metadata, table: MetadataModel, holds: bool) -> dict[str, Any]:
    return requirement("assert-table-uuid", uuid=table.uuid if holds else OTHER_UUID)


def _ref(_metadata: Metadata, table: MetadataModel, holds: bool) -> dict[str, Any]:
    name = max(table.refs, default=MAIN)  # a tag or another branch than main, where there is one
    return requirement("assert-ref-snapshot-id", ref=name, snapshot_id=_head(table, name) if holds else UNKNOWN)


def _last(type: str, name: str, key: str) -> Callable[[Metadata, MetadataModel, bool], dict[str, Any]]:
    def claim(metadata: Metadata, _table: MetadataModel, holds: bool) -> dict[str, Any]:
        return requirement(type, **{name: metadata[key] + (0 if holds else 1)})

    return claim


CLAIMS: tuple[Callable[[Metadata, MetadataModel, bool], dict[str, Any]], ...] = (
    _uuid,
    _ref,
    _last("assert-last-assigned-field-id", "last_assigned_field_id", "last-column-id"),
    _last("assert-current-schema-id", "current_schema_id", "current-schema-id"),
    _last("assert-last-assigned-partition-id", "last_assigned_partition_id", "last-partition-id"),
    _last("assert-default-spec-id", "default_spec_id", "default-spec-id"),
    _last("assert-default-sort-order-id", "default_sort_order_id", "default-sort-order-id"),
)

# Parts of updates


def _fields(table: MetadataModel) -> list[dict[str, Any]]:
    """Return the columns of the current schema as fields of a schema."""
    return [field(id, name, type, required=id == 1) for id, name, type in table.schemas.used]


def _named(versions: ContentVersions, content: Content) -> int:
    """Return the id that selects an added content: its existing id, or -1 for a new one."""
    id = versions.id(content)
    return LAST_ADDED if id is None else id


def _names(versions: ContentVersions, choice: Choice, kind: str) -> list[int]:
    """Return ids to choose from, including an unknown one."""
    unknown = [] if UNKNOWN_ID + kind in choice.unmet else [UNKNOWN]
    return [*versions.ids(), *unknown, *([LAST_ADDED] if versions.added_is_clear else [])]


def _head(table: MetadataModel, branch: str) -> int | None:
    return table.refs[branch][1] if branch in table.refs else None


def _snapshot(table: MetadataModel, choice: Choice, parent: int | None, id: int | None = None) -> dict[str, Any]:
    """Return the next snapshot of the table, with its manifest list written."""
    if choice.files is None:
        raise ValueError("no snapshots are made where no files can be written")
    metadata = {"format-version": table.version, "current-schema-id": table.schemas.id(table.schemas.used)}
    rows: dict[str, Any] = {"first_row_id": table.next_row, "added_rows": ROWS_ADDED} if table.version >= 3 else {}
    sequence = table.last_sequence + 1
    made = replace(choice.files, metadata={**choice.files.metadata, **metadata}).snapshot(
        id or next(choice.ids), sequence, parent=parent, **rows
    )
    if made["schema-id"] is None:
        del made["schema-id"]  # the commit adds it: its id is not known yet
    return made
