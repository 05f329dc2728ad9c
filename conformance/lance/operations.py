"""The operations of the Lance Namespace, for requirements that hold for each of them."""

from __future__ import annotations

from conformance.common.operations import operations_of, with_json_body

OPERATIONS = operations_of("lance")
JSON_OPERATIONS = with_json_body(OPERATIONS)
