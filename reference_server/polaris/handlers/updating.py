"""What the updates of principals, of principal roles and of roles of catalogs have in common."""

from __future__ import annotations

from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities import records
from reference_server.polaris.entities.records import Record
from reference_server.polaris.handlers.bodies import properties_of
from reference_server.polaris.securables import Securable


async def replace_properties(context: ManagementContext, entity: Securable) -> Record:
    """Replace the properties of an entity that has the version which the body is for, and return its record.

    Raises NotFound, and CommitFailed where the entity has another version.
    """
    version, fields = context.body["currentEntityVersion"], {"properties": properties_of(context.body)}
    return await context.commit(lambda transaction: records.update(transaction, entity, version, fields))
