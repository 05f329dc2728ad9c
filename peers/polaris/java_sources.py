"""Java classes of Polaris' API that its jars need and the registry does not have, written from our documents.

    python -m peers.polaris.java_sources DIR

Polaris, too, generates these classes from its documents. The jars call them, so their names and shapes are fixed.
They add the router, the parsing of bodies and the limits of names to the server.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from peers.polaris.java_apis import Method, method, sources
from peers.polaris.java_models import Models
from specs.profiles import find_profile

PROFILE = "polaris/1.7"
MANAGEMENT, CATALOG = "org.apache.polaris.core.admin.model", "org.apache.polaris.service.types"
ADMIN_API, CATALOG_API = "org.apache.polaris.service.admin.api", "org.apache.polaris.service.catalog.api"
VERBS = ("get", "post", "put", "delete", "head")
# Operations and parameters that these jars do not have yet.
NEWER = {"registerView"}
NEWER_PARAMETERS = {"Idempotency-Key", "referenced-by", "planId", "Polaris-Generic-Table-Access-Delegation"}
NEWER_OF = {"registerTable": {"X-Iceberg-Access-Delegation"}}
ONE_TABLE = {"properties": {"table": {"$ref": "#/components/schemas/GenericTable"}}, "required": ["table"]}
MANAGING = ("PolarisCatalogsApi", "PolarisPrincipalsApi", "PolarisPrincipalRolesApi")
TYPES = [
    "CreateGenericTableRequest",
    "LoadGenericTableResponse",
    "ListGenericTablesResponse",
    "GenericTable",
    "CreatePolicyRequest",
    "LoadPolicyResponse",
    "Policy",
    "ApplicablePolicy",
    "PolicyAttachmentTarget",
    "AttachPolicyRequest",
    "DetachPolicyRequest",
    "UpdatePolicyRequest",
    "GetApplicablePoliciesResponse",
    "ListPoliciesResponse",
]
APIS = (  # an operation belongs to the first whose part its path contains
    ("/management/v1/catalogs", "PolarisCatalogsApi"),
    ("/management/v1/principal-roles", "PolarisPrincipalRolesApi"),
    ("/management/v1/principals", "PolarisPrincipalsApi"),
    ("/generic-tables", "PolarisCatalogGenericTableApi"),
    ("/polaris/v1/", "PolarisCatalogPolicyApi"),
    ("/v1/config", "IcebergRestConfigurationApi"),
    ("/v1/oauth/", "IcebergRestOAuth2Api"),
    ("", "IcebergRestCatalogApi"),
)


def write(folder: Path) -> None:
    """Write all classes below a folder of Java sources."""
    for package, name, source in classes():
        path = folder.joinpath(*package.split("."), f"{name}.java")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)


def classes() -> Iterator[tuple[str, str, str]]:
    """Yield package, name and source of each class."""
    profile = find_profile(PROFILE)
    management = yaml.safe_load(profile.file(".management.yaml").read_text())["components"]["schemas"]
    document = profile.plain_document().raw
    catalog = {**document["components"]["schemas"], "LoadGenericTableResponse": ONE_TABLE}
    for schemas, package, names in ((management, MANAGEMENT, list(management)), (catalog, CATALOG, TYPES)):
        for name, source in Models(schemas, package).classes(names):
            yield package, name, source
    for api, methods in _methods(Models({**catalog, **management}, CATALOG), document).items():
        package = ADMIN_API if api in MANAGING else CATALOG_API
        for name, source in sources(package, api, methods):
            yield package, name, source


def _methods(models: Models, document: dict[str, Any]) -> dict[str, list[Method]]:
    """Return the operations by their API."""
    apis: dict[str, list[Method]] = {}
    for path, item in document["paths"].items():
        api = next(name for part, name in APIS if part in path)
        validates = not api.startswith("IcebergRest")
        for verb in VERBS:
            operation = item.get(verb, {}).get("operationId", "")
            if operation and operation not in NEWER:
                without = NEWER_PARAMETERS | NEWER_OF.get(operation, set())
                apis.setdefault(api, []).append(method(models, document, path, verb, without, validates=validates))
    return apis


if __name__ == "__main__":
    write(Path(sys.argv[1]))
