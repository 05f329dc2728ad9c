"""The tables of the warehouse follow from the types of results and exchanges."""

from __future__ import annotations

import pytest

from conformance.values.exchange import Step
from conformance.values.results import Results
from spark_tests.pipeline.columns import column_type, read_type
from spark_tests.pipeline.schema import TABLES, VERSION

OF_RUN = "run_id string, started timestamp, server string, api string, profile string"
VERSION_2 = {
    "verdicts": f"{OF_RUN}, requirement string, level string, kind string, verdict string, message string, "
    "seconds double, requests bigint, blocked_by string, operations array<string>",
    "exchanges": f"{OF_RUN}, operation string, method string, status int, seconds double, failure string",
    "runs": f"{OF_RUN}, url string, software string, depth string, seed bigint, kit string, command string, "
    "interrupted boolean, seconds double, requests bigint, source string",
}


def test_tables_are_those_of_their_version():
    """Tables that exist have these columns: where a type has changed, VERSION has to."""
    written = {
        name: ", ".join(f"{column} {kind}" for column, kind in columns.items()) for name, columns in TABLES.items()
    }
    assert (VERSION, written) == (2, VERSION_2)


@pytest.mark.parametrize(
    ("whole", "path", "kind"),
    [
        (Results, "run.started", "timestamp"),
        (Results, "run.interrupted", "boolean"),
        (Results, "requirements.verdict", "string"),
        (Results, "requirements.blocked_by", "string"),
        (Results, "requirements.operations", "array<string>"),
        (Results, "requirements.clause.id", "string"),
        (Results, "requirements.steps.response.status", "int"),
        (Step, "seconds", "double"),
    ],
)
def test_column_types_follow_fields(whole, path, kind):
    assert column_type(whole, path) == kind


@pytest.mark.parametrize("path", ["run.nothing", "run", "run.id.more", "requirements", "target.settings"])
def test_paths_to_no_column_are_refused(path):
    with pytest.raises(TypeError, match=r"there is no field|cannot have the type"):
        column_type(Results, path)


def test_of_a_file_only_the_wanted_fields_are_read():
    wanted = ["run.id", "requirements.verdict", "requirements.clause.id", "run.seed"]
    assert read_type(Results, wanted) == (
        "run struct<id: string, seed: bigint>, requirements array<struct<verdict: string, clause: struct<id: string>>>"
    )
