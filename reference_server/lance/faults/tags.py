"""Tags kept or told carelessly, and what is missing or wrong about tags, versions and transactions."""

from __future__ import annotations

from reference_server.faults import answers, body_becomes, declare, request_becomes, status_becomes

TAGS = ("CreateTableTag", "UpdateTableTag", "DeleteTableTag", "GetTableTagVersion", "ListTableTags")
VERSIONS = ("ListTableVersions", "DescribeTableVersion", "RestoreTable")
TRANSACTIONS = ("DescribeTransaction", "AlterTransaction")

declare(
    "tags-forgotten",
    "Changes of tags are answered with success, but nothing changes.",
    answers(200, {}),
    kills=[
        "lance.tag.create.get",
        "lance.tag.create.name.*",
        "lance.tag.create.taken",
        "lance.tag.create.version_missing",
        "lance.tag.create.stays",
        "lance.tag.update.moves",
        "lance.tag.delete.gone",
        "lance.tag.delete.twice",
        "lance.tag.list.versions",
        "lance.tag.case",
        "lance.listing.shows.list_table_tags",
    ],
    on=TAGS[:3],
)


declare(
    "tags-move",
    "A tag is said to name another version than it was given.",
    body_becomes(lambda body: {"version": body["version"] + 1}, 200),
    kills=[
        "lance.tag.create.get",
        "lance.tag.create.stays",
        "lance.tag.create.name.*",
        "lance.tag.update.moves",
        "lance.tag.update.version_missing",
        "lance.tag.case",
        "lance.tag.body.*",
    ],
    on=["GetTableTagVersion"],
)
declare(
    "tags-replaced",
    "Creating a tag that exists moves it.",
    status_becomes(409, 200),
    kills=["lance.tag.create.taken", "lance.model.rows"],
    on=["CreateTableTag"],
)
declare(
    "tag-case-ignored",
    "Tags are kept in lower case.",
    request_becomes(lambda body: {**body, "tag": str(body.get("tag", "")).lower()} if "tag" in body else body),
    kills=["lance.tag.case", "lance.tag.create.name.upper"],
    on=TAGS[:4],
)
declare(
    "declared-has-tags",
    "A declared table is said to have a tag.",
    answers(200, {"tags": {"x": {"version": 1, "manifestSize": 1}}, "version": 1}),
    kills=["lance.tag.*.declared"],
    on=TAGS,
)
declare(
    "tag-sizes-lost",
    "Tags are listed with a size of 0.",
    body_becomes(
        lambda body: {**body, "tags": {name: {**tag, "manifestSize": 0} for name, tag in body["tags"].items()}}, 200
    ),
    kills=["lance.tag.list.size"],
    on=["ListTableTags"],
)
declare(
    "missing-as-400",
    "What does not exist about tags, versions and transactions is refused as a bad request.",
    status_becomes(404, 400),
    kills=[
        "lance.tag.*.tag_missing",
        "lance.tag.*.missing",
        "lance.tag.*.version_missing",
        "lance.tag.delete.twice",
        "lance.version.*.missing",
        "lance.version.*.version_missing",
        "lance.transaction.*.missing",
    ],
    on=(*TAGS, *VERSIONS, *TRANSACTIONS, "CreateTableVersion", "BatchDeleteTableVersions"),
)
declare(
    "bad-tags-accepted",
    "Bad requests about tags, versions and transactions are answered with success.",
    status_becomes(400, 200),
    kills=[
        "lance.tag.create.no_name.*",
        "lance.tag.body.*",
        "lance.version.body.*",
        "lance.transaction.alter.body.*",
        "lance.transaction.alter.one.*",
        "lance.tag.create.odd_name.*",
        "lance.tag.*.negative",
        "lance.version.*.negative",
    ],
    on=(*TAGS, *VERSIONS, *TRANSACTIONS),
)
declare(
    "missing-accepted",
    "What does not exist about tags, versions and transactions is answered with success.",
    status_becomes(404, 200),
    kills=[
        "lance.tag.get.no_name.*",
        "lance.tag.*.zero",
        "lance.tag.*.largest",
        "lance.version.*.zero",
        "lance.version.*.largest",
        "lance.transaction.describe.other_table",
    ],
    on=(*TAGS, *VERSIONS, *TRANSACTIONS),
)
