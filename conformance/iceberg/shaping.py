"""The form and the connection of requests in the current world, for the requests of an example's subjects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from conformance.iceberg.forms import CONNECTIONS, ShapedRequest, request_forms
from conformance.iceberg.worlds import CONNECTION, FORM
from conformance.target.target import Target


@dataclass
class Shaping:
    """Gives requests of subjects the form and the connection of the world, with `everything` all requests."""

    target: Target
    separator: str
    everything: bool = False

    def __call__(self, operation: str, request: ShapedRequest, *, typed: bool) -> ShapedRequest:
        """Return the request to send; `typed` is true for one whose content type the caller states."""
        world = self.target.surroundings.world
        if not world or not self._concerns(operation):
            return request
        if form := request_forms().get(world.get(FORM, "")):
            self.target.surroundings.value(FORM)
            document = self.target.document
            request = form.applied(document.operation(operation), document, request, self.separator)
        connect = CONNECTIONS.get(world.get(CONNECTION, ""))
        headers = connect(request, typed) if connect else None
        if headers is not None:
            self.target.surroundings.value(CONNECTION)
            request = replace(request, headers=headers)
        return request

    def spells_ids(self, operation: str) -> bool:
        """True in a form with the ids of all that a commit adds."""
        form = request_forms().get(self.target.surroundings.world.get(FORM, ""))
        if form is None or not form.ids or not self._concerns(operation):
            return False
        return bool(self.target.surroundings.value(FORM))

    @contextmanager
    def of_everything(self) -> Iterator[None]:
        """Shape every request within the block."""
        before, self.everything = self.everything, True
        try:
            yield
        finally:
            self.everything = before

    def _concerns(self, operation: str) -> bool:
        return self.everything or operation in self.target.client.subjects
