"""Conditions of Lance's faults in worlds: names, places, states and data of tables, and forms of requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from reference_server.conditions import (
    BESIDE,
    FREED,
    NAMESPACE,
    REMADE,
    RENAMED,
    Condition,
    Conditions,
    History,
    Holds,
    Thing,
    beside_prefix,
    beside_several,
    deep,
    in_root,
    labelled,
    of_names,
    of_objects,
    of_requests,
    register_conditions,
    sent_by,
    spelled,
)
from reference_server.context import Reply
from reference_server.faults import Call, content
from reference_server.lance.faults.blocks import LISTS, delimiter, is_root
from specs.lance.identifiers import split_parts

TABLE = "table"
ON_OBJECTS = ("*Table*", "*Namespace*")
CREATED = ("CreateTable", "CreateEmptyTable", "DeclareTable", "RegisterTable")
OF_LISTS = ("ListTables", "ListAllTables")
WITH_COLUMNS = (
    *("*Query*", "*Rows", "*Into*", "UpdateTable", "DeleteFromTable", "Alter*Columns", "*Ind*", "*Stats"),
    *("RestoreTable", "DescribeTable", "UpdateTableSchemaMetadata"),
)
WITHOUT_JSON = (
    *("ListNamespaces", "ListTables", "ListAllTables", "ListTableVersions", "ListTableTags", "ListTableBranches"),
    "DropTable",
    *("CreateTable", "InsertIntoTable", "MergeInsertIntoTable", "DropTableIndex", "UpdateTableSchemaMetadata"),
)
SPELLED_OUT = (
    *("CreateTable", "DescribeTable", "InsertIntoTable", "ListTableVersions", "MergeInsertIntoTable"),
    *("CreateNamespace", "DropNamespace", "RegisterTable", "DeclareTable", "CreateEmptyTable", "UpdateTable"),
    *("CreateTableIndex", "CreateTableScalarIndex", "ListTableIndices", "DescribeTableIndexStats"),
    *("QueryTable", "AnalyzeTableQueryPlan", "ExplainTableQueryPlan"),
)
NAMES = ("blank", "dot", "percent", "coded", "plus", "unicode", "case", "long", "underscore")
# Labels of a table after these operations; some need two of them.
CHANGES = {
    "InsertIntoTable": "inserted",
    "DeleteFromTable": "deleted",
    "UpdateTable": "updated",
    "AlterTableAddColumns": "altered",
    "AlterTableAlterColumns": "altered",
    "AlterTableDropColumns": "altered",
    "RestoreTable": "restored",
    "CreateTableIndex": "indexed",
    "CreateTableScalarIndex": "indexed",
    "CreateTableTag": "tagged",
    "CreateTableBranch": "branched",
}
INSERTED, FRAGMENTS = "inserted", "fragments"
STATES: Mapping[str, tuple[str, Holds]] = {
    value: (f"for a {words}", labelled(value))
    for value, words in {
        FRAGMENTS: "table with many fragments",
        "deleted": "table with deleted rows",
        "updated": "table with updated rows",
        "altered": "table whose schema changed",
        RENAMED: "renamed table",
        REMADE: "table under the name of a dropped one",
        "registered": "registered table",
        "declared": "table that was declared before it had rows",
        "restored": "table that was restored to an earlier version",
        "indexed": "table with an index",
        "tagged": "table with a tag",
    }.items()
}
OF_DATA = "data "  # starts the labels of what a table has in its rows
DATA: Mapping[str, tuple[str, Holds]] = {
    value: (f"for a table with {words}", labelled(f"{OF_DATA}{value}"))
    for value, words in {
        "nulls": "nulls",
        "texts": "unusual texts",
        "floats": "floats",
        "integers": "large integers",
        "lists": "lists",
        "vectors": "several vector columns or a null vector",
        "structs": "structs",
        "times": "times",
        "bytes": "bytes",
    }.items()
}
LONG_TEXT, LARGE = 200, 2**53


def _accepts(call: Call) -> str:
    """Return the compression that a request accepts."""
    return call.request.headers.get("Accept-Encoding", "")


FORMS: Mapping[str, tuple[str, Callable[[Call], bool]]] = {
    "delimiter": ("with another delimiter", lambda call: delimiter(call) != "$"),
    "pylance": (
        "as the client of pylance sends it",
        lambda call: call.request.query.get("delimiter") == ["$"] and _accepts(call) == "gzip",
    ),
    "generated": ("as the generated Python client sends it", sent_by("OpenAPI-Generator")),
    "lancedb": ("as lancedb sends it", sent_by("LanceDB")),
}


IN_BODIES: Mapping[str, tuple[str, Callable[[Call], bool]]] = {
    "context": (
        "with a context or an identity",
        lambda call: bool({"context", "identity"} & (content(call) or {}).keys()),
    ),
}
ID_IN_BODIES: Mapping[str, tuple[str, Callable[[Call], bool]]] = {
    "id": ("with the id repeated in the body", lambda call: "id" in (content(call) or {})),
}
BATCHES = ("BatchCreateTableVersions", "BatchCommitTables")  # their entries name several tables
BESIDE_BRANCHES: Mapping[str, tuple[str, Holds]] = {"beside": ("for a table with a branch", labelled("branched"))}
ON_BRANCHES = (
    *("DescribeTable", "RestoreTable", "UpdateTableSchemaMetadata", "UpdateFieldMetadata", "GetTableStats"),
    *("*TableVersion", "*TableVersions", "AlterTable*", "*Into*", "UpdateTable", "DeleteFromTable"),
    *("*Query*", "CountTableRows", "*Ind*", "CreateTableTag", "UpdateTableTag"),
)


def _on_branch(call: Call) -> bool:
    return "branch" in call.request.query or "branch" in (content(call) or {})


SPELLED = spelled("mode", "with_table_uri", "load_detailed_metadata", "descending", "use_index")


class LanceConditions(Conditions):
    """Objects of Lance's requests, and their history."""

    api: ClassVar[str] = "lance"
    lists: ClassVar[Collection[str]] = LISTS
    conditions: ClassVar[Sequence[Condition]] = [
        *of_objects(
            "place",
            ON_OBJECTS,
            {
                "nested": ("in a nested namespace", deep(2)),
                "beside": ("beside objects of other kinds", labelled(BESIDE)),
                "crowd": ("beside several other tables", beside_several(5, TABLE)),
                "prefix": ("beside a namespace whose name starts with the name of this one", beside_prefix),
            },
        ),
        *of_objects(
            "place", ON_OBJECTS, {"root": ("in the root namespace", in_root)}, ("CreateNamespace", "DropNamespace")
        ),
        *of_objects("names", ON_OBJECTS, {**of_names(*NAMES), "digit": of_names("digits")["digits"]}),
        *of_objects("state", ("*Table*",), STATES, (*CREATED, *OF_LISTS)),
        *of_objects("state", CREATED, {REMADE: ("under the name of a dropped table", labelled(FREED))}),
        *of_objects("data", WITH_COLUMNS, DATA),
        *of_objects("branch", ON_BRANCHES, BESIDE_BRANCHES, BATCHES),
        *of_requests("branch", ON_BRANCHES, {"own": ("on a branch", _on_branch)}, (*BATCHES, "CreateTableVersion")),
        *of_requests("form", ("*",), FORMS),
        *of_requests("form", ("*",), IN_BODIES, WITHOUT_JSON),
        *of_requests("form", ("*",), ID_IN_BODIES, (*WITHOUT_JSON, *BATCHES)),
        *of_requests("form", SPELLED_OUT, {"spelled": ("with optional fields spelled out", SPELLED)}),
    ]

    def things(self, call: Call) -> Iterator[Thing]:
        """Yield the namespaces and tables that a request names."""
        body, operation = content(call) or {}, call.operation.id
        if "id" in call.path:
            yield Thing(_kind(operation), _id(call))
        if operation == "RenameTable":
            yield Thing(TABLE, _renamed(call, body))
        for _, change in _parts(body):
            if "id" in change:
                yield Thing(TABLE, tuple(change["id"]))

    def listed(self, call: Call, body: Any, keep: Callable[[Thing], bool]) -> Any:
        """Return the answer of a list without the objects that are not kept."""
        name = "namespaces" if call.operation.id == "ListNamespaces" else "tables"
        kind = NAMESPACE if name == "namespaces" else TABLE

        def thing(entry: str) -> Thing:
            whole = call.operation.id == "ListAllTables"
            return Thing(kind, tuple(split_parts(entry, delimiter(call))) if whole else (*_id(call), entry))

        return {**body, name: [entry for entry in body[name] if keep(thing(entry))]}

    def note(self, call: Call, reply: Reply, history: History) -> None:
        """Note what a successful call has changed."""
        operation, body = call.operation.id, content(call) or {}
        if operation == "BatchCommitTables":
            for action, change in _parts(body):
                if action == "declare_table":
                    history.create(Thing(TABLE, tuple(change["id"])), "declared")
        elif operation in CREATED:
            history.create(*_made(call, operation, history))
        elif operation == "CreateNamespace":
            history.create(Thing(NAMESPACE, _id(call)))
        elif operation in ("DropTable", "DeregisterTable", "DropNamespace"):
            history.drop(Thing(_kind(operation), _id(call)))
        elif operation == "RenameTable":
            history.move(Thing(TABLE, _id(call)), Thing(TABLE, _renamed(call, body)))
        elif operation in CHANGES:
            _change(history, Thing(TABLE, _id(call)), CHANGES[operation], call)


def _id(call: Call) -> tuple[str, ...]:
    return () if is_root(call) else tuple(split_parts(call.path["id"], delimiter(call)))


def _kind(operation: str) -> str:
    return NAMESPACE if "Namespace" in operation or operation in OF_LISTS else TABLE


def _renamed(call: Call, body: Any) -> tuple[str, ...]:
    """Return the new identifier of a table."""
    return (*(body.get("new_namespace_id") or _id(call)[:-1]), body["new_table_name"])


def _parts(body: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a batch, each with its action."""
    for part in body.get("entries", ()):
        yield "", part
    for operation in body.get("operations", ()):
        yield from ((action, change) for action, change in operation.items() if isinstance(change, dict))


def _made(call: Call, operation: str, history: History) -> tuple[Any, ...]:
    """Return a new table and its labels; one that is registered again has the data that it had."""
    table = Thing(TABLE, _id(call))
    if operation == "RegisterTable":
        return table, "registered", *(label for label in history.gone.get(table, ()) if label.startswith(OF_DATA))
    return table, *(["declared"] if operation in ("DeclareTable", "CreateEmptyTable") else []), *_data(call)


def _change(history: History, table: Thing, label: str, call: Call) -> None:
    """Note a change of a table: rows come in many fragments after two insertions."""
    several = [FRAGMENTS] if label == INSERTED and INSERTED in history.labels.get(table, ()) else []
    history.commit(table, label, *several, *(_data(call) if label == INSERTED else ()))


def _data(call: Call) -> Iterator[str]:
    """Yield the labels of the rows in a request."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import, and few servers need it

    try:
        with pa.ipc.open_stream(call.request.body) as reader:
            rows = reader.read_all()
    except (pa.ArrowException, OSError, ValueError):
        return
    kinds = {kind for column in rows.columns for kind in _kinds(column)}
    vectors = [column for column in rows.columns if pa.types.is_fixed_size_list(column.type)]
    several = len(vectors) > 1 or any(column.null_count for column in vectors)
    yield from (f"{OF_DATA}{kind}" for kind in (*kinds, *(["vectors"] if several else [])))


def _kinds(column: Any) -> Iterator[str]:
    """Yield the kinds of data of a column."""
    from pyarrow import types  # noqa: PLC0415 - as above

    if column.null_count:
        yield "nulls"
    if types.is_string(column.type) and any(len(text or "") > LONG_TEXT for text in column.to_pylist()):
        yield "texts"
    if types.is_integer(column.type) and any(abs(number or 0) >= LARGE for number in column.to_pylist()):
        yield "integers"
    known = {
        "floats": types.is_floating,
        "lists": types.is_list,
        "structs": types.is_struct,
        "times": types.is_timestamp,
        "bytes": types.is_binary,
    }
    yield from (kind for kind, is_so in known.items() if is_so(column.type))


register_conditions(LanceConditions())
