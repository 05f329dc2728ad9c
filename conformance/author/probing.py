"""Probes of any API before a run: recognition of the server, creation of namespaces, pages of listings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from conformance.author.catalog import Catalog
from conformance.http.transport import NOT_UP
from conformance.target.capabilities import (
    CUT,
    FLAT,
    IN_PAGES,
    LARGER,
    NESTED,
    NESTING,
    NONE,
    PAGES,
    UNSEEN,
    WHOLE,
)
from conformance.target.standing import Standing
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object
from conformance.values.resources import NAMESPACE, Resource

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
    return any(step.succeeded for step in catalog.target.client.steps)


def find_nesting(catalog: Catalog) -> str:
    """Create a namespace and one in it: return NESTED, FLAT without the second or NONE without the first.

    The evidence becomes a capability. A creation that is acknowledged counts: requirements test its effect.
    """
    outer, facts = f"{catalog.target.prefix}nest", catalog.target.capabilities
    for levels, without, of in (((outer,), NONE, ""), ((outer, "inner"), FLAT, " for a namespace in another")):
        if not created(catalog, *levels):
            facts[NESTING] = f"{_answer(catalog.target.client.steps)}{of}"
            return without
    inner = Resource(NAMESPACE, (*catalog.base, outer, "inner"))
    inventory = catalog.inventory
    looks = (inventory.look(name, inner) for name in filter(inventory.may_offer, inventory.looks[NAMESPACE]))
    there = any(look.succeeded for look in looks if look) or inner in inventory.inside(
        Resource(NAMESPACE, inner.id[:-1])
    )
    facts[NESTING] = "" if there else UNSEEN
    return NESTED


def _answer(steps: Sequence[Exchange]) -> str:
    """Return the last answer in words."""
    if not steps:
        return "no request was sent"
    return f"{steps[-1].operation} returned {steps[-1].status or steps[-1].failure}"


def note_pages(catalog: Catalog, first: Callable[[], object]) -> None:
    """Note whether listings have pages. `first` requests a page of one namespace, while the run has created several.

    An answer that is no listing says nothing, nor does one while the run has created fewer than two.
    """
    sandbox, depth = catalog.target.sandbox, len(catalog.base) + 1
    created(catalog, f"{catalog.target.prefix}other")
    made = {
        resource.id[-1]
        for resource, standing in sandbox.noted.items()
        if resource.kind == NAMESPACE and standing is Standing.MADE and len(resource.id) == depth
    }
    if len(made) > 1:
        catalog.inventory.ask(first)
        page = read_object(catalog.target.client.steps[-1].response_body)
        listed = page.get("namespaces")
        if isinstance(listed, list):
            names = {str(name[-1] if isinstance(name, list) and name else name) for name in listed}
            whole = WHOLE if made <= names else CUT
            paged = IN_PAGES if len(listed) <= 1 else LARGER
            catalog.target.capabilities[PAGES] = paged if page.get(catalog.inventory.next_page) else whole
