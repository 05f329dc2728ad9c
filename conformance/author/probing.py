"""Probes of any API before a run: recognition of the server, creation of namespaces, pages of listings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from conformance.author.catalog import Catalog
from conformance.target.capabilities import IN_PAGES, PAGES, WHOLE
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object

NO_ENTRY = (401, 403)  # statuses for a caller without credentials
NOT_IMPLEMENTED = 501


def first_recognised(asks: Iterable[Callable[[], Exchange]], recognises: Callable[[Exchange], bool]) -> Exchange:
    """Send requests in turn until an answer identifies the server; return that answer, else the first one.

    Recognition asks for little: requirements find the answers that break the document. An answer that explains a failed
    recognition ends the search: none at all, a redirect, missing credentials, a server error.
    """
    answers: list[Exchange] = []
    for ask in asks:
        answers.append(answer := ask())
        if recognises(answer) or answer.status in NO_ENTRY:
            return answer
        if _explains_itself(answers[0]):
            break
    return answers[0]


def _explains_itself(answer: Exchange) -> bool:
    """True for a first answer after which no other request can help."""
    status = answer.status
    return not status or 300 <= status < 400 or (status >= 500 and status != NOT_IMPLEMENTED)


def created(catalog: Catalog, *levels: str) -> bool:
    """Create a namespace of the run with these levels below the base; return whether it succeeded."""
    catalog.begin_example()
    catalog.inventory.ask(partial(catalog.try_namespace, (*catalog.base, *levels)))
    return any(step.status == 200 for step in catalog.target.client.steps)


def note_pages(catalog: Catalog, first: Callable[[], object]) -> None:
    """Note whether listings are paginated: `first` lists namespaces, at least two of them, with a small page size."""
    if created(catalog, f"{catalog.target.prefix}other"):
        catalog.inventory.ask(first)
        token = read_object(catalog.target.client.steps[-1].response_body).get(catalog.inventory.next_page)
        catalog.target.capabilities[PAGES] = IN_PAGES if token else WHOLE
