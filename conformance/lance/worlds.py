"""The worlds of Lance's requirements: dimensions with their values, and how tables come into a state.

The catalog applies them: `home` the place, `table_id` and `namespace_id` the names, `new_table` the state, and every
request its form, its connection and the data of its Arrow stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from conformance.author.checks import number, text
from conformance.lance.making import TableMaker, declare_and_insert
from conformance.lance.operations import BRANCH, JSON_OPERATIONS, ON_BRANCHES, OPERATIONS, reads
from conformance.lance.support.arrow import stream
from conformance.lance.support.extra_column import KINDS_OF_DATA
from conformance.lance.support.forms import LISTS_IDENTIFIERS, SPELLED, WITHOUT_FIELDS
from conformance.values import worlds
from conformance.values.resources import Names
from conformance.values.worlds import Dimension

PLACE, NAMES, STATE, DATA, FORM, CONNECTION = "place", "names", "state", "data", "form", "connection"
ON_OBJECTS = ("*Table*", "*Namespace*", "*Transaction")
ON_TABLES = ("*Table*", "*Transaction")
WITHOUT_ROWS = ("CreateTable", "DeclareTable", "CreateEmptyTable", "RegisterTable", "ListTables", "ListAllTables")
# Operations whose requests a form changes.
TAKING_FIELDS = [operation for operation in JSON_OPERATIONS.values() if operation.id not in WITHOUT_FIELDS]
WITH_JSON = tuple(operation.id for operation in TAKING_FIELDS)
WITH_ID = tuple(operation.id for operation in TAKING_FIELDS if "{id}" in operation.path)
SPELLED_OUT = tuple({**SPELLED.queries, **SPELLED.bodies})
JOINED = tuple(
    operation.id for operation in OPERATIONS.values() if reads(operation) and operation.id not in LISTS_IDENTIFIERS
)
STAGED = "CreateTableVersion"  # its files are staged on the main branch
WITH_COLUMNS = (
    "*Query*",
    "*Rows",
    "*Into*",
    "UpdateTable",
    "DeleteFromTable",
    "Alter*Columns",
    "*Ind*",
    "*Stats",
    "RestoreTable",
    "DescribeTable",
    "UpdateTableSchemaMetadata",
)

DIMENSIONS = (
    Dimension(
        PLACE,
        {
            "child": "",
            "root": "in the root namespace",
            "nested": "in a nested namespace",
            "beside": "beside objects of other kinds",
            "crowd": "beside several other tables",
            "prefix": "beside a namespace whose name starts with the name of this one",
        },
        ON_OBJECTS,
    ),
    Dimension(
        NAMES,
        {
            "plain": "",
            # Twins meet the first value together with the root, where a list is asked of no namespace with such a name
            # and a name starts with the prefix of the run.
            "long": "for a long name",
            "blank": "for a name with a blank",
            "dot": "for a name with a dot",
            "percent": "for a name with a percent sign",
            "coded": "for a name with percent-coded letters",
            "plus": "for a name with a plus sign",
            "unicode": "for a name with letters beyond ASCII",
            "case": "for a name that differs from another one by case",
            "digit": "for a name that starts with a digit",
            "underscore": "for a name that starts with an underscore",
        },
        ON_OBJECTS,
    ),
    Dimension(
        STATE,
        {
            "new": "",
            "fragments": "for a table with many fragments",
            "deleted": "for a table with deleted rows",
            "updated": "for a table with updated rows",
            "altered": "for a table whose schema changed",
            "renamed": "for a renamed table",
            "remade": "for a table under the name of a dropped one",
            "registered": "for a table that was deregistered and registered again",
            "declared": "for a table that was declared before it had rows",
            "restored": "for a table that was restored to an earlier version",
            "indexed": "for a table with an index",
            "tagged": "for a table with a tag",
        },
        ON_TABLES,
        WITHOUT_ROWS,
    ),
    Dimension(DATA, {"plain": "", **{name: kind.words for name, kind in KINDS_OF_DATA.items()}}, WITH_COLUMNS),
    Dimension(
        FORM,
        {
            "smallest": "",
            "id": "with the id repeated in the body",
            "spelled": "with optional fields spelled out",
            "context": "with a context and an identity",
            "delimiter": "with another delimiter",
            "pylance": "as the client of pylance sends it",
            "generated": "as the generated Python client sends it",
            "lancedb": "as lancedb sends it",
        },
        only={"id": WITH_ID, "context": WITH_JSON, "spelled": SPELLED_OUT, "delimiter": JOINED},
        always=True,
    ),
    Dimension(
        BRANCH,
        {"main": "", "own": "on a branch", "beside": "for a table with a branch"},
        ON_BRANCHES,
        only={"own": tuple(name for name in ON_BRANCHES if name != STAGED)},
        needs="CreateTableBranch",
    ),
    Dimension(CONNECTION, {"kept": "", "new": "when each request has its own connection"}, always=True),
)

FORMS_OF_NAMES: Mapping[str, str] = {
    "long": "{}" + "l" * 120,
    "blank": "{} b",
    "dot": "{}.b",
    "percent": "{}%b",
    "coded": "{}%62",
    "plus": "{}+b",
    "unicode": "{}ü✓",
    "case": "{}Ab",
    "digit": "9{}",
    "underscore": "_{}",
}
OTHER_CASE = "{}aB"
WORLD_TAG = "lakeproof-tag"
ONLY_BELOW = ("long", "digit", "underscore")  # the home keeps its name: it starts with the prefix of the run
CROWD = 5  # declared tables of a crowd


all_but = partial(worlds.all_but, DIMENSIONS)
UNINDEXED = all_but(state=("indexed",))  # of requirements that know all indices of a table
UNTAGGED = all_but(state=("tagged",))  # of those that know all tags, or delete versions: a server may keep tagged ones
OFF_BRANCHES = all_but(branch=("own",))  # of those that name branches, or know what the main one has
WITHOUT_PARTS = all_but(state=("indexed", "tagged"))  # of those that know both


@dataclass(frozen=True, slots=True)
class State:
    """A state of a table: `make` creates the table with the given rows in it.

    With `by_id` the rows need a column `id` of integers, and at least one row.
    """

    make: Callable[[TableMaker, Names, Any], None]
    by_id: bool = False

    def fits(self, data: Any) -> bool:
        """True for rows that can be brought into this state."""
        fields = {field.name: field.type for field in data.schema}
        return not self.by_id or (data.num_rows > 0 and fields.get("id") == pa.int64())


def fragments(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table with the first row, and insert the others in up to three requests."""
    catalog.make_table(id, data.slice(0, 1))
    rest = data.slice(1)
    step = max(1, -(-rest.num_rows // 3))
    for start in range(0, rest.num_rows, step):
        catalog.insert_into_table(id, stream(rest.slice(start, step)))


def deleted(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table, insert a further row and delete it."""
    catalog.make_table(id, data)
    place = data.schema.get_field_index("id")
    further = data.slice(0, 1).set_column(place, data.schema.field(place), pa.array([900_000], pa.int64()))
    catalog.insert_into_table(id, stream(further))
    catalog.delete_from_table(id, predicate="id = 900000")


def updated(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table, update all rows and take the update back."""
    catalog.make_table(id, data)
    catalog.update_table(id, updates=[["id", "id + 900000"]])
    catalog.update_table(id, updates=[["id", "id - 900000"]])


def altered(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table, add a column and drop it again."""
    catalog.make_table(id, data)
    catalog.alter_table_add_columns(id, new_columns=[{"name": "lakeproof_added", "expression": "1"}])
    catalog.alter_table_drop_columns(id, columns=["lakeproof_added"])


def renamed(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table under another name, and rename it."""
    before = (*id[:-1], f"{id[-1]}was")
    catalog.make_table(before, data)
    catalog.rename_table(before, new_table_name=id[-1])


def remade(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table with more rows, drop it, and create another one under its name."""
    catalog.make_table(id, pa.concat_tables([data, data]))
    catalog.drop_table(id)
    catalog.make_table(id, data)


def registered(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table, deregister it and register it at its location."""
    catalog.make_table(id, data)
    location = text(catalog.deregister_table(id)["location"], "the location of the table")
    catalog.restore_registration(id, location)


def restored(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table, insert its rows once more, and restore the version before."""
    catalog.make_table(id, data)
    version = number(
        catalog.describe_table(id, _query={"load_detailed_metadata": True})["version"], "the version of the table"
    )
    catalog.insert_into_table(id, stream(data))
    catalog.restore_table(id, version=version)


def indexed(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table and an index on its column `id`."""
    catalog.make_table(id, data)
    catalog.create_table_scalar_index(id, column="id", index_type="BTREE", name="lakeproof_index")


def tagged(catalog: TableMaker, id: Names, data: Any) -> None:
    """Create a table and a tag of its version."""
    catalog.make_table(id, data)
    version = catalog.describe_table(id, _query={"load_detailed_metadata": True})["version"]
    catalog.create_table_tag(id, tag=WORLD_TAG, version=number(version, "the version of the table"))


STATES: Mapping[str, State] = {
    "fragments": State(fragments),
    "deleted": State(deleted, by_id=True),
    "updated": State(updated, by_id=True),
    "altered": State(altered),
    "renamed": State(renamed),
    "remade": State(remade),
    "registered": State(registered),
    "declared": State(declare_and_insert),
    "restored": State(restored),
    "indexed": State(indexed, by_id=True),
    "tagged": State(tagged),
}
