"""Tags kept or told carelessly, and what is missing or wrong about tags, versions and transactions."""

from __future__ import annotations

from reference_server.faults import answers, body_becomes, fault, request_becomes, status_becomes

TAGS = ("CreateTableTag", "UpdateTableTag", "DeleteTableTag", "GetTableTagVersion", "ListTableTags")

VERSIONS = ("ListTableVersions", "DescribeTableVersion", "RestoreTable")

TRANSACTIONS = ("DescribeTransaction", "AlterTransaction")


fault("tags-forgotten", "Changes of tags are answered with success, but nothing changes.", on=TAGS[:3])(
    answers(200, {})
)
fault("tags-move", "A tag is said to name another version than it was given.", on=["GetTableTagVersion"])(
    body_becomes(lambda body: {"version": body["version"] + 1}, 200)
)
fault("tags-replaced", "Creating a tag that exists moves it.", on=["CreateTableTag"])(status_becomes(409, 200))
fault("tag-case-ignored", "Tags are kept in lower case.", on=TAGS[:4])(
    request_becomes(lambda body: {**body, "tag": str(body.get("tag", "")).lower()} if "tag" in body else body)
)
fault("declared-has-tags", "A declared table is said to have a tag.", on=TAGS)(
    answers(200, {"tags": {"x": {"version": 1, "manifestSize": 1}}, "version": 1})
)
fault("tag-sizes-lost", "Tags are listed with a size of 0.", on=["ListTableTags"])(
    body_becomes(
        lambda body: {**body, "tags": {name: {**tag, "manifestSize": 0} for name, tag in body["tags"].items()}}, 200
    )
)
fault(
    "bad-tags-accepted",
    "Bad requests about tags, versions and transactions are answered with success.",
    on=(*TAGS, *VERSIONS, *TRANSACTIONS),
)(status_becomes(400, 200))
fault(
    "missing-accepted",
    "What does not exist about tags, versions and transactions is answered with success.",
    on=(*TAGS, *VERSIONS, *TRANSACTIONS),
)(status_becomes(404, 200))
