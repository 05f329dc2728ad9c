"""createView, loadView, viewExists, dropView, renameView. test_view_commits.py tests replaceView."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, shows, text
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import same_metadata
from conformance.iceberg.support.content import sql, view_body
from conformance.iceberg.support.metadata import by_id, current_version
from conformance.iceberg.worlds import all_but

CREATE = ["createView"]
LOAD = ["loadView"]
EXISTS = ["viewExists"]
DROP = ["dropView"]
METADATA = "the metadata of the view"


@must("iceberg.view.create.definition", operations=[*CREATE, *LOAD], clause="create-view-definition")
def test_definition_comes_back(catalog: IcebergCatalog) -> None:
    """loadView returns SQL texts, dialects, default namespace, default catalog and properties as sent."""
    texts = [sql("SELECT id, name FROM t"), sql("SELECT `id`, 'ü'\nFROM t", "trino"), sql("SELECT 1", "duckdb")]
    body: dict[str, Any] = view_body(catalog.home, *texts)
    body["view-version"]["default-catalog"] = "prod"
    body["properties"] = {"comment": "what it is for"}
    metadata = catalog.view_metadata(catalog.new_view(**body))
    version = current_version(metadata)
    for representation in texts:
        given = by_id(version["representations"], "dialect", representation["dialect"])
        shows(given, representation, "the representation of a dialect in the current version")
    equal(version["default-namespace"], list(catalog.home), "the default-namespace of the current version")
    equal(version.get("default-catalog"), "prod", "the default-catalog of the current version")
    equal(metadata["properties"]["comment"], "what it is for", 'the property "comment"')


@must("iceberg.view.create.schema", operations=CREATE, clause="create-view-schema-id")
def test_version_refers_to_the_schema(catalog: IcebergCatalog) -> None:
    """The version of a new view refers to the requested schema by the schema-id that the server assigned."""
    body: dict[str, Any] = view_body(catalog.home)
    body["schema"]["schema-id"] = 0
    metadata = catalog.view_metadata(catalog.new_view(**body))
    schema = by_id(metadata["schemas"], "schema-id", current_version(metadata)["schema-id"])
    equal([field["name"] for field in schema["fields"]], ["id", "name"], "the columns of the version's schema")


@should("iceberg.view.create.first", operations=CREATE, clause="create-view-first", world=all_but(view=("replaced",)))
def test_new_view_has_one_version(catalog: IcebergCatalog) -> None:
    """A new view has one version, with id 1, and one version-log entry."""
    metadata = catalog.view_metadata(catalog.new_view())
    for name in ("versions", "version-log"):
        equal([entry["version-id"] for entry in metadata[name]], [1], f"the version-ids of {name}")


@must("iceberg.view.create.doubled_dialect", operations=CREATE, clause="view-metadata-dialects", kind="error")
def test_doubled_dialect(catalog: IcebergCatalog) -> None:
    """createView with two SQL texts in one dialect, in any letter case, returns 400."""
    for other in ("spark", "Spark"):
        body = view_body(catalog.home, sql("SELECT 1"), sql("SELECT 2", other))
        catalog.create_view(catalog.table_id("v"), **body, expect=400)
    catalog.control(catalog.new_view)


@must(
    "iceberg.view.create.without_{}",
    operations=CREATE,
    clause="bad-body",
    kind="error",
    each={"schema": "schema", "version": "view-version"},
)
def test_view_without_a_field(catalog: IcebergCatalog, case: str) -> None:
    """createView without the {} returns 400."""
    body = {"name": "v", **view_body(catalog.home)}
    del body[case]
    catalog.send("createView", catalog.namespace_path(catalog.home), body, expect=400)
    catalog.control(catalog.new_view)


@must("iceberg.view.load.whole", operations=LOAD, clause="load-view")
def test_load_shows_everything(catalog: IcebergCatalog) -> None:
    """loadView returns the metadata that createView returned, and a metadata-location."""
    id = catalog.table_id("v")
    created = catalog.create_view(id, **view_body(catalog.home))
    loaded = catalog.load_view(id)
    same_metadata(catalog, loaded["metadata"], created["metadata"], METADATA)
    text(loaded["metadata-location"], "the metadata-location of the view")


@must("iceberg.view.load.location", operations=LOAD, clause="load-view")
def test_location_is_that_of_the_creation(catalog: IcebergCatalog) -> None:
    """loadView returns the metadata-location that createView returned."""
    id = catalog.table_id("v")
    created = catalog.create_view(id, **view_body(catalog.home))
    equal(catalog.load_view(id)["metadata-location"], created["metadata-location"], "the metadata-location of the view")


@must("iceberg.view.load.table", operations=[*LOAD, *EXISTS], clause="load-view-not-found", kind="error", reads=True)
def test_table_is_no_view(catalog: IcebergCatalog) -> None:
    """loadView and viewExists on a table's name return 404."""
    table = catalog.new_table()
    catalog.load_view(table, expect=404)
    catalog.view_exists(table, expect=404)


@should("iceberg.view.load.referenced_by", operations=LOAD, clause="load-table-referenced-by-form", reads=True)
def test_views_that_refer(catalog: IcebergCatalog) -> None:
    """loadView with several comma-separated views in referenced-by returns the same metadata as without."""
    id = catalog.new_view()
    reference = ",".join(catalog.separator.join((*catalog.home, name)) for name in ("outer", "inner"))
    same_metadata(
        catalog, catalog.load_view(id, referenced_by=reference)["metadata"], catalog.view_metadata(id), METADATA
    )


@must("iceberg.view.exists.missing", operations=EXISTS, clause="view-exists", kind="error", reads=True)
def test_missing_view_exists(catalog: IcebergCatalog) -> None:
    """viewExists on a dropped view, or on one that never existed, returns 404."""
    catalog.view_exists(catalog.table_id("missing"), expect=404)
    if catalog.target.read_only:
        return
    id = catalog.new_view()
    catalog.drop_view(id)
    catalog.view_exists(id, expect=404)


@must("iceberg.view.drop.table", operations=DROP, clause="drop-view-not-found", kind="error")
def test_drop_table_as_view(catalog: IcebergCatalog) -> None:
    """dropView on a table's name returns 404, and the table stays."""
    table = catalog.new_table()
    catalog.drop_view(table, expect=404)
    catalog.load_table(table)
