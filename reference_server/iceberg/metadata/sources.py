"""The column that a partition field or a sort field is computed from."""

from __future__ import annotations

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json, integer, integers, optional

SOURCE, SOURCES = "source-id", "source-ids"


def with_source(field: Json) -> Json:
    """Return a field with its column in `source-id`, whichever of the two fields of format version 3 has it.

    A transform of one argument has no `source-ids` in the table specification, but writers send a list of one. Raises
    InvalidMetadata for a transform of several columns, of which there is none yet.
    """
    sources = optional(integers, field, SOURCES)
    if sources is None or (SOURCE in field and sources != [field[SOURCE]]):
        integer(field, SOURCE)
        return field
    if len(sources) != 1:
        raise InvalidMetadata(f"{SOURCES} must have one column, not {len(sources)}: no transform takes several.")
    return {SOURCE: sources[0], **{key: value for key, value in field.items() if key != SOURCES}}
