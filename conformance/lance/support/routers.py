"""What routers make of slashes in a part of a path."""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.checks import one_of
from conformance.http.client import Answer
from conformance.http.routers import is_split
from conformance.values.outcomes import Unoffered
from specs.openapi import JSON_TYPE

SPLITS = "the server's router refuses %2F and %5C, or takes them for the / between two parts of a path, as many do"


def routed(part: str, statuses: tuple[int, ...], send: Callable[..., Answer]) -> Answer:
    """Send a request whose path has a part. Raises Unoffered where a slash in it leads the router astray."""
    if not is_split(part):
        return send(expect=statuses)
    answer = send(expect=(*statuses, 400, 404))
    if answer.status == 404 or (answer.status == 400 and not answer.header("Content-Type").startswith(JSON_TYPE)):
        raise Unoffered(SPLITS)
    one_of(answer.status, statuses, "the status")
    return answer
