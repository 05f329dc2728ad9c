"""Model of an Iceberg table's metadata, small enough to be obviously right.

A server chooses the ids of schemas, specs and orders: the model reads them from the metadata before a commit, and
compares contents after it. Column ids, partition field ids, sequence numbers and row ids follow from the table
specification and are compared directly.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from conformance.iceberg.support.metadata import MAIN, Metadata, logged_snapshots
from conformance.iceberg.support.updates import LAST_ADDED
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation

Content = tuple[tuple[Any, ...], ...]
Update = Mapping[str, Any]
OWN = "k."  # prefix of the run's properties; others are the server's


class InvalidCommit(Exception):
    """A commit that the server must reject with 400 because an update cannot be applied."""


@dataclass
class ContentVersions:
    """Schemas, specs or sort orders: contents by id, and the content in use.

    A content that a commit adds has no id yet and is its own key. `added` is the content that -1 selects; the
    document does not define it after the addition of a content that existed before the commit.
    """

    contents: dict[Hashable, Content]
    used: Content
    added: Content | None = None
    added_is_clear: bool = True

    def add(self, content: Content) -> None:
        """Add a content, unless an equal one exists."""
        self.added_is_clear = self.id(content) is None
        self.added = content
        if content not in self.contents.values():
            self.contents[content] = content

    def use(self, id: int) -> None:
        """Use the content with this id, or for -1 the one added last. Raises InvalidCommit when there is none."""
        content = self.added if id == LAST_ADDED else self.contents.get(id)
        if content is None:
            raise InvalidCommit
        self.used = content

    def remove(self, ids: Sequence[int]) -> None:
        """Remove contents, ignoring missing ones. Raises InvalidCommit for the one in use."""
        if any(self.contents.get(id) == self.used for id in ids):
            raise InvalidCommit
        for id in ids:
            self.contents.pop(id, None)

    def ids(self) -> list[int]:
        """Return the ids that the server has assigned."""
        return [id for id in self.contents if isinstance(id, int)]

    def id(self, wanted: Content) -> int | None:
        """Return the id of a content, None when it has none yet."""
        return next((id for id in self.ids() if self.contents[id] == wanted), None)

    def state(self) -> tuple[list[Content], Content]:
        """Return the sorted contents and the one in use, for comparisons."""
        return sorted(self.contents.values(), key=repr), self.used


def columns(schema: Mapping[str, Any]) -> Content:
    """Return the content of a schema that has no nested types."""
    return tuple((column["id"], column["name"], column["type"]) for column in schema["fields"])


def partitions(spec: Mapping[str, Any]) -> Content:
    """Return the content of a partition spec."""
    return tuple((part["field-id"], part["source-id"], part["name"], part["transform"]) for part in spec["fields"])


def directions(order: Mapping[str, Any]) -> Content:
    """Return the content of a sort order."""
    return tuple(
        (part["source-id"], part["transform"], part["direction"], part["null-order"]) for part in order["fields"]
    )


@dataclass
class MetadataModel:
    """Model of a table's metadata: `of` reads it from metadata, `commit` returns the next one."""

    uuid: str
    version: int
    location: str
    properties: dict[str, str]
    schemas: ContentVersions
    specs: ContentVersions
    orders: ContentVersions
    last_column: int
    last_field: int
    last_sequence: int
    next_row: int
    snapshots: dict[int, int]
    refs: dict[str, tuple[str, int]]
    log: list[int]
    statistics: set[int]
    partition_statistics: set[int]
    keys: set[str]
    put_on_main: set[int] = field(default_factory=set)  # by the commit at hand, which also added them
    added: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, metadata: Metadata) -> MetadataModel:
        """Return the model of metadata that keep the rules of metadata.py."""
        version = metadata["format-version"]
        return cls(
            uuid=metadata["table-uuid"],
            version=version,
            location=metadata["location"],
            properties={key: text for key, text in (metadata.get("properties") or {}).items() if key.startswith(OWN)},
            schemas=_versions(metadata, "schemas", "schema-id", "current-schema-id", columns),
            specs=_versions(metadata, "partition-specs", "spec-id", "default-spec-id", partitions),
            orders=_versions(metadata, "sort-orders", "order-id", "default-sort-order-id", directions),
            last_column=metadata["last-column-id"],
            last_field=metadata["last-partition-id"],
            last_sequence=metadata.get("last-sequence-number") or 0,
            next_row=metadata.get("next-row-id") or 0,
            snapshots={
                snapshot["snapshot-id"]: snapshot.get("sequence-number") or 0
                for snapshot in metadata.get("snapshots") or []
            },
            refs={name: (ref["type"], ref["snapshot-id"]) for name, ref in (metadata.get("refs") or {}).items()},
            log=logged_snapshots(metadata),
            statistics={entry["snapshot-id"] for entry in metadata.get("statistics") or []},
            partition_statistics={entry["snapshot-id"] for entry in metadata.get("partition-statistics") or []},
            keys={key["key-id"] for key in metadata.get("encryption-keys") or []},
        )

    @property
    def current(self) -> int | None:
        """The id of the current snapshot, None without main."""
        return self.refs[MAIN][1] if MAIN in self.refs else None

    def state(self) -> dict[str, Any]:
        """Return the fields that are equal in two models of the same table."""
        plain = {name: value for name, value in vars(self).items() if name not in ("put_on_main", "added")}
        kept = {name: plain.pop(name).state() for name in ("schemas", "specs", "orders")}
        return plain | kept

    def commit(self, updates: Sequence[Update]) -> MetadataModel:
        """Return the table after these updates. Raises InvalidCommit when one of them cannot be applied."""
        after = self.begun()
        for update in updates:
            after.apply(update)
        return after.finished()

    def begun(self) -> MetadataModel:
        """Return a copy for the updates of a commit, which `apply` applies one by one."""
        return deepcopy(self)

    def apply(self, update: Update) -> None:
        """Apply one update. Raises InvalidCommit."""
        APPLY[update["action"]](self, update)

    def finished(self) -> MetadataModel:
        """Return the table after the commit: of the snapshots that it put on main, the log keeps only the last."""
        passing = self.put_on_main - {self.current}
        self.log = [id for id in self.log if id not in passing]
        return self


def differences(expected: MetadataModel, actual: MetadataModel) -> list[str]:
    """Return the fields in which two models differ, with both values."""
    wanted, got = expected.state(), actual.state()
    parted = [name for name in wanted if wanted[name] != got[name]]
    return [f"{name.replace('_', ' ')}: expected {shown(wanted[name])}, got {shown(got[name])}" for name in parted]


def _versions(
    metadata: Metadata, name: str, id: str, used: str, content: Callable[[Mapping[str, Any]], Content]
) -> ContentVersions:
    contents: dict[Hashable, Content] = {entry[id]: content(entry) for entry in metadata[name]}
    if metadata[used] not in contents:
        raise Violation(f"{used} is {shown(metadata[used])}, which is not there")
    return ContentVersions(contents, contents[metadata[used]])


# Effects of updates


def _upgrade(table: MetadataModel, update: Update) -> None:
    wanted = update["format-version"]
    if wanted < table.version:
        raise InvalidCommit
    table.version = wanted


def _set_location(table: MetadataModel, update: Update) -> None:
    table.location = update["location"]


def _set_properties(table: MetadataModel, update: Update) -> None:
    table.properties.update(update["updates"])


def _remove_properties(table: MetadataModel, update: Update) -> None:
    for key in update["removals"]:
        table.properties.pop(key, None)


def _add_schema(table: MetadataModel, update: Update) -> None:
    content = columns(update["schema"])
    table.schemas.add(content)
    table.last_column = max([table.last_column, *(column["id"] for column in update["schema"]["fields"])])


def _add_spec(table: MetadataModel, update: Update) -> None:
    table.specs.add(partitions(update["spec"]))
    table.last_field = max([table.last_field, *(part["field-id"] for part in update["spec"]["fields"])])


def _add_order(table: MetadataModel, update: Update) -> None:
    table.orders.add(directions(update["sort-order"]))


def _add_snapshot(table: MetadataModel, update: Update) -> None:
    snapshot = update["snapshot"]
    if snapshot["snapshot-id"] in table.snapshots:
        raise InvalidCommit
    sequence = snapshot.get("sequence-number") or 0
    table.snapshots[snapshot["snapshot-id"]] = sequence
    table.added.add(snapshot["snapshot-id"])
    table.last_sequence = max(table.last_sequence, sequence)
    table.next_row += snapshot.get("added-rows") or 0


def _set_ref(table: MetadataModel, update: Update) -> None:
    name, wanted = update["ref-name"], (update["type"], update["snapshot-id"])
    if wanted[1] not in table.snapshots or (name == MAIN and wanted[0] != "branch"):
        raise InvalidCommit
    if table.refs.get(name) == wanted:
        return
    table.refs[name] = wanted
    if name == MAIN:
        table.log.append(wanted[1])
        table.put_on_main |= {wanted[1]} & table.added


def _remove_ref(table: MetadataModel, update: Update) -> None:
    table.refs.pop(update["ref-name"], None)


def _remove_snapshots(table: MetadataModel, update: Update) -> None:
    """Remove snapshots without refs. The log keeps the entries after the last removed snapshot."""
    gone = set(update["snapshot-ids"])
    table.snapshots = {id: sequence for id, sequence in table.snapshots.items() if id not in gone}
    table.statistics -= gone
    table.partition_statistics -= gone
    last = max((position for position, id in enumerate(table.log) if id in gone), default=-1)
    table.log = table.log[last + 1 :]


APPLY: dict[str, Callable[[MetadataModel, Update], None]] = {
    "upgrade-format-version": _upgrade,
    "set-location": _set_location,
    "set-properties": _set_properties,
    "remove-properties": _remove_properties,
    "add-schema": _add_schema,
    "set-current-schema": lambda table, update: table.schemas.use(update["schema-id"]),
    "remove-schemas": lambda table, update: table.schemas.remove(update["schema-ids"]),
    "add-spec": _add_spec,
    "set-default-spec": lambda table, update: table.specs.use(update["spec-id"]),
    "remove-partition-specs": lambda table, update: table.specs.remove(update["spec-ids"]),
    "add-sort-order": _add_order,
    "set-default-sort-order": lambda table, update: table.orders.use(update["sort-order-id"]),
    "add-snapshot": _add_snapshot,
    "set-snapshot-ref": _set_ref,
    "remove-snapshot-ref": _remove_ref,
    "remove-snapshots": _remove_snapshots,
    "set-statistics": lambda table, update: table.statistics.add(update["statistics"]["snapshot-id"]),
    "remove-statistics": lambda table, update: table.statistics.discard(update["snapshot-id"]),
    "set-partition-statistics": lambda table, update: table.partition_statistics.add(
        update["partition-statistics"]["snapshot-id"]
    ),
    "remove-partition-statistics": lambda table, update: table.partition_statistics.discard(update["snapshot-id"]),
    "add-encryption-key": lambda table, update: table.keys.add(update["encryption-key"]["key-id"]),
    "remove-encryption-key": lambda table, update: table.keys.discard(update["key-id"]),
}
