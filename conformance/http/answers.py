"""Answers as requirements read them: the field that was read last is remembered, and every read is noted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.values.exchange import NO_JSON, Exchange, why_no_json
from conformance.values.json_values import shown, strict, watched
from conformance.values.outcomes import Violation
from conformance.values.redaction import hide_fields
from specs.errors import ErrorBody


class Answer:
    """An answer. Reading a field remembers the field: a failing assertion marks it."""

    def __init__(
        self,
        exchange: Exchange,
        touch: Callable[[Exchange, str], None],
        errors: ErrorBody,
        look: Callable[[Exchange, str], None] | None = None,
    ) -> None:
        """Wrap an exchange. `touch` receives the place read last, `look` every place read in the body."""
        self._exchange = exchange
        self._touch = touch
        self._errors = errors
        self._look = look

    @property
    def exchange(self) -> Exchange:
        """The exchange that returned it."""
        return self._exchange

    @property
    def status(self) -> int:
        """The HTTP status."""
        self._touch(self._exchange, "status")
        return self._exchange.status

    @property
    def succeeded(self) -> bool:
        """True for a 2xx answer, also one with a status that the operation does not declare."""
        self._touch(self._exchange, "status")
        return self._exchange.succeeded

    @property
    def body(self) -> bytes:
        """The body as received."""
        self._touch(self._exchange, "body:")
        return self._exchange.response_body

    @property
    def json(self) -> Any:
        """The body as JSON. Raises Violation when it is not JSON."""
        return self._shown(self._parsed(), "")

    def _parsed(self) -> Any:
        """Return the body as JSON, parsed once for all readers. Raises Violation when it is not JSON."""
        self._touch(self._exchange, "body:")
        value = self._exchange.json(NO_JSON)
        if value is NO_JSON:
            raise Violation(why_no_json(self._exchange.response_body))
        return value

    def _shown(self, value: Any, path: str) -> Any:
        """Return the value at a path of the body, wrapped so that reads of its fields are checked and noted."""
        return watched(value, partial(self._look, self._exchange), path) if self._look else strict(value)

    def header(self, name: str) -> str:
        """Return a header, "" when it is absent."""
        self._touch(self._exchange, f"header:{name}")
        return self._exchange.response_headers.get(name, "")

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field of a JSON object, or the default when it is absent."""
        value = self._parsed()
        self._touch(self._exchange, f"body:/{name}")
        if not isinstance(value, dict):
            raise Violation("the body", relation="equal", expected="a JSON object", actual=shown(value))
        if self._look:
            self._look(self._exchange, f"/{name}")
        return self._shown(value[name], f"/{name}") if name in value else default

    def __getitem__(self, name: str) -> Any:
        """Return a field of a JSON object. Raises Violation when it is absent."""
        value = self.get(name, self)
        if value is self:
            raise Violation(f"the field {shown(name)} of the answer", relation="present")
        return value

    @property
    def code(self) -> Any:
        """The number of an error; None without an error, or in an API without numbers."""
        return self._of_error("code")

    @property
    def type(self) -> Any:
        """The type of an error; None without an error, or in an API without types."""
        return self._of_error("type")

    def _of_error(self, name: str) -> Any:
        pointer: str = getattr(self._errors, name)
        if not pointer:
            return None
        self.get(pointer.split("/")[1])
        self._touch(self._exchange, f"body:{pointer}")
        return self._errors.read(name, self.json)

    def __repr__(self) -> str:
        body = hide_fields(self._exchange.response_body)[:200].decode("utf-8", "replace")
        return f"<{self._exchange.status} {body}>"
