"""Templates: what an API gives, and what it leaves to the template."""

import sys
from dataclasses import dataclass

import pytest

from conformance.apis import requirements
from conformance.author import requirement as module
from conformance.author.requirement import CODE, must, should
from conformance.common.missing import Absent, Missing, missing_is_refused
from conformance.common.template import template
from specs.apis import apis

PLACE = "conformance.lance.requirements.test_things"


@pytest.fixture
def registry(monkeypatch):
    known = {}
    monkeypatch.setattr(module, "REQUIREMENTS", known)
    return known


@dataclass
class Operation:
    id: str


CASES = {"list_tables": Operation("ListTables")}


@template("thing.{}", must, clause="c", kind="error")
def thing(catalog, case):
    """{} does it."""


def test_what_an_api_does_not_give_is_of_the_template(registry):
    thing.declare(PLACE, CASES)
    requirement = registry["lance.thing.list_tables"]
    assert (requirement.level, requirement.kind, requirement.operations, requirement.clause) == (
        "MUST",
        "error",
        ("ListTables",),
        "c",
    )
    assert (requirement.statement, requirement.where) == ("ListTables does it.", f"{PLACE}:test_thing")


def test_an_api_states_it_in_its_own_words(registry):
    thing.declare(PLACE, CASES, id="other.{}", level=should, clause="d", statement="{} did.", needs=["x.{}"])
    requirement = registry["lance.other.list_tables"]
    assert (requirement.level, requirement.clause, requirement.statement, requirement.needs) == (
        "SHOULD",
        "d",
        "ListTables did.",
        ("x.list_tables",),
    )
    assert CODE[requirement.id] is thing.test.__code__


def test_a_case_may_state_it_itself(registry):
    absent = Absent(lambda _: "t", "and code 4", lambda _: None)
    missing_is_refused.declare(PLACE, {"table.drop.missing": Missing("DropTable", "c", "Dropping a table", absent)})
    requirement = registry["lance.table.drop.missing"]
    assert requirement.statement == "Dropping a table that does not exist returns 404 and code 4."
    assert (requirement.operations, requirement.clause, requirement.kind) == (("DropTable",), "c", "error")


@pytest.mark.parametrize("api", apis())
def test_a_requirement_is_where_it_says(api):
    for requirement in requirements(api).values():
        place, _, name = requirement.where.partition(":")
        assert place.startswith(f"conformance.{api}.requirements."), requirement.id
        assert hasattr(sys.modules[place], name), requirement.id
