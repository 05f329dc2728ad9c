"""Operations of the Lance Namespace as methods (see OperationClient), and the general call behind them.

Identifiers are sequences of names, the empty one is the root; a string is sent unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.http.operation_client import DECLARED, Headers, Id, Query
from conformance.lance.methods import LanceMethods
from specs.lance.identifiers import DELIMITER, join_parts

STREAM_TYPE = "application/vnd.apache.arrow.stream"

SUCCESS = 200
OTHER_SUCCESSES = {"CreateMaterializedView": 201, "RefreshMaterializedView": 202, "AlterTableBackfillColumns": 202}

__all__ = ["STREAM_TYPE", "Id", "LanceClient"]


class LanceClient(LanceMethods, api="lance"):
    """Client of the Lance Namespace."""

    def send(
        self, operation: str, id: Id | None, body: Any = None, *, expect: Expected = DECLARED, **options: Any
    ) -> Answer:
        """Send an operation on an object; `options` are those of `arguments`."""
        wanted = self.successes(operation)[0] if expect is DECLARED else expect
        return self.client.call(operation, expect=wanted, **self.arguments(id, body, **options))

    def arguments(
        self,
        id: Id | None,
        body: Any = None,
        *,
        query: Query | None = None,
        path: Mapping[str, str] | None = None,
        delimiter: str = DELIMITER,
        data: bytes | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Return the arguments of Client.call: `body` as JSON or `data` as an Arrow stream, sent to an object.

        `path` has further path parameters, or replaces the id. `options` are those of Client.call.
        """
        named = {} if id is None else {"id": id if isinstance(id, str) else join_parts(id, delimiter)}
        extra = {} if delimiter == DELIMITER else {"delimiter": delimiter}
        content = {"json": body} if data is None else {"body": data, "content_type": STREAM_TYPE}
        return {"path": {**named, **(path or {})}, "query": {**extra, **(query or {})}, **content, **options}

    def successes(self, operation: str) -> list[int]:
        """Return the success status of an operation. A requirement that also accepts 204 says so itself."""
        return [OTHER_SUCCESSES.get(operation, SUCCESS)]

    def transmit(
        self,
        operation: str,
        path: Mapping[str, Any],
        content: Any,
        *,
        query: Query,
        headers: Headers | None,
        expect: Expected,
    ) -> Answer:
        """Send an operation by its path parameters: `content` is the JSON body, or an Arrow stream when it is bytes."""
        body = {"data": content} if isinstance(content, bytes) else {"body": content}
        below = {name: value for name, value in path.items() if name != "id"}
        return self.send(operation, path.get("id"), query=query, path=below, headers=headers, expect=expect, **body)
