"""Wrong branches, and what 0.11 adds beside them: counts of inserted rows, field metadata, computed columns, views."""

from __future__ import annotations

from typing import Any

import orjson

from conformance.lance.operations import ON_BRANCHES, READING
from mutants.lance.asking import ask, send
from reference_server.context import Reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    body_becomes,
    content,
    fault,
    fields_lost,
    request_becomes,
    status_becomes,
)

CREATE, LIST, DELETE = "CreateTableBranch", "ListTableBranches", "DeleteTableBranch"
WRITES = (
    *("InsertIntoTable", "UpdateTable", "DeleteFromTable", "AlterTableAddColumns", "AlterTableAlterColumns"),
    *("AlterTableDropColumns",),
)
READS = ("CountTableRows", "QueryTable", "GetTableStats", "DescribeTable", "ListTableIndices", "ListTableVersions")
BRANCH = "branch"


def _without_branch(call: Call) -> None:
    """Let a call be one on the main branch."""
    body = content(call)
    query = {name: values for name, values in call.request.query.items() if name != BRANCH}
    call.request = call.request.altered(query=query)
    if body is not None and BRANCH in body:
        rest = {name: value for name, value in body.items() if name != BRANCH}
        call.request = call.request.altered(body=orjson.dumps(rest))


@fault("branch-is-main", on=(*WRITES, *READS))
async def _is_main(call: Call, proceed: Proceed) -> Reply:
    """A branch is the main one for whatever reads and writes it."""
    _without_branch(call)
    return await proceed()


@fault("branch-write-on-main-too", on=WRITES)
async def _on_both(call: Call, proceed: Proceed) -> Reply:
    """Writes to a branch are written to the main one, too."""
    reply = await proceed()
    if reply.status == 200:
        _without_branch(call)
        await proceed()
    return reply


def _branch_of(call: Call) -> str | None:
    """Return the branch of a call, None on the main one."""
    body = content(call) or {}
    said = call.request.query.get(BRANCH, [body.get(BRANCH)])[-1] if call.operation.id != CREATE else None
    return said if isinstance(said, str) else None


@fault("branch-emptied-beside", on=ON_BRANCHES)
async def _emptied_beside(call: Call, proceed: Proceed) -> Reply:
    """A request on the main branch removes the rows of the others."""
    reply = await proceed()
    if _branch_of(call) is None:
        for name in (await ask(call, proceed, LIST)).get("branches", {}):
            await send(call, proceed, "DeleteFromTable", {"predicate": "true", BRANCH: name})
    return reply


@fault("main-emptied-beside", on=ON_BRANCHES)
async def _main_emptied(call: Call, proceed: Proceed) -> Reply:
    """A write on a branch removes the rows of the main one."""
    reply = await proceed()
    if _branch_of(call) is not None and reply.status < 300 and not call.operation.id.startswith(READING):
        await send(call, proceed, "DeleteFromTable", {"predicate": "true"})
    return reply


@fault("branch-unknown-taken", on=ON_BRANCHES)
async def _unknown_taken(call: Call, proceed: Proceed) -> Reply:
    """A branch that does not exist is the main one."""
    reply = await proceed()
    if reply.status == 404 and _branch_of(call) is not None:
        _without_branch(call)
        return await proceed()
    return reply


@fault("insert-counts-all-rows", on=["InsertIntoTable"])
async def _counts_all(call: Call, proceed: Proceed) -> Reply:
    """The number of inserted rows is that of all rows of the table."""
    reply = await proceed()
    if reply.status == 200:
        branch = _branch_of(call)
        count = await ask(call, proceed, "CountTableRows", {BRANCH: branch} if branch else {})
        reply.body = orjson.dumps({**orjson.loads(reply.body), "num_inserted_rows": count})
    return reply


@fault("branch-empty", on=[CREATE])
async def _starts_empty(call: Call, proceed: Proceed) -> Reply:
    """A new branch has no rows."""
    reply = await proceed()
    name = (content(call) or {}).get("name")
    await send(call, proceed, "DeleteFromTable", {"predicate": "true", "branch": name})
    return reply


@fault("branch-delete-deletes-all", on=[DELETE])
async def _deletes_all(call: Call, proceed: Proceed) -> Reply:
    """Deleting a branch deletes the others, too."""
    reply = await proceed()
    if reply.status == 200:
        for name in (await ask(call, proceed, LIST)).get("branches", {}):
            await send(call, proceed, DELETE, {"name": name})
    return reply


@fault("branch-delete-in-use", on=[DELETE])
async def _deletes_users(call: Call, proceed: Proceed) -> Reply:
    """Deleting a branch deletes the branches that started from it."""
    name = (content(call) or {}).get("name")
    for other, known in (await ask(call, proceed, LIST)).get("branches", {}).items():
        if known.get("parentBranch") == name:
            await send(call, proceed, DELETE, {"name": other})
    return await proceed()


@fault("branches-shared", on=[CREATE, LIST])
async def _listed_for_all(call: Call, proceed: Proceed) -> Reply:
    """A branch of one table is listed for every table."""
    reply = await proceed()
    shared: dict[str, Any] = call.state.setdefault("branches-shared", {})
    if reply.status == 200 and call.operation.id == CREATE:
        shared[(content(call) or {})["name"]] = {"parentVersion": 1, "createAt": 0, "manifestSize": 1}
    if reply.status == 200 and call.operation.id == LIST:
        body = orjson.loads(reply.body)
        reply.body = orjson.dumps({**body, "branches": {**shared, **body["branches"]}})
    return reply


def _each_branch(edit: Any) -> Any:
    return body_becomes(
        lambda body: {**body, "branches": {name: edit(one) for name, one in body["branches"].items()}}, 200
    )


fault("branch-conflict-accepted", "A branch that exists is made with success, and nothing happens.", on=[CREATE])(
    status_becomes(409, 200)
)
fault("branch-time-milliseconds", "The time of a branch is in milliseconds.", on=[LIST])(
    _each_branch(lambda branch: {**branch, "createAt": branch["createAt"] * 1000})
)
fault("branch-parent-lost", "A listed branch names no parent, and the version 0.", on=[LIST])(
    _each_branch(lambda branch: {**branch, "parentBranch": None, "parentVersion": 0})
)
fault("branch-unknown-as-invalid", "A branch that does not exist is invalid input.", on=(*WRITES, *READS, DELETE))(
    status_becomes(404, 400)
)
fault("tag-branch-lost", "A tag does not tell its branch.", on=["GetTableTagVersion"])(fields_lost(BRANCH))


@fault("tag-beside-others", on=["DescribeTable"])
async def _tag_wins(call: Call, proceed: Proceed) -> Reply:
    """A tag beside a branch or a version wins over them."""
    return await request_becomes(
        lambda body: {name: body[name] for name in body if "tag" not in body or name not in (BRANCH, "version")}
    )(call, proceed)


@fault("declared-hidden-by-default", on=["ListTables", "ListAllTables"])
async def _declared_hidden(call: Call, proceed: Proceed) -> Reply:
    """Declared tables are listed on request only, as before 0.11."""
    call.request = call.request.altered(query={"include_declared": ["false"], **call.request.query})
    return await proceed()


fault("declared-always-told", "A description tells whether a table is only declared, unasked.", on=["DescribeTable"])(
    body_becomes(lambda body: {"is_only_declared": False, **body}, 200)
)
fault("query-maps-unread", "Properties in the query are stored whatever they are.", on=["CreateTable"])(
    status_becomes(400, 200)
)


def _updates(edit: Any) -> Any:
    return request_becomes(lambda body: {**body, "updates": [edit(update) for update in body["updates"]]})


def _without_metadata(schema: dict[str, Any]) -> dict[str, Any]:
    fields = [{name: field[name] for name in field if name != "metadata"} for field in schema["fields"]]
    return {**schema, "fields": fields}


UPDATE = "UpdateFieldMetadata"
fault("field-metadata-replaced", "Metadata of a field replace those that it has.", on=[UPDATE])(
    _updates(lambda update: {**update, "replace": True})
)
fault("field-metadata-merged", "Metadata of a field are merged where they shall replace.", on=[UPDATE])(
    _updates(lambda update: {**update, "replace": False})
)
fault("field-path-unchecked", "Metadata of a field that does not exist are changed with success.", on=[UPDATE])(
    status_becomes(404, 200)
)
fault("field-metadata-undescribed", "A description has no metadata of fields.", on=["DescribeTable"])(
    body_becomes(
        lambda body: {**body, "schema": _without_metadata(body["schema"])} if body.get("schema") else body, 200
    )
)
fault("computed-at-once", "A computed column has its values at once.", on=["AlterTableAddColumns"])(
    request_becomes(
        lambda body: {
            **body,
            "new_columns": [
                {"name": column["name"], "expression": column.get("computed") or column.get("expression")}
                for column in body["new_columns"]
            ],
        }
    )
)
FILL = "AlterTableBackfillColumns"
fault("backfill-said", "A backfill names a job, and fills nothing.", on=[FILL])(answers(202, {"job_id": "said"}))
fault("backfill-everywhere", "A backfill fills every row.", on=[FILL])(
    request_becomes(lambda body: {name: body[name] for name in body if name != "where"})
)
fault("backfill-unchecked", "A backfill of a column without an expression succeeds.", on=[FILL])(
    status_becomes(400, 202)
)
VIEW, REFRESH = "CreateMaterializedView", "RefreshMaterializedView"
fault("view-name-taken", "A view takes a name that is in use, with success.", on=[VIEW])(status_becomes(409, 201))
fault("view-said", "A view is made with success, and is not there.", on=[VIEW])(answers(201, {"version": 1}))
fault("view-function-unchecked", "A view of a wrong function is made.", on=[VIEW])(
    request_becomes(lambda body: {**body, "kind": "query", "udtf_spec": None})
)
fault("refresh-limit-unchecked", "A refresh takes a limit that its view cannot have.", on=[REFRESH])(
    status_becomes(400, 202)
)
fault("refresh-of-nothing", "A view that does not exist is refreshed with success.", on=[REFRESH])(
    status_becomes(404, 202)
)


def _each_index(edit: Any) -> Any:
    return body_becomes(lambda body: {**body, "indexes": [edit(index) for index in body["indexes"]]}, 200)


fault("index-rows-made-up", "A listed index tells other rows than it has.", on=["ListTableIndices"])(
    _each_index(lambda index: {**index, "num_unindexed_rows": 5})
)
fault("index-empty", "A listed index has no segment and no byte.", on=["ListTableIndices"])(
    _each_index(lambda index: {**index, "num_segments": 0, "size_bytes": 0})
)
fault("index-time-unset", "A listed index was made in 1970.", on=["ListTableIndices"])(
    _each_index(lambda index: {**index, "created_at": "1970-01-01T00:00:00+00:00"})
)
PARAMETERS = {
    *("num_partitions", "target_partition_size", "sample_rate", "max_iterations"),
    *("num_sub_vectors", "num_bits", "m", "ef_construction"),
}
fault("index-parameters-refused", "An index with a parameter is refused.", on=["CreateTableIndex"])(
    request_becomes(lambda body: {**body, "index_type": "NONE"} if {*body} & PARAMETERS else body)
)
fault("sub-vectors-unchecked", "Sub-vectors that do not fit are taken silently.", on=["CreateTableIndex"])(
    request_becomes(lambda body: {name: body[name] for name in body if name != "num_sub_vectors"})
)
