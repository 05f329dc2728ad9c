"""A server without an optional field rejects whatever it holds as unsupported: wrong values of the field, too."""

from __future__ import annotations

from lakeproof import serve
from reference_server.context import Reply, json_reply
from reference_server.faults import FAULTS, Call, Fault, Proceed, content
from tests.conformance.mutants import judge

LATER = ("tag", "num_bits")
IDS = {"lance.body.field_types.describe_table", "lance.body.field_types.create_table_index"}


async def _lacks_them(call: Call, proceed: Proceed) -> Reply:
    if any(name in (content(call) or {}) for name in LATER):
        return json_reply({"error": "not here", "code": 0}, 406)
    return await proceed()


def test_unsupported_fields_are_rejected_as_such(tmp_path, monkeypatch):
    lacking = Fault("lacking", "It lacks them.", frozenset({"DescribeTable", "CreateTableIndex"}), _lacks_them)
    monkeypatch.setitem(FAULTS, "lacking", lacking)
    with serve("lance/0.11", storage="memory:pure", allow_faults=True) as server:
        results = judge(server, tmp_path, fault="lacking", ids=IDS, profile="lance/0.11")
    assert {entry.id: entry.verdict for entry in results.requirements} == dict.fromkeys(IDS, "pass")
