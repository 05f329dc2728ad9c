"""Probes of any API before a run: recognition of the server, creation of namespaces, pages of listings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from conformance.target.capabilities import IN_PAGES, PAGES, WHOLE

from conformance.author.catalog import Catalog
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object

NO_ENTRY = (401, 403)  # what those are told who have no credentials
NOT_IMPLEMENTED = 501


def first_recognised(asks: Iterable[Callable[[], Exchange]], recognises: Callable[[Exchange], bool]) -> Exchange:
    """Ask in turn until an answer shows what the server is; return that answer, the first one where none does.

    A server is recognised by the least: an answer that is not as the document says is for requirements to find. What
    explains why nothing can be recognised is returned at once: no answer, a redirect, no entry, a failure.
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
    """True when nothing else has to be asked of a server that answers the first request like this."""
    status = answer.status
    return not status or 300 <= status < 400 or (status >= 500 and status != NOT_IMPLEMENTED)


def created(catalog: Catalog, *levels: str) -> bool:
    """Make a namespace of the run, with these levels below what it was given; True when the server did it."""
    catalog.begin_example()
    catalog.inventory.ask(partial(catalog.try_namespace, (*catalog.base, *levels)))
    return any(step.status == 200 for step in catalog.target.client.steps)


def note_pages(catalog: Catalog, first: Callable[[], object]) -> None:
    """Note whether listings come in pages: `first` asks for one of the namespaces, of which there are two at least."""
    if created(catalog, f"{catalog.target.prefix}other"):
        catalog.inventory.ask(first)
        token = read_object(catalog.target.client.steps[-1].response_body).get(catalog.inventory.next_page)
        catalog.target.capabilities[PAGES] = IN_PAGES if token else WHOLE
