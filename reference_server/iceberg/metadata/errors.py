"""What can be wrong with metadata and with what is asked of them, as one tree.

MetadataError
├── StaleCommit             409: true when it was written, overtaken since; load again and retry
│   ├── RequirementFailed   a requirement of the commit does not hold
│   └── StaleUpdate         an update builds on a number that has moved on
└── InvalidMetadata         400: wrong in itself; it stays wrong however often it is sent
    ├── InvalidUpdate       an update that is unknown, malformed or not allowed
    └── InvalidRequirement  a requirement that is unknown, malformed or not for this kind of object

The numbers are what the HTTP layer answers; nothing here knows HTTP.
"""

from __future__ import annotations


class MetadataError(Exception):
    """Metadata cannot be made, changed or read; the message is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class StaleCommit(MetadataError):
    """Somebody else committed first."""


class RequirementFailed(StaleCommit):
    """The metadata are not in the state that the commit requires."""


class StaleUpdate(StaleCommit):
    """A sequence number or row id is behind the table's; a retry on fresh metadata can work."""


class InvalidMetadata(MetadataError):
    """The document, or a part of it, breaks a rule."""


class InvalidUpdate(InvalidMetadata):
    """An update that cannot be applied, now or later."""


class InvalidRequirement(InvalidMetadata):
    """A requirement that cannot be checked."""
