"""Apache Polaris as we start it: its classes, its options, and what the suite says about it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from lakeproof import check
from peers.polaris import application, java_sources, server
from specs.problems import Problem

# What it does right, from each part of the suite: it may break nothing of this.
SMOKE = (
    "polaris.assignment.principal_role or polaris.effect.assign or iceberg.effect.drop_view or iceberg.table.exists "
)
SMOKE += "or iceberg.view.rename or iceberg.refusal.drop_view or iceberg.effect.drop_table"


@pytest.fixture(scope="module")
def sources():
    return {f"{package}.{name}": source for package, name, source in java_sources.classes()}


def test_every_operation_is_a_method_of_one_class(sources):
    routed = {name: source for name, source in sources.items() if name.endswith("Api")}
    methods = [method for source in routed.values() for method in re.findall(r"public Response (\w+)\(", source)]
    assert len(methods) == len(set(methods)) == 33 + 39
    assert "registerView" not in methods


def test_a_class_reads_what_its_schema_says(sources):
    source = sources["org.apache.polaris.core.admin.model.Catalog"]
    assert 'name = "INTERNAL"' in source
    assert "public enum TypeEnum { INTERNAL(" in source
    assert "@Size(min = 1, max = 256) private final String name;" in source
    assert "class PolarisCatalog extends Catalog" in sources["org.apache.polaris.core.admin.model.PolarisCatalog"]


def test_required_parameters_come_first(sources):
    source = sources["org.apache.polaris.service.catalog.api.IcebergRestCatalogApiService"]
    assert (
        "createTable(String prefix, String namespace, CreateTableRequest body, String xIcebergAccessDelegation"
        in source
    )


def test_the_folder_of_the_application_bears_its_version(tmp_path):
    folder = application.cache_folder({"XDG_CACHE_HOME": str(tmp_path)})
    assert folder.is_relative_to(tmp_path)
    assert re.fullmatch(r"1\.4\.1-[0-9a-f]{12}", folder.name)


@pytest.mark.parametrize("arguments", [["root=/tmp"], ["port=many"], ["credential=secret"]])
def test_an_option_that_it_lacks_is_a_problem(arguments):
    with pytest.raises(Problem, match="option"):
        server._options(arguments)


def test_the_first_principal_has_the_given_credential():
    assert server.environment("me:a:b") == {"POLARIS_BOOTSTRAP_CREDENTIALS": "POLARIS,me,a:b"}


@pytest.fixture(scope="module")
def polaris():
    try:
        application.build()
    except Problem as problem:
        pytest.skip(f"Apache Polaris cannot be built here: {problem.message}")
    with server.polaris() as url:
        yield url


def test_polaris_is_judged(polaris, tmp_path):
    given: dict[str, Any] = {
        "credential": server.CREDENTIAL,
        "select": SMOKE,
        "depth": "smoke",
        "report": str(tmp_path),
    }
    results, _ = check(polaris, api="polaris", **given)
    verdicts = {result.id: result.verdict for result in results.requirements}
    assert len(verdicts) > 15
    assert [name for name, verdict in verdicts.items() if verdict in ("fail", "error", "blocked")] == []
    assert not results.run.left_behind
