"""sendNotification: an external catalog follows changes of its tables in another catalog."""

from __future__ import annotations

from dataclasses import replace

from conformance.author.checks import equal
from conformance.author.requirement import must, should
from conformance.iceberg.client import in_prefix
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.support.catalogs import ExternalCatalog, new_outside, readable
from conformance.values.numbers import EXACT, PAST_DOUBLE, PAST_INT

NOTIFY = ["sendNotification"]
ENTERED = {"create": "CREATE", "update": "UPDATE"}
DONE, MISSING = 204, 404


def _enter(outside: ExternalCatalog, kind: str, timestamp: int, location: str) -> None:
    """Register a table by a notification, after creating its namespace if the server returns 404 without it."""
    if outside.notify(kind, timestamp, location, expect=(DONE, MISSING)).status == MISSING:
        outside.tables.create_namespace(outside.namespace)
        outside.notify(kind, timestamp, location)


def _points_to(outside: ExternalCatalog, location: str) -> None:
    equal(outside.tables.load_table(outside.table)["metadata-location"], location, "the metadata-location of the table")


@must("polaris.notification.{}", operations=NOTIFY, clause="notification-entered", each=ENTERED)
def test_notification_enters_a_table(catalog: PolarisCatalog, case: str) -> None:
    """A notification of the type {} registers the table with the metadata file that it names."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    readable(catalog, outside, location)
    _enter(outside, case, 10, location)
    _points_to(outside, location)
    outside.tables.load_namespace_metadata(outside.namespace)


@must("polaris.notification.newer", operations=NOTIFY, clause="notification-entered")
def test_newer_notification(catalog: PolarisCatalog) -> None:
    """A newer CREATE or UPDATE notification sets the metadata file of the table."""
    outside, metadata = new_outside(catalog)
    first, second = outside.write(metadata), outside.write(metadata, 2)
    readable(catalog, outside, first)
    with catalog.client.preparing():
        _enter(outside, "CREATE", 10, first)
    outside.notify("UPDATE", 11, second)
    _points_to(outside, second)
    outside.notify("CREATE", 12, first)
    _points_to(outside, first)


@must("polaris.notification.older", operations=NOTIFY, clause="notification-order", kind="error")
def test_older_notification(catalog: PolarisCatalog) -> None:
    """A notification that is not newer than the last one returns 409 and changes nothing."""
    outside, metadata = new_outside(catalog)
    first, second = outside.write(metadata), outside.write(metadata, 2)
    readable(catalog, outside, first)
    with catalog.client.preparing():
        _enter(outside, "CREATE", 10, first)
    for kind in ENTERED.values():
        for timestamp in (10, 9, 0):
            outside.notify(kind, timestamp, second, expect=409)
            _points_to(outside, first)


STAMPS = (PAST_INT - 2, PAST_INT, EXACT, PAST_DOUBLE)


@must("polaris.notification.large_timestamp", operations=NOTIFY, clause="notification-order", kind="data")
def test_large_timestamps(catalog: PolarisCatalog) -> None:
    """Timestamps beyond 2^53 are compared to the last digit: a newer UPDATE is applied, an equal one returns 409."""
    outside, metadata = new_outside(catalog)
    locations = [outside.write(metadata, number) for number in range(1, len(STAMPS) + 1)]
    readable(catalog, outside, locations[0])
    with catalog.client.preparing():
        _enter(outside, "CREATE", STAMPS[0], locations[0])
    for timestamp, location in zip(STAMPS[1:], locations[1:], strict=True):
        outside.notify("UPDATE", timestamp, location)
        _points_to(outside, location)
    outside.notify("UPDATE", STAMPS[-1], locations[0], expect=409)
    _points_to(outside, locations[-1])


@must("polaris.notification.no_catalog", operations=NOTIFY, clause="notification-catalog", kind="error")
def test_notification_of_a_missing_catalog(catalog: PolarisCatalog) -> None:
    """sendNotification to a catalog that does not exist returns 404."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    readable(catalog, outside, location)
    catalog.control(lambda: _enter(outside, "CREATE", 10, location))
    nowhere = replace(outside, client=PolarisClient(catalog.client.located(in_prefix(catalog.target.missing_name))))
    nowhere.notify("UPDATE", 11, location, expect=404)


@should("polaris.notification.text", operations=NOTIFY, clause="notification-timestamp-text")
def test_timestamp_as_text(catalog: PolarisCatalog) -> None:
    """sendNotification accepts the timestamp as a string of digits."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    readable(catalog, outside, location)
    outside.notify("CREATE", "10", location)
    outside.notify("UPDATE", "10", location, expect=409)


@should("polaris.notification.drop", operations=NOTIFY, clause="notification-drop")
def test_drop_notification(catalog: PolarisCatalog) -> None:
    """A DROP notification drops the table whatever its timestamp, and a later CREATE may have an older one."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    readable(catalog, outside, location)
    with catalog.client.preparing():
        outside.notify("CREATE", 10, location)
    outside.notify("DROP", 1, location)
    outside.tables.load_table(outside.table, expect=404)
    outside.notify("DROP", 2, location, expect=204)
    outside.notify("CREATE", 3, location)
    _points_to(outside, location)


@should("polaris.notification.validate", operations=NOTIFY, clause="notification-validate")
def test_validation(catalog: PolarisCatalog) -> None:
    """A VALIDATE notification succeeds and creates neither a table nor a namespace."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    readable(catalog, outside, location)
    outside.notify("VALIDATE", 10, location)
    outside.tables.load_namespace_metadata(outside.namespace, expect=404)
    outside.notify("CREATE", 1, location)


@should("polaris.notification.outside", operations=NOTIFY, clause="notification-locations", kind="error")
def test_notification_outside(catalog: PolarisCatalog) -> None:
    """sendNotification with a metadata file outside the allowed locations returns 400 or 403, creating nothing."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    readable(catalog, outside, location)
    for kind in (*ENTERED.values(), "VALIDATE"):
        outside.notify(kind, 10, f"{outside.elsewhere}/1.metadata.json", expect=(400, 403))
    outside.tables.load_namespace_metadata(outside.namespace, expect=404)


@should("polaris.notification.table_outside", operations=NOTIFY, clause="notification-locations", kind="error")
def test_notified_table_outside(catalog: PolarisCatalog) -> None:
    """sendNotification returns 400 or 403 if the table location is not allowed or lacks the metadata file."""
    outside, metadata = new_outside(catalog)
    readable(catalog, outside, outside.write(metadata))
    stray = outside.write(metadata, 2, location=outside.elsewhere)
    beside = outside.put("elsewhere/1.metadata.json", {**metadata, "location": outside.location})
    for location in (stray, beside):
        outside.notify("CREATE", 10, location, expect=(400, 403))
    outside.tables.load_namespace_metadata(outside.namespace, expect=404)


@should("polaris.notification.internal", operations=NOTIFY, clause="notification-internal", kind="error")
def test_notification_to_an_internal_catalog(catalog: PolarisCatalog) -> None:
    """sendNotification to an internal catalog returns 400 and creates nothing."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    readable(catalog, outside, location)
    path = {"namespace": catalog.tables.home, "table": "u"}
    for kind in ("CREATE", "VALIDATE", "DROP"):
        payload = {"table-name": "u", "timestamp": 1, "table-uuid": metadata["table-uuid"]}
        body = {"notification-type": kind, "payload": {**payload, "metadata-location": location}}
        catalog.send("sendNotification", path, body, expect=400)
    catalog.tables.load_table((*catalog.tables.home, "u"), expect=404)


# Several tables


def _second(outside: ExternalCatalog, metadata: dict[str, object]) -> tuple[ExternalCatalog, str]:
    """Return the external catalog with another namespace and its table, and a metadata file of that table."""
    other = replace(outside, namespace=(f"{outside.namespace[0]}-other",), uuid=OTHER_UUID)
    return other, other.write({**metadata, "table-uuid": OTHER_UUID})


OTHER_UUID = "99999999-0000-4000-8000-000000000000"


@must("polaris.notification.per_table", operations=NOTIFY, clause="notification-of-a-table")
def test_timestamps_of_each_table(catalog: PolarisCatalog) -> None:
    """The timestamp of a notification is compared with the last one for its table, not for other tables."""
    outside, metadata = new_outside(catalog)
    location = outside.write(metadata)
    other, elsewhere = _second(outside, metadata)
    readable(catalog, outside, location)
    with catalog.client.preparing():
        _enter(outside, "CREATE", 10, location)
    _enter(other, "CREATE", 5, elsewhere)
    _points_to(other, elsewhere)
    other.notify("UPDATE", 6, elsewhere)
    outside.notify("UPDATE", 9, location, expect=409)


@must("polaris.notification.alone", operations=NOTIFY, clause="notification-of-a-table")
def test_notification_of_one_table(catalog: PolarisCatalog) -> None:
    """Notifications about one table, also of its drop, leave the other tables of the catalog as they are."""
    outside, metadata = new_outside(catalog)
    first, second = outside.write(metadata), outside.write(metadata, 2)
    other, elsewhere = _second(outside, metadata)
    readable(catalog, outside, first)
    with catalog.client.preparing():
        _enter(outside, "CREATE", 10, first)
        _enter(other, "CREATE", 10, elsewhere)
    outside.notify("UPDATE", 11, second)
    _points_to(other, elsewhere)
    outside.notify("DROP", 12, second)
    _points_to(other, elsewhere)


@should("polaris.notification.again", operations=NOTIFY, clause="notification-order", kind="error")
def test_notification_again(catalog: PolarisCatalog) -> None:
    """The same notification sent twice returns 409 the second time, and the table stays as it is."""
    outside, metadata = new_outside(catalog)
    first, second = outside.write(metadata), outside.write(metadata, 2)
    readable(catalog, outside, first)
    with catalog.client.preparing():
        _enter(outside, "CREATE", 10, first)
    outside.notify("UPDATE", 11, second)
    outside.notify("UPDATE", 11, second, expect=409)
    outside.notify("UPDATE", 10, first, expect=409)
    _points_to(outside, second)
