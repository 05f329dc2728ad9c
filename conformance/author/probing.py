"""Probes of any API before a run: recognition of the server, creation of namespaces, pages of listings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from conformance.author.catalog import Catalog
from conformance.http.transport import NOT_UP
from conformance.target.capabilities import CUT, IN_PAGES, PAGES, WHOLE
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object

NO_ENTRY = (401, 403)  # statuses for requests without valid credentials


def first_recognised(asks: Iterable[Callable[[], Exchange]], recognises: Callable[[Exchange], bool]) -> Exchange:
    """Send requests in turn until an answer identifies the server; return that answer, or the first if none does.

    `recognises` should accept deviations from the document: requirements report them. No answer, a redirect, 401, 403
    or an answer of a server that is not up ends the search, since it explains why the server cannot be recognised; a
    500 may be its answer to an operation that it does not offer.
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
    """True for a first answer that explains why the server cannot be recognised: none, a redirect, or a gateway's."""
    return not answer.status or 300 <= answer.status < 400 or answer.status in NOT_UP


def answered(probe: Exchange) -> str:
    """Return the answer to a probe, as evidence for the state of its operation."""
    return f"returned {probe.status} to a first request" if probe.status else f"no answer ({probe.failure})"


def created(catalog: Catalog, *levels: str) -> bool:
    """Create a namespace with these levels below the base of the run; True when the server created it."""
    catalog.begin_example()
    catalog.inventory.ask(partial(catalog.try_namespace, (*catalog.base, *levels)))
    return any(step.status == 200 for step in catalog.target.client.steps)


def note_pages(catalog: Catalog, first: Callable[[], object]) -> None:
    """Note whether listings have pages. `first` requests a page of one namespace, while at least two exist.

    An answer that is no listing says nothing.
    """
    if created(catalog, f"{catalog.target.prefix}other"):
        catalog.inventory.ask(first)
        page = read_object(catalog.target.client.steps[-1].response_body)
        names = page.get("namespaces")
        if isinstance(names, list):
            whole = WHOLE if len(names) > 1 else CUT
            catalog.target.capabilities[PAGES] = IN_PAGES if page.get(catalog.inventory.next_page) else whole
