"""Versions listed, described and restored carelessly."""

from __future__ import annotations

from typing import Any

from reference_server.faults import answers, body_becomes, fault, request_becomes

VERSIONS = ("ListTableVersions", "DescribeTableVersion", "RestoreTable")


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
