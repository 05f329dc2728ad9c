"""registerView and unregisterTable."""

from __future__ import annotations

from conformance.author.checks import text
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import PLACE_REFUSED, TAKEN, same_metadata, type_is
from conformance.iceberg.support.content import view_body
from conformance.iceberg.support.registrations import (
    REFUSED,
    dropped_file,
    dropped_view,
    missing_file,
)
from conformance.iceberg.support.updates import TOUCH

VIEW = ["registerView"]
UNREGISTER = ["unregisterTable"]


@must("iceberg.register.view.same", operations=VIEW, clause="register-view", twin=True)
def test_registered_view_is_the_same(catalog: IcebergCatalog) -> None:
    """registerView returns and stores the metadata of the file."""
    for name in ("v", "w"):  # a server may repeat its answer to the first
        location, before = dropped_view(catalog, name)
        id = catalog.table_id(name)
        answer = catalog.register_view(id, metadata_location=location)
        same_metadata(catalog, answer["metadata"], before, "the metadata of the answer")
        same_metadata(catalog, catalog.view_metadata(id), before, "the metadata of the view")


@must("iceberg.register.view.taken", operations=VIEW, clause="register-view-exists", kind="error")
def test_name_for_view_is_taken(catalog: IcebergCatalog) -> None:
    """registerView on a view's or a table's name returns 409 with type AlreadyExistsException; the owner stays."""
    location, _ = dropped_view(catalog)
    id = catalog.table_id("v")
    catalog.control(lambda: catalog.register_view(id, metadata_location=location))
    before = catalog.view_metadata(id)
    type_is(catalog.register_view(id, metadata_location=location, expect=409), TAKEN)
    same_metadata(catalog, catalog.view_metadata(id), before, "the metadata of the view")
    catalog.drop_view(id)
    table = catalog.new_table("v")
    type_is(catalog.register_view(id, metadata_location=location, expect=409), TAKEN)
    catalog.load_table(table)


@must("iceberg.register.view.namespace_missing", operations=VIEW, clause="register-view-no-namespace", kind="error")
def test_missing_namespace_of_view(catalog: IcebergCatalog) -> None:
    """registerView in a missing namespace returns 404 with type NoSuchNamespaceException, or 400 or 403 for the place.

    The file lies in another namespace.
    """
    location, _ = dropped_view(catalog)
    id = (*catalog.missing_namespace(), "v")
    refused = catalog.register_view(id, metadata_location=location, expect=(404, *PLACE_REFUSED))
    if refused.status == 404:
        type_is(refused, "NoSuchNamespaceException")


@must("iceberg.register.view.bad_file", operations=VIEW, clause="register-view-no-file", kind="error")
def test_bad_view_file(catalog: IcebergCatalog) -> None:
    """registerView with a missing file or a table's file returns 400, 403, 404 or 422 and creates no view."""
    location = catalog.create_view(catalog.table_id("v"), **view_body(catalog.home))["metadata-location"]
    id = catalog.table_id("new")
    for bad in (missing_file(str(location)), dropped_file(catalog)):
        catalog.register_view(id, metadata_location=bad, expect=REFUSED)
        catalog.load_view(id, expect=404)


# Unregistering


@must("iceberg.unregister.answer", operations=UNREGISTER, clause="unregister-table-answer")
def test_answer_is_the_last_state(catalog: IcebergCatalog) -> None:
    """unregisterTable returns the metadata of the last commit and their metadata-location."""
    id = catalog.new_table()
    last = catalog.update_table(id, [TOUCH])
    answer = catalog.unregister_table(id)
    same_metadata(catalog, answer["metadata"], last["metadata"], "the metadata of the answer")
    text(answer["metadata-location"], "the metadata-location of the answer")


@must("iceberg.unregister.commits", operations=[*UNREGISTER, "updateTable"], clause="unregister-table-commits")
def test_commits_fail_afterwards(catalog: IcebergCatalog) -> None:
    """updateTable on an unregistered table returns 404."""
    id = catalog.new_table()
    catalog.unregister_table(id)
    catalog.update_table(id, [TOUCH], expect=404)
