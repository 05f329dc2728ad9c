"""The error body of an API: where it has what clients tell errors apart by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STATUS = "status"
NOT_IMPLEMENTED, NOT_ACCEPTABLE = 501, 406


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """RFC 6901 pointers to the number and the type of an error, "" where an API has no such field.

    `unsupported` is what an answer holds when the server lacks an operation: its status, and fields by name.
    """

    code: str = ""
    type: str = ""
    unsupported: Mapping[str, Any] = field(default_factory=dict)

    def read(self, name: str, body: Any) -> Any:
        """Return a field of an error body, None where it is not there."""
        pointer: str = getattr(self, name)
        for part in pointer.split("/")[1:]:
            body = body.get(part) if isinstance(body, Mapping) else None
        return body if pointer else None

    def says_unsupported(self, status: int, body: Any) -> bool:
        """True when an answer says, as the document wants, that the server lacks the operation."""
        if not self.unsupported or status != self.unsupported[STATUS]:
            return False
        fields = {name: value for name, value in self.unsupported.items() if name != STATUS}
        return all(_same(self.read(name, body), value) for name, value in fields.items())

    def refuses_properly(self, status: int, body: Any) -> bool:
        """True when an answer says so as it should: where errors have no number for it, any status of 4xx will do."""
        return self.says_unsupported(status, body) or ("code" not in self.unsupported and 400 <= status < 500)

    def refuses(self, status: int, body: Any) -> bool:
        """True when an answer says so in any form: by one of the statuses for it, or by what the error body holds."""
        fields = {name: value for name, value in self.unsupported.items() if name != STATUS}
        named = any(_same(self.read(name, body), value) for name, value in fields.items())
        return status in (NOT_IMPLEMENTED, NOT_ACCEPTABLE) or (status >= 400 and named)


def _same(actual: Any, expected: Any) -> bool:
    return bool(actual == expected) and isinstance(actual, bool) == isinstance(expected, bool)
