"""The owner of a violated rule: the published document, or a correction with its reason."""

from __future__ import annotations

import pytest

from conformance.http.wire import WireLog
from conformance.values.exchange import Exchange
from specs.profiles import find_profile
from specs.validation import Validators

METADATA = {
    "format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "file:///t",
    "last-updated-ms": 1, "last-column-id": 0, "last-sequence-number": 0, "schemas": [], "current-schema-id": 0,
    "partition-specs": [], "default-spec-id": 0, "last-partition-id": 999, "sort-orders": [],
    "default-sort-order-id": 0,
}  # fmt: skip
RULES = [
    ({"last-updated-ms": -1}, "minimum", "the table specification"),
    ({"location": ""}, "minLength", "the table specification"),
    ({"last-column-id": "many"}, "type", ""),
]


@pytest.mark.parametrize(("change", "keyword", "reason"), RULES)
def test_a_rule_of_a_correction_has_its_reason(change, keyword, reason):
    document = find_profile("iceberg").document()
    answer = {"metadata": {**METADATA, **change}}
    mismatches = Validators(document).response_mismatches("loadTable", 200, answer)
    assert keyword in {mismatch.keyword for mismatch in mismatches}
    (found,) = {mismatch.correction for mismatch in mismatches if mismatch.keyword == keyword}
    assert reason in found
    assert bool(found) == bool(reason)


def test_a_required_field_belongs_to_who_requires_it():
    document = find_profile("iceberg").document()
    owners = {}
    for name in ("table-uuid", "sort-orders"):
        metadata = {key: value for key, value in METADATA.items() if key != name}
        mismatches = Validators(document).response_mismatches("loadTable", 200, {"metadata": metadata})
        owners[name] = {bool(mismatch.correction) for mismatch in mismatches if mismatch.keyword == "required"}
    assert owners == {"table-uuid": {True, False}, "sort-orders": {True}}


def test_a_message_of_the_wire_names_the_correction():
    document = find_profile("iceberg").document()
    log = WireLog(document, Validators(document))
    body = b'{"metadata": {"format-version": 2}}'
    headers = {"Content-Type": "application/json"}
    exchange = Exchange("loadTable", "GET", "http://x/", {}, status=200, response_headers=headers, response_body=body)
    log.check(exchange, [exchange])
    (finding,) = log.of("loadTable")
    assert "required property" in finding.message
    body = b'{"metadata": {"format-version": 2, "table-uuid": "x"}}'
    exchange = Exchange("loadTable", "GET", "http://x/", {}, status=200, response_headers=headers, response_body=body)
    log.check(exchange, [exchange])
    wrong = [found.message for found in log.of("loadTable") if found.mark.endswith("table-uuid")]
    assert [message for message in wrong if "(a correction of the published document: " not in message] == []
    assert len(wrong) == 1
