"""Worlds: dimensions and their words, the covering choice, given worlds, and conditions of faults by the same names."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import combinations, product

import pytest

from conformance.apis import requirements, suite_part
from conformance.run.drawn_worlds import MAIN, NUMBER, drawn_worlds, given_world
from conformance.target.surroundings import Surroundings
from conformance.values.requirement import Requirement
from conformance.values.settings import Settings
from conformance.values.worlds import Dimension, cells_of_worlds, named, only_in, world_cell
from reference_server.conditions import REGISTERED
from reference_server.serve import api_class
from specs.apis import apis
from specs.problems import Problem
from specs.profiles import find_profile

PLACE = Dimension("place", {"child": "", "root": "in the root", "deep": "three levels deep"})
STATE = Dimension("state", {"new": "", "renamed": "for a renamed table"}, ("*Table",), ("createTable",))
FORM = Dimension("form", {"smallest": "", "spelled": "with optional fields"}, always=True)
DIMENSIONS = (PLACE, STATE, FORM)
OPERATIONS = ("loadTable", "dropTable", "createTable", "loadView")
OF_TRANSACTIONS = {
    (entry.name, value): ("*Transaction",)  # of the table: the request names the transaction
    for entry in suite_part("lance").worlds
    if entry.name in ("place", "names", "state")
    for value in entry.others
}
# Values for which faults have no condition, since the server does not see them in a request, by their operations.
UNSEEN: dict[str, dict[tuple[str, str], tuple[str, ...]]] = {
    "iceberg": {("connection", "small"): ("*",)},  # the letters of header names
    "lance": {
        ("connection", "new"): ("*",),
        **OF_TRANSACTIONS,
        # the root itself, which nobody creates or drops
        ("place", "root"): ("*Transaction", "CreateNamespace", "DropNamespace"),
    },
    "polaris": {
        ("warehouse", "second"): ("*",),  # the order of catalogs
        ("caller", "fresh"): ("*",),  # the age of a token
        ("catalog_kind", "filled"): ("*",),  # tables of a catalog
        ("catalog_kind", "external"): ("createCatalog",),  # of a catalog that is not there yet
        ("catalog_kind", "other_storage"): ("createCatalog",),
        ("own_connection", "each"): ("sendNotification",),
        ("names", "plus"): ("*GenericTable*",),  # no generic table has such a name
        ("names", "case"): ("*GenericTable*",),
    },
}
# Conditions that plain requirements meet, where their operations do not vary in the value.
MET_PLAIN = (
    "state=remade:*",  # of a name that is free again
    "view=remade:*",
    "entity_state=remade:create*",
    "form=delimiter:*",
    "*:registerTable",
    "*:registerView",
)


def requirement(name, *operations, kind="behaviour", **more):
    return Requirement(f"test.{name}", "MUST", kind, operations, "clause", "It holds.", "here", **more)


def some(count=8, **more):
    return [
        requirement(f"{operation}.r{n}".lower(), operation, **more) for operation in OPERATIONS for n in range(count)
    ]


def drawn(entries, dimensions=DIMENSIONS, **settings):
    return drawn_worlds(Settings(**settings), entries, dimensions)


def covered(entries, worlds):
    return {
        (operation, *value)
        for entry in entries
        for world in worlds.get(entry.id, ())
        for operation in entry.operations
        for value in world.items()
    }


# Operations that no twin sees working, and why.
WITHOUT_TWIN: dict[str, dict[str, str]] = {
    "iceberg": {
        "loadFunction": "no operation creates a function",
        "signRequest": "what it signs is a request to another server",
    },
    "lance": {},
    "polaris": {"sendNotification": "servers need not be told of changes elsewhere"},
}
for name in apis():
    api_class(name)  # an API that is imported registers its conditions


def test_the_first_value_is_plain():
    assert (PLACE.plain, PLACE.others) == ("child", ["root", "deep"])
    assert PLACE.bearable({}) == ["root", "deep"]
    assert PLACE.bearable({"place": ("child", "deep"), "state": ("new",)}) == ["deep"]
    assert PLACE.bearable({"place": ("child",)}) == []


def test_a_dimension_touches_the_operations_of_its_patterns():
    assert [STATE.touches(operation) for operation in OPERATIONS] == [True, True, False, False]
    assert all(map(FORM.touches, OPERATIONS))


def test_some_values_concern_fewer_operations():
    form = replace(FORM, only={"spelled": ("create*",)})
    assert (form.values_of("createTable"), form.values_of("loadTable")) == (["spelled"], [])
    assert form.choices(["loadTable", "createTable"], {}) == ["spelled"]
    assert form.choices(["loadTable"], {}) == form.choices(["createTable"], {"form": ("smallest",)}) == []
    assert replace(STATE, fixed_by=("loadTable",)).choices(["loadTable", "dropTable"], {}) == []


def test_a_finding_is_told_in_the_words_of_its_values():
    assert only_in({"place": "root"}, DIMENSIONS) == "only in the root"
    assert only_in({"state": "renamed", "place": "root"}, DIMENSIONS) == "only in the root and for a renamed table"
    world = {"form": "spelled", "state": "renamed", "place": "root"}
    assert only_in(world, DIMENSIONS) == "only in the root, for a renamed table and with optional fields"
    assert named(world) == "form=spelled, place=root, state=renamed"


def test_the_words_of_every_dimension_complete_a_finding():
    for api in apis():
        for dimension in suite_part(api).worlds:
            assert dimension.values[dimension.plain] == ""
            for value in dimension.others:
                assert dimension.values[value][:1].islower(), (api, dimension.name, value)


def test_the_draw_covers_each_value_of_each_operation_and_pairs():
    entries = some()
    worlds = drawn(entries)
    assert covered(entries, worlds) == {
        (operation, dimension.name, value)
        for operation in OPERATIONS
        for dimension in DIMENSIONS
        for value in dimension.others
        if dimension.touches(operation)
    }
    met = {pair for some in worlds.values() for world in some for pair in combinations(sorted(world.items()), 2)}
    assert met == {
        tuple(sorted([(one.name, value), (other.name, another)]))
        for one, other in combinations(DIMENSIONS, 2)
        for value, another in product(one.others, other.others)
    }


def test_the_draw_follows_from_the_seed_and_the_requirements_alone():
    entries = some()
    assert drawn(entries) == drawn(list(reversed(entries)))
    assert drawn(entries) == drawn(entries, seed=0)
    assert any(drawn(entries) != drawn(entries, seed=seed) for seed in range(1, 4))


def test_no_world_has_a_value_that_a_requirement_does_not_bear():
    entries = some(world={"place": ("child", "deep"), "form": ("smallest",)})
    worlds = drawn(entries)
    assert {value for some in worlds.values() for world in some for value in world.items()} == {
        ("place", "deep"),
        ("state", "renamed"),
    }
    assert drawn(some(world={entry.name: (entry.plain,) for entry in DIMENSIONS})) == {}


@pytest.mark.parametrize(("depth", "number"), NUMBER.items())
def test_the_depth_of_a_run_decides_how_many_worlds_a_requirement_has(depth, number):
    worlds = drawn(some(), depth=depth)
    assert {len(some) for some in worlds.values()} == ({number} if number else set())
    assert len(worlds) == len(some()) or number <= 1


def test_requirements_that_vary_their_arguments_have_no_world():
    entries = [
        requirement("drawn", "loadTable", drawn=True),
        requirement("wire", "loadTable", kind="wire"),
        requirement("race", "loadTable", kind="race"),
        requirement("nothing"),
    ]
    assert drawn(entries) == {}


def test_an_error_has_a_world_where_it_covers_something_new():
    plain, errors = some(), some(20, kind="error")
    worlds = drawn([*plain, *[requirement(f"e.{entry.id}", *entry.operations, kind="error") for entry in errors]])
    assert set(worlds) <= {entry.id for entry in plain}
    alone = drawn(errors)
    assert 0 < len(alone) < len(errors)
    assert covered(errors, alone) == covered(plain, worlds)


def test_twins_alone_meet_every_value_of_their_operations():
    twin = requirement("twin", "loadTable", "dropTable", twin=True)
    entries = [*some(), twin]
    met = covered(entries, {twin.id: drawn(entries)[twin.id]})
    others = {(each, FORM.name, "spelled") for each in twin.operations}
    assert met > others | {(each, PLACE.name, value) for each in twin.operations for value in PLACE.others}


def test_operations_of_another_suite_are_left_to_it():
    entries = some()
    worlds = drawn_worlds(Settings(), entries, DIMENSIONS, own=("loadTable",))
    assert worlds.keys() == {name for name in drawn(entries) if name.startswith("test.loadtable")}


def test_a_given_world_holds_for_every_requirement_as_far_as_it_bears_it():
    entries = [
        requirement("table", "loadTable"),
        requirement("view", "loadView"),
        requirement("child", "loadTable", world={"place": ("child",)}),
    ]
    assert drawn(entries, world=("place=root", "state=renamed")) == {
        "test.table": [{"place": "root", "state": "renamed"}],
        "test.view": [{"place": "root"}],
        "test.child": [{"state": "renamed"}],
    }
    assert drawn(entries, world=("plain",)) == {}
    assert drawn(entries, dimensions=()) == {}


@pytest.mark.parametrize("text", ["plce=root", "place=rot", "place", "root"])
def test_an_unknown_world_is_an_error_that_names_it(text):
    with pytest.raises(Problem, match=rf"^--world {text}: ") as caught:
        given_world([text], DIMENSIONS)
    assert caught.value.hint


def test_cells_are_the_values_of_an_operation_beside_the_plain_ones():
    cells = cells_of_worlds(find_profile("iceberg").document(), DIMENSIONS)
    assert cells["loadTable"] == [
        *("world place: root", "world place: deep", "world state: renamed", "world form: spelled")
    ]
    assert world_cell("state", "renamed") not in cells["createTable"]


def test_an_example_depends_on_the_values_that_were_asked_for():
    surroundings = Surroundings()
    assert (surroundings.value("place"), surroundings.entered) == ("", set())
    with surroundings.within({"place": "root", "state": "renamed"}):
        assert surroundings.value("place") == "root"
        with surroundings.plain():
            assert surroundings.value("state") == ""
        assert surroundings.value("form") == ""
    assert (surroundings.entered, surroundings.world) == ({"place"}, {})


@pytest.mark.parametrize("api", apis())
def test_every_value_of_the_suite_is_a_condition_of_faults(api):
    suites = find_profile(api).suites
    conditions = {
        (condition.dimension, condition.value)
        for part in REGISTERED
        if part.api in suites
        for condition in part.conditions
    }
    unseen = {value for suite in suites for value, names in UNSEEN.get(suite, {}).items() if names == ("*",)}
    values = {(dimension.name, value) for dimension in suite_part(api).worlds for value in dimension.others}
    assert values - conditions == values & unseen


@pytest.mark.parametrize("api", apis())
def test_conditions_of_faults_are_for_the_operations_that_meet_the_value(api):
    profile = find_profile(api)
    own = [name for name in profile.document().operations if profile.suite_of(name) == api]
    conditions = [condition for part in REGISTERED if part.api == api for condition in part.conditions]
    met = {
        (entry.name, value, name) for entry in suite_part(api).worlds for name in own for value in entry.values_of(name)
    }
    known = {(entry.dimension, entry.value, name) for entry in conditions for name in own if entry.touches(name)}
    unseen = {
        (*value, name)
        for value, patterns in UNSEEN.get(api, {}).items()
        for name in own
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    plain = {cell for cell in known if any(fnmatchcase(f"{cell[0]}={cell[1]}:{cell[2]}", each) for each in MET_PLAIN)}
    assert met - known - unseen == set()
    assert known - met - plain == set()


@pytest.mark.parametrize("api", apis())
def test_requirements_pin_values_that_there_are(api):
    known = {dimension.name: dimension.values for dimension in suite_part(api).worlds}
    for entry in requirements(api).values():
        for name, values in entry.world.items():
            assert set(values) <= known[name].keys(), entry.id


@pytest.mark.parametrize("api", [api for api in apis() if suite_part(api).worlds])
def test_a_twin_sees_every_operation_work(api):
    profile, dimensions = find_profile(api), suite_part(api).worlds
    own = [name for name in profile.document().operations if profile.suite_of(name) == api]
    vary = {name for name in own if any(dimension.values_of(name) for dimension in dimensions)}
    seen = {name for entry in requirements(api).values() if entry.twin for name in entry.operations}
    assert vary - seen == WITHOUT_TWIN[api].keys()


@pytest.mark.parametrize("api", [api for api in apis() if suite_part(api).worlds])
def test_every_operation_meets_each_value_that_a_behaviour_of_it_bears(api):
    entries = [entry for entry in requirements(api).values() if entry.kind in MAIN and not entry.drawn]
    dimensions = suite_part(api).worlds
    met = covered(entries, drawn(list(requirements(api).values()), dimensions))
    due = {
        (operation, dimension.name, value)
        for entry in entries
        for operation in entry.operations
        for dimension in dimensions
        for value in dimension.choices(entry.operations, entry.world)
        if value in dimension.values_of(operation)
    }
    assert due - met == set()
