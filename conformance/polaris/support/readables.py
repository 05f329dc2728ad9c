"""Kinds of objects in a catalog that callers read, with requests that create, read and drop one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.http.answers import Answer
from conformance.http.client import Client, Expected
from conformance.http.operation_client import DECLARED
from conformance.iceberg.catalog import REFUSED_NAME
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.worlds import NAMES
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import SINCE, Names
from conformance.polaris.inventory import GENERIC_TABLE
from conformance.polaris.support import policies
from conformance.polaris.support.grants import SECURABLES, Grant
from conformance.values.outcomes import Unoffered

FORMAT = "delta"
DONE, DENIED = (200, 204), 403
REFUSED = (DENIED, 404)  # a server may hide what a caller may not see
NAMESPACE = "namespace"


@dataclass(frozen=True, slots=True)
class ReadableType:
    """Kind of objects: its name in words, its operations, and the privilege with which a caller reads one.

    `create` sends the creation of one, `field` is the path parameter with its name ("" for a namespace), and
    `securable` its kind in a grant. The administrator of the run drops what is `managed`. `since` is the first revision
    that includes it, "" for all.
    """

    id: str
    creates: str
    reads: str
    drops: str
    privilege: str
    securable: str
    field: str
    create: Callable[[PolarisCatalog, Names], Answer]
    managed: bool = False
    since: str = ""

    def named(self, catalog: PolarisCatalog, name: str = "t") -> Names:
        """Return the id of an object of the example; a namespace lies beside the home of the example, others in it."""
        return catalog.tables.table_id(name) if self.field else catalog.tables.namespace_id(name)

    def new(self, catalog: PolarisCatalog, id: Names = ()) -> Names:
        """Create an object as preparation and return its id."""
        id = id or self.named(catalog)
        with catalog.client.preparing():
            self.create(catalog, id)
        return id

    def path(self, id: Names) -> Mapping[str, Any]:
        """Return the path values of an object."""
        return {"namespace": id[:-1], self.field: id[-1]} if self.field else {"namespace": id}

    def grant(self, id: Names) -> Grant:
        """Return the body of a grant that lets a role read an object."""
        return SECURABLES[self.securable].grant(id, self.privilege)

    def read(self, catalog: PolarisCatalog, client: Client, id: Names, *, expect: Expected = DONE) -> Answer:
        """Read an object of the home catalog as a caller."""
        return self.send(catalog, self.reads, client, id, expect=expect)

    def send(self, catalog: PolarisCatalog, operation: str, client: Client, id: Names, *, expect: Expected) -> Answer:
        """Send an operation on an object of this name in the home catalog as a caller."""
        located = catalog.within(catalog.home, client).client
        return PolarisClient(located).send(operation, self.path(id), expect=expect)

    def drop(self, catalog: PolarisCatalog, id: Names) -> None:
        """Drop an object of the home catalog."""
        client = catalog.client if self.managed else catalog.tables.client
        self.send(catalog, self.drops, client, id, expect=DONE)


def new_generic_table(catalog: PolarisCatalog, id: Names, *, expect: Expected = DECLARED, **fields: Any) -> Answer:
    """Send createGenericTable, and note the table for the clean-up.

    Raises Unoffered where the server takes no generic table of such a name as the current world has.
    """
    catalog.tables.sandbox.note(GENERIC_TABLE, [id])
    named = expect is DECLARED and NAMES in catalog.target.surroundings.world
    allowed: Expected = (200, *REFUSED_NAME) if named else expect
    answer = catalog.create_generic_table(id[:-1], expect=allowed, **{"name": id[-1], "format": FORMAT, **fields})
    if named and not answer.succeeded:
        raise Unoffered("the server takes no generic table of such a name")
    return answer


TYPES = {
    "namespace": ReadableType(
        NAMESPACE,
        "createNamespace",
        "loadNamespaceMetadata",
        "dropNamespace",
        "NAMESPACE_READ_PROPERTIES",
        NAMESPACE,
        "",
        lambda catalog, id: catalog.tables.create_namespace(id),
    ),
    "table": ReadableType(
        "table",
        "createTable",
        "loadTable",
        "dropTable",
        "TABLE_READ_PROPERTIES",
        "table",
        "table",
        lambda catalog, id: catalog.tables.create_table(id, SCHEMA),
    ),
    "view": ReadableType(
        "view",
        "createView",
        "loadView",
        "dropView",
        "VIEW_READ_PROPERTIES",
        "view",
        "view",
        lambda catalog, id: catalog.tables.create_view(id, **view_body(id[:-1])),
    ),
    "policy": ReadableType(
        "policy",
        "createPolicy",
        "loadPolicy",
        "dropPolicy",
        "POLICY_READ",
        "policy",
        "policy-name",
        policies.create,
        managed=True,
        since=SINCE,
    ),
    "generic_table": ReadableType(
        GENERIC_TABLE,
        "createGenericTable",
        "loadGenericTable",
        "dropGenericTable",
        "TABLE_READ_PROPERTIES",
        "table",
        "generic-table",
        new_generic_table,
        managed=True,
        since=SINCE,
    ),
}
