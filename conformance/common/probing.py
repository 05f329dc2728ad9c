"""What is found out about any server before a run: can namespaces be made, and do listings come in pages?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from conformance.common.catalog import IN_PAGES, PAGES, WHOLE, Catalog
from conformance.json_values import read_object


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
