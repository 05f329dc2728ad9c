"""Drawn requests, half of them with one thing wrong: how they are answered, and what the server's memory does."""

from __future__ import annotations

import sys
import time
from collections import Counter

import click
import urllib3

from tests.reference_server.drawn_requests import Drawn, drawn_requests
from tests.reference_server.iceberg import drawing as iceberg
from tests.reference_server.lance import drawing as lance
from tests.reference_server.polaris import drawing as polaris
from tests.reference_server.served import Served
from tests.stress.servers import under_stress

APIS = {"iceberg": iceberg, "lance": lance, "polaris": polaris}
PROGRESS = 5.0  # seconds between two lines that say how far it is
NONE = 0  # the status of a request without an answer
CLASSES = (2, 4, 5)
HEAD = ("api", "requests", *(f"{number}xx" for number in CLASSES), "500", "none", "MB: start", "a tenth", "end")


@click.command()
@click.option("--api", "apis", type=click.Choice(list(APIS)), multiple=True, help="Only this API; repeatable.")
@click.option("--count", default=100_000, show_default=True, help="How many requests, shared by the APIs.")
@click.option("--seed", default=0, show_default=True, help="Of the requests.")
@click.option("--seconds", type=float, default=float("inf"), help="End an API after this time, with what was seen.")
def requests(apis: tuple[str, ...], count: int, seed: int, seconds: float) -> None:
    """Send requests, half of them damaged. Exit code 1 for an answer 500, none at all, or a server that ended."""
    rows = []
    chosen = apis or tuple(APIS)
    for api in chosen:
        with under_stress(api) as (server, _):
            rows.append((api, *_send(server, api, seed, count // len(chosen), seconds)))
    for line in (HEAD, *rows):
        click.echo("".join(f"{cell!s:>11}" for cell in line))
    sys.exit(any(row[HEAD.index("500")] or row[HEAD.index("none")] for row in rows))


def _send(server: Served, api: str, seed: int, count: int, seconds: float) -> tuple[int, ...]:
    APIS[api].prepare(server)
    statuses: Counter[int] = Counter()
    memory = [server.resident()]
    begin = reported = time.monotonic()
    for number, request in enumerate(drawn_requests(seed, APIS[api].drawn_request, count), 1):
        statuses[_status(server, api, request)] += 1
        memory.append(server.resident())
        now = time.monotonic()
        if now > reported + PROGRESS:
            reported = now
            click.echo(f"{api}: {number} of {count} requests, {memory[-1]} MB")
        if now > begin + seconds or server.process.poll() is not None:
            break
    of_class = [sum(answers for status, answers in statuses.items() if status // 100 == kind) for kind in CLASSES]
    return (
        statuses.total(),
        *of_class,
        statuses[500],
        statuses[NONE],
        memory[0],
        memory[len(memory) // 10],
        memory[-1],
    )


def _status(server: Served, api: str, request: Drawn) -> int:
    """Send a request and return the status of its answer; those that should not be are told."""
    try:
        answer = request.send(server)
    except urllib3.exceptions.HTTPError as error:
        click.echo(f"{api}: {request}: {error!r}")
        return NONE
    if answer.status == 500:
        click.echo(f"{api}: {request}: {answer.data[:300]!r}")
    return int(answer.status)
