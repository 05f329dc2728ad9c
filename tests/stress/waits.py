"""Requests that cost a server much, one at a time, and how long another client waits meanwhile."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import click
import urllib3
from rich.console import Console
from rich.progress import Progress

from tests.reference_server.costly import Costly
from tests.reference_server.iceberg import costly as iceberg
from tests.reference_server.lance import costly as lance
from tests.reference_server.polaris import costly as polaris
from tests.reference_server.served import Served
from tests.stress.other_client import OtherClient, Seen
from tests.stress.servers import DIRECTORY, STORAGES, under_stress

APIS = {"iceberg": iceberg, "lance": lance, "polaris": polaris}
LONGEST = 1.0  # seconds that another client may wait
NOTHING = Costly("nothing: what the machine does", "GET", "/")
LATER = 0.3  # seconds after an answer: what the request left may still run
NONE = 0  # the status of a request without an answer
BUG = 500
HEAD = f"{'api':8} {'request':45} {'status':>6} {'its time':>9} {'CPU':>8} {'other waits':>11} {'answers':>8}"
MEMORY = f" {'MB before':>10} {'after':>6}"


class Row(NamedTuple):
    """A request and what came of it: times in seconds, memory of the server in MB.

    `cpu` is what the server has computed meanwhile, on a busy machine the better figure.
    """

    api: str
    name: str
    status: int
    taken: float
    cpu: float
    other: Seen
    before: int
    after: int

    @property
    def bad(self) -> bool:
        """Whether it kept the other client waiting, or found a bug."""
        return self.other.longest > LONGEST or self.status in (NONE, BUG)

    def line(self, *, memory: bool) -> str:
        """Return the row as a line of the table."""
        figures = f"{self.taken:8.2f}s {self.cpu:7.2f}s {self.other.longest * 1000:8.0f} ms {self.other.answers:8}"
        return f"{self.api:8} {self.name:45.45} {self.status:6} {figures}" + (
            f" {self.before:10} {self.after:6}" if memory else ""
        )


@click.command()
@click.option("--api", "apis", type=click.Choice(list(APIS)), multiple=True, help="Only this API; repeatable.")
@click.option("--storage", type=click.Choice(STORAGES), default=DIRECTORY, show_default=True, help="Of the servers.")
@click.option("-k", "select", default="", metavar="WORD", help="Only requests whose name has this word.")
@click.option("--memory", is_flag=True, help="Also the memory of the server before and after each request.")
def waits(apis: tuple[str, ...], storage: str, select: str, memory: bool) -> None:
    """Measure how long a client waits, who asks 50 times a second, while a server has each of these requests.

    Exit code 1 where it waits for more than a second, and for an answer 500 or none at all.
    """
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(HEAD + MEMORY if memory else HEAD)
    rows = []
    with Progress(console=console, transient=True) as progress:
        for row in _rows(apis or tuple(APIS), storage, select, progress):
            console.print(row.line(memory=memory), style="red" if row.bad else None)
            rows.append(row)
    worst = max((row.other.longest for row in rows), default=0.0)
    console.print(f"{len(rows)} requests; the longest wait of the other client was {worst * 1000:.0f} ms")
    sys.exit(any(row.bad for row in rows))


def _rows(apis: tuple[str, ...], storage: str, select: str, progress: Progress) -> Iterator[Row]:
    for api in apis:
        with under_stress(api, storage) as (server, folder):
            task = progress.add_task(api, total=None)
            requests = APIS[api].costly_requests(server, folder)
            first = next(requests)  # who prepares the server may sign in
            with OtherClient(server) as other:
                yield _measured(api, server, NOTHING, other)
                for request in chain([first], requests):
                    progress.update(task, description=f"{api}: {request.name}")
                    if select in request.name:
                        request.prepare(server)
                        yield _measured(api, server, request, other)
            progress.remove_task(task)


def _measured(api: str, server: Served, request: Costly, other: OtherClient) -> Row:
    before, computed = server.resident(), server.computed()
    other.seen()
    begin = time.monotonic()
    try:
        status = request.send(server).status
    except urllib3.exceptions.HTTPError:
        status = NONE
    taken = time.monotonic() - begin
    time.sleep(LATER)
    seen = other.seen()
    return Row(api, request.name, status, taken, server.computed() - computed, seen, before, server.resident())
