"""The operations that Apache Polaris adds to those of Iceberg, as cases of requirements."""

from __future__ import annotations

from conformance.common.operations import operations_of, with_json_body
from specs.profiles import find_profile

API = "polaris"
OPERATIONS = {
    name: operation for name, operation in operations_of(API).items() if find_profile(API).suite_of(operation.id) == API
}
JSON_OPERATIONS = with_json_body(OPERATIONS)
MANAGEMENT = {name: operation for name, operation in OPERATIONS.items() if "{prefix}" not in operation.path}
NAMING = {name: operation for name, operation in MANAGEMENT.items() if operation.parameters}
