"""Places where clients get fresh credentials for the files of a table, and signatures, as its settings name them."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import at_least
from conformance.common.addresses import call_at
from conformance.http.answers import Answer
from conformance.iceberg.catalog import Names
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.storage import CREDENTIALS
from conformance.values.outcomes import Unoffered

LOAD_CREDENTIALS = "loadCredentials"
REFRESHED_AT = (  # one for each kind of storage
    "client.refresh-credentials-endpoint",
    "gcs.oauth2.refresh-credentials-endpoint",
    "adls.refresh-credentials-endpoint",
)


def check_refresh(tables: IcebergClient, id: Names, loaded: Answer) -> None:
    """Check that each place for fresh credentials that a load names returns credentials of the table.

    Raises Unoffered where the load names none.
    """
    settings = [loaded.get("config") or {}, *(entry["config"] for entry in loaded.get(CREDENTIALS) or [])]
    named = dict.fromkeys((name, str(config[name])) for config in settings for name in REFRESHED_AT if name in config)
    if not named:
        raise Unoffered("the settings of the table name no place for fresh credentials")
    for name, address in named:
        answer = call_at(tables.client, LOAD_CREDENTIALS, address, f"the {name}", path=tables.table_path(id))
        tables.client.check_status(tables.client.steps[-1], 200)
        fresh: list[Any] = answer[CREDENTIALS]
        at_least(len(fresh), 1, f"the number of storage-credentials at the {name}")
