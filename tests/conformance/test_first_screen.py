"""The end of a run: what to mend first, the steps that show it, and a profile that agrees with what was seen."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from conformance.report.gaps import gaps
from conformance.report.headline import sentence
from conformance.report.html import render_html
from conformance.report.markdown import render_markdown
from conformance.report.pretty import left_out, shown_steps
from conformance.values.evidence import Evidence
from lakeproof import check, serve
from lakeproof.terminal import print_results
from tests.conformance.made_results import result, results
from tests.conformance.proxy import Answer
from tests.conformance.small_servers import Meddler
from tests.ten_minutes.catalog import Handler, IncompleteCatalog

CREATION = {"id": "createTable", "resource": "t", "summary": "s", "state": "offered"}
LOADING = {"id": "loadTable", "resource": "t", "summary": "s", "state": "offered"}
COMMIT = {**LOADING, "id": "updateTable", "state": "missing"}
VIEWS = [{**COMMIT, "id": name} for name in ("createView", "loadView", "listViews", "dropView", "replaceView")]
MENDED = "updateTable is not offered: 30 requirements could not be tested"


def lacking(operation, count):
    return [result("unoffered", name=f"{operation.lower()}{number}", lacks=operation) for number in range(count)]


def judged(*entries):
    made = results(*entries, operations=[CREATION, LOADING, COMMIT, *VIEWS])
    made.target.profile = "iceberg/2026-08"
    return made


def test_a_gap_of_the_core_comes_before_all_causes_and_a_group_left_out_is_none(capsys):
    made = judged(result("fail"), *lacking("createView", 40), *lacking("updateTable", 30), *lacking("loadTable", 1))
    assert gaps(made) == [MENDED]
    print_results(made)
    (cause,) = made.causes
    for text in (capsys.readouterr().out, render_markdown(made), render_html(made).partition("<main>")[2]):
        assert text.index(MENDED) < text.index(cause.sentence.partition(" ")[0])


def marked(count, *marks, operations=("dropTable",)):
    """A finding of so many steps, of which some are marked and the first calls its subject."""
    made = result("fail", operations=list(operations))
    step = msgspec.structs.replace(made.steps[0], mark="", operation="loadTable")
    steps = [msgspec.structs.replace(step, mark="status" if place in marks else "") for place in range(count)]
    return msgspec.structs.replace(made, steps=[msgspec.structs.replace(steps[0], operation="dropTable"), *steps[1:]])


@pytest.mark.parametrize(
    ("entry", "places"),
    [
        (marked(3, 2), [0, 1, 2]),
        (marked(20, 19), [0, 15, 16, 17, 18, 19]),  # the write that the last answer shows
        (marked(20, 3), [0, 1, 2, 3, 4, 19]),  # the last step is the other answer of a flaky finding
        (marked(20, 2, 9, operations=()), [2, 6, 7, 8, 9, 19]),
    ],
)
def test_a_card_shows_the_step_that_fails_and_the_request_whose_effect_it_is(entry, places):
    assert shown_steps(entry) == places
    told = list(left_out(places, len(entry.steps)))
    assert [place for _, place in told if place is not None] == places
    assert sum(missing for missing, _ in told) + len(places) == len(entry.steps)


def test_steps_that_fail_stand_in_the_terminal_and_on_the_page(capsys):
    made = results(marked(20, 3))
    print_results(made)
    assert "  4. GET /v1/x" in capsys.readouterr().out
    assert '<li value="4" class="offending">' in render_html(made)


def test_a_cause_says_how_many_of_its_findings_have_its_level(capsys):
    seen = Evidence(operation="loadTable", aspect="status", statuses=(200,), status=404, request="valid")
    one = result("fail", name="one", evidence=seen)
    others = [result("warn", level="SHOULD", name=f"other{number}", evidence=seen) for number in range(3)]
    made = results(one, *others)
    assert [cause.weight for cause in made.causes] == ["MUST (1 of 4)"]
    print_results(made)
    assert "MUST (1 of 4)  " in capsys.readouterr().out
    assert [cause.weight for cause in results(one).causes] == ["MUST"]


class Listing(Handler):
    """A catalog whose listings of namespaces `shown` makes: from those below the parent, the parent and a page size."""

    def answer(self, method, parts, body):
        if (method, parts) != ("GET", ["namespaces"]):
            return super().answer(method, parts, body)
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        parent = query.get("parent", "")
        below = [name for name in self.server.namespaces if name.rpartition("\x1f")[0] == parent]
        names = self.shown(below, parent, int(query.get("pageSize", 0)))
        return 200, {"namespaces": [name.split("\x1f") for name in names]}

    def shown(self, below, parent, size):
        raise NotImplementedError


class Short(Listing):
    """A listing has as many names as are asked for, and two below a namespace, without a token."""

    def shown(self, below, parent, size):
        return below[: size or len(below)][: 2 if parent else None]


@contextmanager
def serving(handler):
    with IncompleteCatalog() as catalog:
        catalog.RequestHandlerClass = handler
        threading.Thread(target=catalog.serve_forever, args=(0.01,), daemon=True).start()
        yield catalog.url
        catalog.shutdown()


def test_a_listing_that_ends_early_is_not_told_as_whole(tmp_path):
    with serving(Short) as url:
        given: dict[str, Any] = {
            "select": "iceberg.listing.many.list_namespaces",
            "depth": "smoke",
            "world": ("plain",),
        }
        made, code = check(url, api="iceberg", report=str(tmp_path), **given)
    (listings,) = [trait.value for trait in made.target.traits if trait.name == "listings"]
    assert (code, listings.partition(",")[0]) == (1, "cut short")
    assert listings.endswith("but listNamespaces left out objects")
    assert "Loses or shows data: listNamespaces" in sentence(made)


def shows_itself(meddler, handler, _number):
    """Show the parent among the namespaces below it."""
    split = urlsplit(handler.path)
    parent = parse_qs(split.query).get("parent")
    if handler.command != "GET" or not split.path.endswith("/namespaces") or not parent:
        return False
    answer = meddler.ask("GET", handler.path, dict(handler.headers.items()), b"")
    if answer.status == 200:
        page = json.loads(answer.body)
        page["namespaces"].insert(0, parent[0].split("\x1f"))
        answer = Answer(200, answer.headers, json.dumps(page).encode())
    meddler.send(handler, answer)
    return True


def test_a_listing_that_shows_the_namespace_itself_says_nothing_about_separators(tmp_path):
    unit, children = "iceberg.names.separator.unit", "iceberg.listing.namespaces.children"
    with serve("iceberg") as server, Meddler(server.url, shows_itself) as meddled:
        made, _ = check(meddled.url, api="iceberg", select=f"{unit} or {children}", report=str(tmp_path))
    assert {entry.id: entry.verdict for entry in made.requirements} == {unit: "blocked", children: "fail"}
