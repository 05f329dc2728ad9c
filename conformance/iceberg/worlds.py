"""The worlds of Iceberg's requirements: dimensions with their values, and how objects come into a state.

The catalog applies them: `home` the place, `table_id` the names, `new_table` the state, and every request its form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.iceberg.client import IcebergClient
from conformance.values.resources import Names
from conformance.values.worlds import Dimension

PLACE, NAMES, STATE = "place", "names", "state"
IN_NAMESPACES = ("*Table*", "*View*", "*Namespace*", "*Scan*", "*Credentials*", "reportMetrics")
ON_TABLES = ("*Table*", "*Scan*", "*Credentials*", "reportMetrics")

DIMENSIONS = (
    Dimension(
        PLACE,
        {
            "child": "",
            "nested": "in a nested namespace",
            "beside": "beside objects of other kinds",
        },
        IN_NAMESPACES,
    ),
    Dimension(
        NAMES,
        {
            "plain": "",
            "blank": "for a name with a blank",
            "dot": "for a name with a dot",
            "percent": "for a name with percent-coded letters",
            "unicode": "for a name with letters beyond ASCII",
        },
        IN_NAMESPACES,
    ),
    Dimension(
        STATE,
        {
            "new": "",
            "committed": "for a table with several commits",
            "renamed": "for a renamed table",
            "remade": "for a table under the name of a dropped one",
            "staged": "for a table that was staged and then committed",
        },
        ON_TABLES,
    ),
)
FORMS_OF_NAMES: Mapping[str, str] = {"blank": "{} b", "dot": "{}.b", "percent": "{}%62", "unicode": "{}ü✓"}


def committed(catalog: IcebergClient, id: Names, body: Mapping[str, Any]) -> None:
    """Create a table and commit to it twice: the second commit takes back the first."""
    catalog.create_table(id, **body)
    catalog.update_table(id, [{"action": "set-properties", "updates": {"lp.step": "1"}}], [])
    catalog.update_table(id, [{"action": "remove-properties", "removals": ["lp.step"]}], [])


def renamed(catalog: IcebergClient, id: Names, body: Mapping[str, Any]) -> None:
    """Create a table under another name, and rename it."""
    before = (*id[:-1], f"{id[-1]}was")
    catalog.create_table(before, **body)
    catalog.rename_table(before, id)


def remade(catalog: IcebergClient, id: Names, body: Mapping[str, Any]) -> None:
    """Create a table, drop it, and create another one under its name."""
    catalog.create_table(id, **body)
    catalog.drop_table(id)
    catalog.create_table(id, **body)


def staged(catalog: IcebergClient, id: Names, body: Mapping[str, Any]) -> None:
    """Stage a table, and create it by a commit, as clients do in a transaction."""
    made = catalog.create_table(id, **body, stage_create=True)["metadata"]
    schema = made["schemas"][0]
    updates = [
        {"action": "assign-uuid", "uuid": made["table-uuid"]},
        {"action": "upgrade-format-version", "format-version": made["format-version"]},
        {"action": "add-schema", "schema": schema, "last-column-id": made["last-column-id"]},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": made["partition-specs"][0]},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": made["sort-orders"][0]},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": made["location"]},
        {"action": "set-properties", "updates": made.get("properties", {})},
    ]
    catalog.update_table(id, updates, [{"type": "assert-create"}])


STATES: Mapping[str, Callable[[IcebergClient, Names, Mapping[str, Any]], None]] = {
    "committed": committed,
    "renamed": renamed,
    "remade": remade,
    "staged": staged,
}
