"""Clauses: where a norm says what they say, and what makes an entry an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from specs.apis import apis
from specs.clauses import Clause, clauses, clauses_of, read_clause
from specs.places import is_link, resolves
from specs.problems import Problem
from specs.profiles import Profile, find_profile, profiles

FILE = Path("clauses.toml")
ENTRY = {
    "id": "create-table",
    "level": "MUST",
    "operations": ["CreateTable"],
    "source": "document",
    "place": ["CreateTable"],
    "text": "CreateTable makes a table.",
}


@pytest.mark.parametrize("api", apis())
def test_every_place_is_there(api: str):
    revisions = [profile for profile in profiles().values() if profile.api == api]
    assert [(clause.id, place) for clause in clauses(api).values() for place in missing(clause, revisions)] == []


def missing(clause: Clause, revisions: list[Profile]) -> list[str]:
    own = [profile for profile in revisions if not clause.revisions or profile.revision in clause.revisions]
    return [place for place in clause.place if not any(resolves(place, profile) for profile in own)]


REVISIONS = [profile for profile in profiles().values() if profile.revision not in profile.facts.dialects]


@pytest.mark.parametrize("profile", REVISIONS, ids=[profile.name for profile in REVISIONS])
def test_every_clause_in_force_has_a_place_in_its_revision(profile: Profile):
    """A clause that only later documents state begins with the first of them."""
    offered = profile.document().operations
    stated = [clause for clause in clauses_of(profile).values() if clause.place and offered.keys() & clause.operations]
    assert [clause.id for clause in stated if not any(resolves(place, profile) for place in clause.place)] == []


def test_places_of_spark_are_links():
    assert [place for clause in clauses("spark").values() for place in clause.place if not is_link(place)] == []


@pytest.mark.parametrize(
    "place",
    [
        "/paths",
        "/components/schemas/PageToken",
        "CreateTable",
        "CreateTable/responses/400",
        "error_codes.toml#/errors/TableNotFound",
        "https://lance.org/format/namespace/rest/catalog-spec/#standard-operations",
    ],
)
def test_a_place_starts_at_the_document_an_operation_or_a_file(place):
    assert resolves(place, find_profile("lance"))


@pytest.mark.parametrize(
    "place",
    ["/components/schemas/Nothing", "CreateNothing", "CreateTable/responses/299", "error_codes.toml#/errors/Nothing"],
)
def test_a_place_that_is_not_there_is_noticed(place):
    assert not resolves(place, find_profile("lance"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"place": []}, "the clause 'create-table' has no `place`."),
        ({"place": [], "level": "SHOULD"}, "the clause 'create-table' has no `place`."),
        ({"source": "sense"}, "the clause 'create-table' is a MUST, but its only source is 'sense'."),
        ({"source": "clients, sense"}, "is a MUST, but its only source is 'clients, sense'."),
        ({"level": "MUSTN'T"}, "the clause 'create-table' has no level."),
        ({"text": "", "source": ""}, "the clause 'create-table' has no source, text."),
    ],
)
def test_what_makes_a_clause_an_error(change, message):
    with pytest.raises(Problem) as refused:
        read_clause(FILE, ENTRY | change)
    assert message in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    "change", [{}, {"source": "document, clients"}, {"level": "SHOULD", "source": "sense", "place": []}]
)
def test_what_makes_a_clause(change):
    assert read_clause(FILE, ENTRY | change).id == "create-table"
