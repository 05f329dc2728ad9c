"""The model against the reference server's engine: many random commits, and no difference.

`--thorough` tries a hundred thousand, which take a few minutes; `--seeds` says which.
"""

from __future__ import annotations

import logging
import random

import pytest

from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.commit_choices import Choice, requirements, updates
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.staging import stage
from conformance.iceberg.support.table_model import MetadataModel, differences
from conformance.run.session import handshake
from conformance.target.target import connect
from conformance.values.settings import Settings
from lakeproof import check, serve
from tests.amount import amount, seeds
from tests.conformance.different_iceberg import fixed_locations
from tests.conformance.different_server import FREEDOMS, DifferentServer

COMMITS = amount(1500, 100_000)
COMMITS_PER_TABLE = 40


@pytest.fixture(scope="module", params=["memory", "dir"])
def target(request, tmp_path_factory):
    storage = "memory" if request.param == "memory" else f"dir:{tmp_path_factory.mktemp('lake')}"
    with serve("iceberg", storage=storage) as server:
        target = connect(Settings(server=server.url, api="iceberg"))
        handshake(target)
        yield target


@pytest.mark.parametrize("seed", seeds((1,)))
def test_random_commits_leave_what_the_model_predicts(target, seed):
    chooser = random.Random(seed)
    catalog = IcebergCatalog(target)
    statuses = {200: 0, 400: 0, 409: 0}
    while sum(statuses.values()) < COMMITS:
        catalog.begin_example()
        for status in commits_to_one_table(catalog, chooser):
            statuses[status] += 1
        catalog.sandbox.clean_up()
    logging.getLogger(__name__).info("commits by status: %s", statuses)
    assert all(count > COMMITS / 50 for count in statuses.values()), statuses


def commits_to_one_table(catalog, chooser):
    """Commit to a new table again and again, compare, and return the statuses."""
    id = catalog.new_table(schema=SCHEMA, properties={"format-version": chooser.choice(["2", "3"])})
    choice = Choice(chooser.choice, catalog.revision, stage(catalog, id))
    metadata = catalog.metadata(id)
    for _ in range(COMMITS_PER_TABLE):
        before = MetadataModel.of(metadata)
        wanted, after = updates(before, choice)
        claims, hold = requirements(metadata, before, choice)
        answer = catalog.update_table(id, wanted, claims, expect=None)
        allowed = ({400} if after is None else set()) | (set() if hold else {409})
        assert answer.status in (allowed or {200}), (answer, wanted, claims, before)
        if not allowed:
            shown = answer["metadata"]
            assert not differences(after, MetadataModel.of(shown)), (wanted, before)
            metadata = shown
        yield answer.status
    assert catalog.metadata(id) == metadata


def test_where_a_table_may_lie_the_server_decides(tmp_path):
    freedoms = [FREEDOMS[fixed_locations.__name__]]
    with serve("iceberg") as server, DifferentServer(server.url, "iceberg", freedoms) as different:
        results, _ = check(different.url, api="iceberg", select="iceberg.model.commits", report=str(tmp_path))
    assert {result.verdict for result in results.requirements} == {"pass"}
