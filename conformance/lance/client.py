"""The operations of the Lance Namespace as methods (see OperationClient), and their general form.

Identifiers are sequences of names, the empty one is the root; a string is sent as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.http.client import Answer, Expected
from conformance.http.operation_client import Headers, Id, Query
from conformance.lance.methods import LanceMethods
from conformance.lance.support.arrow import STREAM_TYPE
from specs.lance.identifiers import DELIMITER, join_parts

SUCCESS = 200

__all__ = ["Id", "LanceClient"]


class LanceClient(LanceMethods, api="lance"):
    """See the module."""

    def send(
        self,
        operation: str,
        id: Id | None,
        body: Any = None,
        *,
        query: Query | None = None,
        path: Mapping[str, str] | None = None,
        delimiter: str = DELIMITER,
        data: bytes | None = None,
        expect: Expected = SUCCESS,
        **options: Any,
    ) -> Answer:
        """Send an operation on an object: `body` as JSON or `data` as an Arrow stream.

        `path` names what lies below the object, or wins over its id. `options` are those of Client.call.
        """
        arguments = self.arguments(id, body, query=query, path=path, delimiter=delimiter, data=data)
        return self.client.call(operation, expect=expect, **{**arguments, **options})

    def arguments(
        self,
        id: Id | None,
        body: Any = None,
        *,
        query: Query | None = None,
        path: Mapping[str, str] | None = None,
        delimiter: str = DELIMITER,
        data: bytes | None = None,
    ) -> dict[str, Any]:
        """Return what Client.call takes to send an operation; see `send`."""
        named = {} if id is None else {"id": id if isinstance(id, str) else join_parts(id, delimiter)}
        extra = {} if delimiter == DELIMITER else {"delimiter": delimiter}
        content = {"json": body} if data is None else {"body": data, "content_type": STREAM_TYPE}
        return {"path": {**named, **(path or {})}, "query": {**extra, **(query or {})}, **content}

    def successes(self, operation: str) -> list[int]:
        """See OperationClient: what a skipped drop answers is a success that a call has to ask for."""
        return [SUCCESS]

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
        """See OperationClient."""
        body = {"data": content} if isinstance(content, bytes) else {"body": content}
        below = {name: value for name, value in path.items() if name != "id"}
        return self.send(operation, path.get("id"), query=query, path=below, headers=headers, expect=expect, **body)
