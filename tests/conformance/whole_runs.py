"""Expectations of runs of the whole suite against the reference server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LANCE = (
    "other reasons than a null",  # RegisterTable needs a table that exists
    "does not offer RefreshMaterializedView",  # the query of a view is a text in a form of the client
)
# Why a requirement has nothing to judge on the reference server, as its message says.
UNOFFERED = {
    ("lance", "memory:pure"): ("whose files lie on this machine", *LANCE),  # no suite can stage versions there
    "lance": LANCE,
    "iceberg": (
        "does not offer signRequest",  # these need a warehouse in an object store: see test_s3.py
        "hands out no credentials",
        "brings no credentials",
        "has no token",
        "has no scan-planning-mode",
        "plans while the client waits",
        "without pages",  # and these are for servers that lack something
        "names endpoints",
        "without idempotency keys",
        "no separator but 0x1F",
        "holds the separator",
    ),
    "polaris": (
        "hands out no credentials",  # its requirements are asked in a catalog on files, and by a principal of the run
        "the document has no operation planTableScan",
        "registers no file that lies elsewhere",
        "allows no registerTable in this place",
        "has no token",
        "has no scan-planning-mode",
        "without pages",
        "names endpoints",
        "without idempotency keys",
        "no separator but 0x1F",
        "holds the separator",
    ),
}
EVERYWHERE = ("no response of this run has a Retry-After header",)  # a limit of requests is a fault here
APIS = ("iceberg", "lance", "polaris")
OPEN = {"lance": ("the run has no token",), "iceberg": ("the run has no token", "the run has no credential")}
INSIDE = {"lance": ("stays in the given namespace",)}


def unoffered(api, backend="memory", *, open_to_all=False, inside=False):
    """The reasons for which a run by the settings of an API judges nothing."""
    known = UNOFFERED.get((api, backend), UNOFFERED.get(api, ()))
    return known + EVERYWHERE + (OPEN.get(api, ()) if open_to_all else ()) + (INSIDE.get(api, ()) if inside else ())


def assert_all_met(results, code, reasons):
    """Everything is met, or was not tested for one of the reasons, and nothing stays."""
    others = {id: said for id, said in not_met(results).items() if not any(reason in said for reason in reasons)}
    assert others == {}
    assert results.run.left_behind == []
    assert code == 0


def assert_all_occur(results, reasons):
    """Each of the reasons is one in a run of everything."""
    said = not_met(results).values()
    assert [reason for reason in reasons if not any(reason in message for message in said)] == []


def not_met(results):
    """Return verdict and message of each requirement that did not pass: why a run ended with its exit code."""
    return {entry.id: f"{entry.verdict}: {entry.message}" for entry in results.requirements if entry.verdict != "pass"}


@contextmanager
def unchanged(somebody) -> Iterator[None]:
    """Assert that the objects of somebody are the same after the block."""
    before = somebody.content()
    yield
    assert somebody.content() == before
