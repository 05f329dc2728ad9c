"""Declaring and running requirements."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import pytest
from hypothesis import strategies as st

from conformance.author import requirement
from conformance.author.requirement import given, must, should


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    registry = {}
    monkeypatch.setattr(requirement, "REQUIREMENTS", registry)
    return registry


class FakeSuite:
    """Runs a test as the suite does, with one example."""

    def as_documented(self, value):
        return value

    def run(self, test, fixtures, strategies):
        self.called = (test, fixtures, set(strategies))


def test_the_docstring_is_the_statement(registry):
    @must("lance.a.b", operations=["ListTables"], clause="c")
    def test_one(catalog):
        """The first line is the statement.

        The rest is not.
        """

    declared = registry["lance.a.b"]
    assert (declared.level, declared.statement, declared.kind) == (
        "MUST",
        "The first line is the statement.",
        "behaviour",
    )
    assert (declared.api, declared.resource) == ("lance", "a")


def test_cases_are_requirements_of_their_own(registry):
    @should("lance.a.{}", operations=lambda case: [case], clause="c", each={"x_y": "ListTables", "z": "DropTable"})
    def test_each(catalog, case):
        """It holds for {}."""

    assert [(declared.id, declared.statement, declared.operations) for declared in registry.values()] == [
        ("lance.a.x_y", "It holds for x y.", ("ListTables",)),
        ("lance.a.z", "It holds for z.", ("DropTable",)),
    ]


def test_a_case_says_what_a_requirement_is_about(registry):
    cases = {"a": SimpleNamespace(id="ListTables"), "b": SimpleNamespace(id="both", operations=["Drop", "Rename"])}

    @must("lance.{}.gone", clause="drop-{}", each=cases)
    def test_each(catalog, case):
        """It holds for {}."""

    assert [(declared.id, declared.operations, declared.clause) for declared in registry.values()] == [
        ("lance.a.gone", ("ListTables",), "drop-a"),
        ("lance.b.gone", ("Drop", "Rename"), "drop-b"),
    ]


def test_an_id_belongs_to_one_test():
    @must("lance.a.b", operations=[], clause="c")
    def test_one():
        """One."""

    with pytest.raises(ValueError, match="declared twice"):

        @must("lance.a.b", operations=[], clause="c")
        def test_other():
            """Other."""


def test_unknown_kinds_are_refused():
    with pytest.raises(ValueError, match="unknown kind"):
        must("lance.a.b", operations=[], clause="c", kind="guess")


def test_ids_have_one_form():
    with pytest.raises(ValueError, match="an id is lowercase"):

        @must("lance.a.{}", operations=[], clause="c", each={"S3": None})
        def test_each(case):
            """It holds for {}."""


def test_drawn_arguments_are_not_fixtures():
    @must("lance.a.b", operations=[], clause="c")
    @given(number=st.integers())
    def test_one(catalog, number):
        """One."""

    assert list(inspect.signature(test_one).parameters) == ["suite", "catalog"]
    suite = FakeSuite()
    test_one(suite=suite, catalog="catalog")
    assert suite.called[1:] == ({"catalog": "catalog"}, {"number"})
