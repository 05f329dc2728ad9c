"""Spark sessions: they take ten seconds to start, and only one runs in a process."""

from __future__ import annotations

import pytest

from specs.problems import Problem


@pytest.fixture(scope="session")
def spark_can_run():
    """Skips where there is no Spark, no Java or no connector, and says which."""
    pytest.importorskip("pyspark", reason="Spark is optional: pip install 'lakeproof[spark]'")
    from spark_tests.connectors import connectable  # noqa: PLC0415 - optional
    from spark_tests.session import SparkSettings, check_spark, spark_settings  # noqa: PLC0415

    try:
        check_spark(SparkSettings())
        spark_settings(SparkSettings(), apis=connectable())
    except Problem as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="module")
def spark(spark_can_run):
    """A session with the connector for Iceberg, to which tests attach catalogs under names of their own."""
    from spark_tests.session import SparkSettings, open_session  # noqa: PLC0415 - optional

    with open_session(SparkSettings(), apis=("iceberg",)) as session:
        yield session
