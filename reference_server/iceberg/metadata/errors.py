"""Errors of metadata, of updates and of requirements, as one tree.

MetadataError
├── StaleCommit             409: true when it was written, outdated since; load again and retry
│   ├── RequirementFailed   a requirement of the commit does not hold
│   └── StaleUpdate         an update builds on an outdated number
└── InvalidMetadata         400: invalid in itself; repeating it cannot succeed
    ├── InvalidUpdate       an update that is unknown, malformed or not allowed
    └── InvalidRequirement  a requirement that is unknown, malformed or not for this kind of object

The numbers are the statuses of the HTTP layer; this module knows no HTTP.
"""

from __future__ import annotations


class MetadataError(Exception):
    """Metadata cannot be made, changed or read; the message is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class StaleCommit(MetadataError):
    """Another commit came first."""


class RequirementFailed(StaleCommit):
    """The metadata are not in the state that the commit requires."""


class StaleUpdate(StaleCommit):
    """A sequence number or row id is behind the table's; a retry with fresh metadata can succeed."""


class InvalidMetadata(MetadataError):
    """The document, or a part of it, violates a rule."""


class InvalidUpdate(InvalidMetadata):
    """An update that cannot be applied, now or later."""


class InvalidRequirement(InvalidMetadata):
    """A requirement that cannot be checked."""
