"""Tags kept or told carelessly, and what is missing or wrong about tags, versions and transactions."""

from __future__ import annotations

from reference_server.faults import answers, body_becomes, declare, request_becomes, status_becomes

TAGS = ("CreateTableTag", "UpdateTableTag", "DeleteTableTag", "GetTableTagVersion", "ListTableTags")

VERSIONS = ("ListTableVersions", "DescribeTableVersion", "RestoreTable")

TRANSACTIONS = ("DescribeTransaction", "AlterTransaction")


declare(
    "tags-forgotten", "Changes of tags are answered with success, but nothing changes.", answers(200, {}), on=TAGS[:3]
)
declare(
    "tags-move",
    "A tag is said to name another version than it was given.",
    body_becomes(lambda body: {"version": body["version"] + 1}, 200),
    on=["GetTableTagVersion"],
)
declare("tags-replaced", "Creating a tag that exists moves it.", status_becomes(409, 200), on=["CreateTableTag"])
declare(
    "tag-case-ignored",
    "Tags are kept in lower case.",
    request_becomes(lambda body: {**body, "tag": str(body.get("tag", "")).lower()} if "tag" in body else body),
    on=TAGS[:4],
)
declare(
    "declared-has-tags",
    "A declared table is said to have a tag.",
    answers(200, {"tags": {"x": {"version": 1, "manifestSize": 1}}, "version": 1}),
    on=TAGS,
)
declare(
    "tag-sizes-lost",
    "Tags are listed with a size of 0.",
    body_becomes(
        lambda body: {**body, "tags": {name: {**tag, "manifestSize": 0} for name, tag in body["tags"].items()}}, 200
    ),
    on=["ListTableTags"],
)
declare(
    "missing-as-400",
    "What does not exist about tags, versions and transactions is refused as a bad request.",
    status_becomes(404, 400),
    on=(*TAGS, *VERSIONS, *TRANSACTIONS, "CreateTableVersion", "BatchDeleteTableVersions"),
)
declare(
    "bad-tags-accepted",
    "Bad requests about tags, versions and transactions are answered with success.",
    status_becomes(400, 200),
    on=(*TAGS, *VERSIONS, *TRANSACTIONS),
)
declare(
    "missing-accepted",
    "What does not exist about tags, versions and transactions is answered with success.",
    status_becomes(404, 200),
    on=(*TAGS, *VERSIONS, *TRANSACTIONS),
)
