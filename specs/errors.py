"""Error bodies of the APIs: the fields by which clients distinguish errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STATUS = "status"
NOT_IMPLEMENTED, NOT_ACCEPTABLE = 501, 406


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """RFC 6901 pointers to the number and the type of an error, "" if an API has no such field.

    `unsupported` describes the response to an operation that the server does not offer: its status, and fields by name.
    """

    code: str = ""
    type: str = ""
    unsupported: Mapping[str, Any] = field(default_factory=dict)

    def read(self, name: str, body: Any) -> Any:
        """Return a field of an error body, None if it is absent."""
        pointer: str = getattr(self, name)
        for part in pointer.split("/")[1:]:
            body = body.get(part) if isinstance(body, Mapping) else None
        return body if pointer else None

    def is_error(self, body: Any) -> bool:
        """True for a body with a number or a type of an error in its place."""
        return any(self.read(name, body) is not None for name in ("code", "type"))

    def says_unsupported(self, status: int, body: Any) -> bool:
        """True if a response reports an unsupported operation exactly as the document requires."""
        if not self.unsupported or status != self.unsupported[STATUS]:
            return False
        fields = {name: value for name, value in self.unsupported.items() if name != STATUS}
        return all(_same(self.read(name, body), value) for name, value in fields.items())

    def refuses_properly(self, status: int, body: Any) -> bool:
        """True if a response reports an unsupported operation properly; without error numbers, with any 4xx status."""
        return self.says_unsupported(status, body) or ("code" not in self.unsupported and 400 <= status < 500)

    def refuses(self, status: int, body: Any) -> bool:
        """True if a response reports an unsupported operation in any form: by its status, or by its error body."""
        fields = {name: value for name, value in self.unsupported.items() if name != STATUS}
        named = any(_same(self.read(name, body), value) for name, value in fields.items())
        return status in (NOT_IMPLEMENTED, NOT_ACCEPTABLE) or (status >= 400 and named)


def _same(actual: Any, expected: Any) -> bool:
    return bool(actual == expected) and isinstance(actual, bool) == isinstance(expected, bool)
