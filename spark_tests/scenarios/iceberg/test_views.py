"""Views by SQL."""

from __future__ import annotations

from conformance.author.checks import contains, equal, exactly, same_items
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-views"
CREATE = ("createView", "loadView")


def new_view(lake: Lake, **properties: str) -> str:
    """Create a table with the rows 1 and 2 and a view of the larger one; return the view's name."""
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS s(x, y)")
    property_list = ", ".join(f"'{name}' = '{value}'" for name, value in {"lp.a": "1", **properties}.items())
    lake.run(
        f"CREATE VIEW {lake.name('v')} TBLPROPERTIES ({property_list}) AS SELECT x, y FROM {lake.name('t')} WHERE x > 1"
    )
    return lake.name("v")


@must("spark.iceberg.view.created", operations=CREATE, clause=CLAUSE, kind="scenario")
def test_create(lake: Lake) -> None:
    """A created view is listed as a view and not as a table, and reads the current rows of its table."""
    view = new_view(lake)
    equal(lake.run(f"SELECT * FROM {view}"), [(2, "b")], "the rows of the view")
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (3, 'c')")
    equal(lake.run(f"SELECT * FROM {view} ORDER BY x"), [(2, "b"), (3, "c")], "the rows of the view after the insert")
    same_items(lake.shown("VIEWS"), ["v"], "the listed views")
    same_items(lake.shown("TABLES"), ["t"], "the listed tables")


@must("spark.iceberg.view.aliased", operations=CREATE, clause=CLAUSE, kind="scenario")
def test_aliases(lake: Lake) -> None:
    """CREATE VIEW with names and comments for columns creates a view with them."""
    lake.run(f"CREATE TABLE {lake.name('t')} USING iceberg AS SELECT 1 AS x")
    lake.run(f"CREATE VIEW {lake.name('v')} (only COMMENT 'the one') AS SELECT x FROM {lake.name('t')}")
    equal(lake.run(f"SELECT only FROM {lake.name('v')}"), [(1,)], "the rows of the view")
    contains(lake.run(f"DESCRIBE {lake.name('v')}"), [("only", "int", "the one")], "the columns of the view")


@must("spark.iceberg.view.replaced", operations=["replaceView", "loadView"], clause=CLAUSE, kind="scenario")
def test_replace(lake: Lake, catalog: IcebergCatalog) -> None:
    """CREATE OR REPLACE VIEW changes the query of a view and keeps its previous version."""
    view = new_view(lake)
    lake.run(f"CREATE OR REPLACE VIEW {view} AS SELECT y FROM {lake.name('t')} WHERE x = 1")
    equal(lake.run(f"SELECT * FROM {view}"), [("a",)], "the rows of the view")
    exactly(catalog.view_metadata(catalog.table_id("v"))["versions"], 2, "the versions of the view")


@must("spark.iceberg.view.properties", operations=["replaceView", "loadView"], clause=CLAUSE, kind="scenario")
def test_properties(lake: Lake) -> None:
    """Setting and removing properties of a view does not change its rows."""
    view = new_view(lake, **{"lp.b": "1"})
    lake.run(f"ALTER VIEW {view} SET TBLPROPERTIES ('lp.c' = '3')")
    lake.run(f"ALTER VIEW {view} UNSET TBLPROPERTIES ('lp.b')")
    properties = lake.properties(view)
    remaining = {name: properties.get(f"lp.{name}") for name in "abc"}
    equal(remaining, {"a": "1", "b": None, "c": "3"}, "the properties lp.a, lp.b and lp.c of the view")
    equal(lake.run(f"SELECT * FROM {view}"), [(2, "b")], "the rows of the view")


@must("spark.iceberg.view.renamed", operations=["renameView", "loadView"], clause=CLAUSE, kind="scenario")
def test_rename(lake: Lake) -> None:
    """A renamed view is listed and read only under its new name."""
    view = new_view(lake)
    lake.run(f"ALTER VIEW {view} RENAME TO {lake.name('w')}")
    equal(lake.run(f"SELECT * FROM {lake.name('w')}"), [(2, "b")], "the rows of the renamed view")
    same_items(lake.shown("VIEWS"), ["w"], "the listed views")


@must("spark.iceberg.view.dropped", operations=["dropView"], clause=CLAUSE, kind="scenario")
def test_drop(lake: Lake) -> None:
    """A dropped view is not listed and cannot be read, and its table stays."""
    view = new_view(lake)
    lake.run(f"DROP VIEW {view}")
    lake.refused(f"SELECT * FROM {view}", "TABLE_OR_VIEW_NOT_FOUND")
    same_items(lake.shown("VIEWS"), [], "the listed views")
    equal(lake.value(f"SELECT count(*) FROM {lake.name('t')}"), 2, "the number of rows of the table")


@must("spark.iceberg.view.on-a-view", operations=CREATE, clause=CLAUSE, kind="scenario")
def test_view_on_view(lake: Lake) -> None:
    """A view on a view can be read, also from a session with another current namespace."""
    view = new_view(lake)
    lake.run(f"CREATE VIEW {lake.name('w')} AS SELECT x * 10 AS z FROM {view}")
    equal(lake.another().run(f"SELECT * FROM {lake.name('w')}"), [(20,)], "the rows of the view on the view")


@must("spark.iceberg.view.exists", operations=["createView", "createTable"], clause=CLAUSE, kind="scenario")
def test_exists(lake: Lake) -> None:
    """Creating a view under the name of a view or a table, or a table under the name of a view, is rejected."""
    view = new_view(lake)
    exists = ("VIEW_ALREADY_EXISTS", "TABLE_OR_VIEW_ALREADY_EXISTS", "AlreadyExistsException")
    lake.refused(f"CREATE VIEW {view} AS SELECT 1 AS x", *exists)
    lake.refused(f"CREATE VIEW {lake.name('t')} AS SELECT 1 AS x", *exists, "EXPECT_VIEW_NOT_TABLE")
    lake.refused(f"CREATE TABLE {view} (x INT) USING iceberg", *exists)
    lake.run(f"CREATE VIEW IF NOT EXISTS {view} AS SELECT 1 AS x")
    equal(lake.run(f"SELECT * FROM {view}"), [(2, "b")], "the rows of the view")
