"""Wrong tags and versions."""

from __future__ import annotations

from typing import Any

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
    "Requests on missing tags, versions and transactions return success.",
    on=(*TAGS, *VERSIONS, *TRANSACTIONS),
)(status_becomes(404, 200))


def _reversed(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "versions": body["versions"][::-1]}


fault(
    "versions-mixed",
    "Versions are listed the other way round, and each has the time and the manifest of the first.",
    on=["ListTableVersions"],
)(
    body_becomes(
        lambda body: _reversed(
            {
                **body,
                "versions": [
                    {**version, "timestamp_millis": 1000 - place, "manifest_path": ""}
                    for place, version in enumerate(body["versions"])
                ],
            }
        ),
        200,
    )
)
fault(
    "version-described-wrong",
    "Another version is described than the one that was asked for.",
    on=["DescribeTableVersion"],
)(
    body_becomes(
        lambda body: {"version": {**body["version"], "version": 1, "manifest_path": "x", "manifest_size": 0}}, 200
    )
)
fault("restore-first", "RestoreTable brings the first version back, whichever is asked for.", on=["RestoreTable"])(
    request_becomes(lambda body: {**body, "version": 1} if "version" in body else body)
)
fault("restore-refused", "RestoreTable always finds that others changed the table.", on=["RestoreTable"])(
    answers(409, {"error": "lost a race", "code": 14})
)
fault("declared-has-versions", "A declared table is said to have a version.", on=VERSIONS)(
    answers(200, {"versions": [{"version": 1, "manifest_path": "x"}], "version": {"version": 1, "manifest_path": "x"}})
)
