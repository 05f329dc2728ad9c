"""The quickstart of Apache Polaris through Spark: its published command line decides what a session may do."""

from __future__ import annotations

import pytest
from pyiceberg.exceptions import ForbiddenError

from spark_tests.connectors import SparkCatalog
from tests.clients.polaris_quickstart import NAME, PROFILES, ROWS, quickstart


@pytest.fixture(params=PROFILES)
def start(request, tmp_path):
    with quickstart(request.param, tmp_path) as start:
        yield start


@pytest.fixture
def lake(spark, start):
    """A session of its own in the Spark of this module, in which the catalog has the name that it has in the docs."""
    from spark_tests.session import attach  # noqa: PLC0415 - optional

    session = spark.newSession()
    attach(session, SparkCatalog(NAME, "polaris", f"{start.url}/api/catalog", start.settings()))
    return session


def rows(lake):
    return [row.asDict() for row in lake.sql("SELECT * FROM lake.a.s ORDER BY id").collect()]


def refusal(lake, statement):
    """Return Spark's message for a statement that the server refuses as Forbidden."""
    from spark_tests.scenarios.statements import failure_reason, names  # noqa: PLC0415 - optional

    with pytest.raises(Exception) as refused:
        lake.sql(statement)
    assert "ForbiddenException" in names(refused.value)
    return failure_reason(refused.value)


def test_quickstart(lake, start):
    catalog = start.catalog()
    catalog.create_namespace("a")
    catalog.create_table("a.t", ROWS.schema).append(ROWS)
    lake.sql("CREATE TABLE lake.a.s (id BIGINT, name STRING) USING iceberg")
    lake.sql("INSERT INTO lake.a.s SELECT * FROM lake.a.t")
    assert rows(lake) == ROWS.to_pylist()
    assert catalog.load_table("a.s").scan().to_arrow().sort_by("id").to_pylist() == ROWS.to_pylist()
    start.change("revoke")
    for statement in ("SELECT * FROM lake.a.s", "INSERT INTO lake.a.s VALUES (3, 'c')"):
        assert "is not authorized for op LOAD_TABLE" in refusal(lake, statement)
    with pytest.raises(ForbiddenError, match="is not authorized for op LOAD_TABLE"):
        catalog.load_table("a.s")
    start.change("grant")
    assert rows(lake) == ROWS.to_pylist()
