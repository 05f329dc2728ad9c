"""Router that is as tolerant as the framework of Polaris.

A slash at the end of a path does not count, and HEAD is answered like GET, without the body, where the document has no
operation of its own for it.
"""

from __future__ import annotations

from reference_server.errors import MethodNotAllowed
from reference_server.routing import Parameters, Router
from specs.openapi import Operation


class TolerantRouter(Router):
    """Router of Polaris' documents."""

    def match(self, method: str, segments: list[str]) -> tuple[Operation, Parameters]:
        """Return the operation and its path parameters; see Router.match."""
        named = segments[:-1] if len(segments) > 1 and not segments[-1] else segments
        try:
            return super().match(method, named)
        except MethodNotAllowed:
            if method != "HEAD":
                raise
            return super().match("GET", named)
