"""Other copies of a document: the nearest profile, and which corrections fit a copy that they were not written for."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from lakeproof import check
from specs.apis import apis
from specs.overlay import OverlayAction, apply_fitting
from specs.problems import Problem
from specs.profiles import Profile, find_profile, nearest_profile, profiles
from specs.references import dangling
from specs.revisions import read_revision
from tests.conformance.whole_runs import not_met

NEWEST = find_profile("iceberg")
OLDEST = find_profile("iceberg/1.6")
# What published documents between and before the kit's revisions lack, by the components that go.
LACKING = {
    "1.5": (OLDEST, [("schemas", "SetPartitionStatisticsUpdate"), ("schemas", "PartitionStatisticsFile")]),
    "1.9": (
        find_profile("iceberg/1.11"),
        [("parameters", "idempotency-key"), ("parameters", "if-none-match"), ("parameters", "referenced-by")],
    ),
    "1.10": (find_profile("iceberg/1.11"), [("parameters", "idempotency-key")]),
}


def without(document, gone):
    """A document without these components, and without what refers to them."""
    references = {f"#/components/{section}/{name}" for section, name in gone}

    def left(node):
        if isinstance(node, dict):
            return {key: left(value) for key, value in node.items() if not refers(value)}
        return [left(value) for value in node if not refers(value)] if isinstance(node, list) else node

    def refers(node):
        if isinstance(node, list):
            return False
        return (
            node in references if isinstance(node, str) else isinstance(node, dict) and node.get("$ref") in references
        )

    older = left(copy.deepcopy(document))
    for section, name in gone:
        older["components"][section].pop(name, None)
    return older


def written(path, document):
    path.write_text(yaml.safe_dump(document))
    return path


def files():
    """Every document in a file of its own, with the profile that it belongs to."""
    for profile in profiles().values():
        for part in profile.facts.parts(profile.revision):
            if not part.follows:
                yield profile, read_revision(profile.facts.folder / part.file.format(revision=profile.revision))


@pytest.fixture(params=LACKING)
def between(request, tmp_path):
    """A document of no revision of the kit, and the profile that is nearest to it."""
    profile, gone = LACKING[request.param]
    return written(tmp_path / "published.yaml", without(read_revision(profile.file(".yaml")), gone)), profile


@pytest.mark.parametrize(("profile", "document"), list(files()))
def test_the_nearest_profile_to_a_copy_is_its_own(profile, document, tmp_path):
    assert nearest_profile(profile.api, written(tmp_path / "copy.yaml", document)) == profile


def test_the_nearest_profile_is_told_by_what_a_document_has(between):
    path, profile = between
    assert nearest_profile("iceberg", path) == profile


@pytest.mark.parametrize("api", apis())
def test_every_document_can_be_read_by_every_profile(api, tmp_path):
    """Also one that was written for another revision: no correction leads to what the document lacks."""
    for number, document in enumerate(document for profile, document in files() if profile.api == api):
        path = written(tmp_path / f"{number}.yaml", document)
        for revision in apis()[api].profiles:
            assert dangling(Profile(api, revision).document_from(path).raw) == set()


def test_a_document_between_revisions_can_be_read_by_every_profile(between):
    path, _ = between
    for revision in apis()["iceberg"].profiles:
        document = Profile("iceberg", revision).document_from(path)
        assert dangling(document.raw) == set()
        assert document.operations


def test_a_copy_of_a_document_that_follows_another_api_stands_for_that(tmp_path):
    profile = find_profile("polaris")
    followed = read_revision(find_profile("iceberg/1.11").file(".yaml"))
    catalog = profile.document_from(written(tmp_path / "catalog.yaml", followed))
    assert {operation.mount for operation in catalog.operations.values()} == {"/api/catalog", "/api/management/v1"}
    assert catalog.unused_actions == ()


def test_an_action_that_refers_to_what_a_document_lacks_does_not_fit():
    document: dict[str, Any] = {"paths": {"/a": {"parameters": []}}, "components": {"schemas": {"Here": {}}}}
    places = "$.paths[*].parameters"
    fits = OverlayAction(places, "because", {"$ref": "#/components/schemas/Here"})
    lost = OverlayAction(places, "because", {"$ref": "#/components/parameters/nowhere"})
    assert apply_fitting(document, [lost, fits]) == (
        {**document, "paths": {"/a": {"parameters": [{"$ref": "#/components/schemas/Here"}]}}},
        [lost],
    )
    assert document["paths"]["/a"]["parameters"] == []


def test_an_action_may_refer_to_what_a_later_one_adds_and_goes_with_it():
    document = {"components": {"schemas": {"A": {}}}}
    refers = OverlayAction("$.components.schemas.A", "because", {"allOf": [{"$ref": "#/components/schemas/B"}]})
    adds = OverlayAction("$.components.schemas", "because", {"B": {"type": "object"}})
    lost = OverlayAction("$.components.schemas", "because", {"B": {"$ref": "#/components/schemas/C"}})
    assert apply_fitting(document, [refers, adds])[1] == []
    assert apply_fitting(document, [refers, lost]) == (document, [refers, lost])


def test_what_leads_nowhere_in_the_document_itself_is_no_fault_of_an_action():
    document = {"components": {"schemas": {"A": {"$ref": "#/components/schemas/none"}}}}
    action = OverlayAction("$.components.schemas.A", "because", {"anyOf": [{"$ref": "#/components/schemas/none"}]})
    assert apply_fitting(document, [action])[1] == []


def run(path, folder, **settings):
    results, code = check(api="iceberg", spec=str(path), report=str(folder), select="iceberg.config.maps", **settings)
    assert code == 0, not_met(results)
    return results


def test_a_run_chooses_the_nearest_profile_and_says_so(between, tmp_path):
    path, profile = between
    results = run(path, tmp_path / "report")
    assert results.target.profile == profile.name
    assert f"{path} is tested against {profile.name}, the nearest profile." in results.run.notes


def test_a_run_by_another_profile_names_the_nearest_and_what_is_left_out(tmp_path):
    path = written(tmp_path / "published.yaml", read_revision(OLDEST.file(".yaml")))
    results = run(path, tmp_path / "report", profile=NEWEST.name)
    assert results.target.profile == NEWEST.name
    nearest, left_out = results.run.notes
    assert f"nearer to {OLDEST.name} than to {NEWEST.name}: use --profile {OLDEST.name}" in nearest
    assert f"Corrections of {NEWEST.name} that do not fit {path} are left out: $." in left_out
    assert left_out.endswith("more.")


def test_a_run_by_the_kits_own_document_has_nothing_to_say_of_it(tmp_path):
    results, _ = check(api="iceberg", report=str(tmp_path), select="iceberg.config.maps")
    assert results.run.notes == []


def test_a_copy_that_is_no_document_is_a_problem(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n")
    with pytest.raises(Problem, match="is not an OpenAPI 3 document"):
        check(api="iceberg", spec=str(path), report=str(tmp_path / "report"))
