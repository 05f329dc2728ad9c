"""Versions listed, described and restored carelessly."""

from __future__ import annotations

from typing import Any

from reference_server.faults import answers, arguments_lost, body_becomes, declare, request_becomes

VERSIONS = ("ListTableVersions", "DescribeTableVersion", "RestoreTable")


def _reversed(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "versions": body["versions"][::-1]}


declare(
    "versions-mixed",
    "Versions are listed the other way round, and each has the time and the manifest of the first.",
    body_becomes(
        lambda body: _reversed(
            {
                **body,
                "versions": [
                    {**one, "timestamp_millis": 1000 - place, "manifest_path": ""}
                    for place, one in enumerate(body["versions"])
                ],
            }
        ),
        200,
    ),
    on=["ListTableVersions"],
)
declare(
    "versions-ascending",
    "Versions are listed oldest first, whatever is asked for.",
    arguments_lost("descending"),
    on=["ListTableVersions"],
)
declare(
    "versions-cut",
    "The latest version is not listed.",
    body_becomes(lambda body: {**body, "versions": body["versions"][:-1]}, 200),
    on=["ListTableVersions"],
)
declare(
    "version-described-wrong",
    "Another version is described than the one that was asked for.",
    body_becomes(
        lambda body: {"version": {**body["version"], "version": 1, "manifest_path": "x", "manifest_size": 0}}, 200
    ),
    on=["DescribeTableVersion"],
)
declare(
    "restore-forgets",
    "RestoreTable is answered with success, but the table stays as it is.",
    answers(200, {}),
    on=["RestoreTable"],
)
declare(
    "restore-first",
    "RestoreTable brings the first version back, whichever is asked for.",
    request_becomes(lambda body: {**body, "version": 1} if "version" in body else body),
    on=["RestoreTable"],
)
declare(
    "restore-refused",
    "RestoreTable always finds that others changed the table.",
    answers(409, {"error": "lost a race", "code": 14}),
    on=["RestoreTable"],
)
declare(
    "restore-transaction-invented",
    "RestoreTable tells a transaction_id that nobody knows.",
    body_becomes(lambda body: {**body, "transaction_id": body["transaction_id"] + "0"}, 200),
    on=["RestoreTable"],
)
declare(
    "declared-has-versions",
    "A declared table is said to have a version.",
    answers(200, {"versions": [{"version": 1, "manifest_path": "x"}], "version": {"version": 1, "manifest_path": "x"}}),
    on=VERSIONS,
)
