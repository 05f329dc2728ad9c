"""The whole model of an Iceberg catalog."""

from __future__ import annotations

from conformance.common.model.rows import Model
from conformance.iceberg.model import commits, namespaces, staging, tables, transactions, views
from conformance.iceberg.model.kinds import GIVEN, KINDS, named

MODEL = Model(
    "iceberg",
    KINDS,
    [
        *namespaces.COMMANDS,
        *tables.COMMANDS,
        *views.COMMANDS,
        *commits.COMMANDS,
        *transactions.COMMANDS,
        *staging.COMMANDS,
    ],
    [*namespaces.VIEWS, *tables.VIEWS, *views.VIEWS],
    named,
    GIVEN,
)
