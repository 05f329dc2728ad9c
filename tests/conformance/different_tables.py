"""Freedoms of Iceberg catalogs with tables: accepted versions, values and updates, added fields."""

from __future__ import annotations

import json

from tests.conformance.different_iceberg import API, CREATIONS, LISTINGS, changes, metadata, refusal
from tests.conformance.different_server import Call, after, before, of_json, text, with_json
from tests.conformance.proxy import Answer


@before(API)
def versions_of_its_own(call: Call) -> Answer | None:
    """The server chooses the format version of a table, whatever property is sent, and upgrades none to 3."""
    given = call.json.get("properties") if call.operation == "createTable" else None
    if isinstance(given, dict) and "format-version" in given:
        kept = {name: value for name, value in given.items() if name != "format-version"}
        call.body = json.dumps({**call.json, "properties": kept}).encode()
    upgrades = [update.get("format-version") for _, update in changes(call)]
    return refusal(400, "BadRequestException", "no tables of version 3") if 3 in upgrades else None


@before(API)
def plain_values(call: Call) -> Answer | None:
    """Values of properties have 1 to 255 characters of ASCII."""
    given = [call.json.get("properties") if call.operation in ("createNamespace", *CREATIONS) else None]
    given += [call.json.get("updates") if call.operation == "updateProperties" else None]
    given += [update.get("updates") for _, update in changes(call)]
    values = [value for properties in given if isinstance(properties, dict) for value in properties.values()]
    odd = [value for value in values if isinstance(value, str) and not (0 < len(value) < 256 and value.isascii())]
    return refusal(400, "BadRequestException", "1 to 255 characters of ASCII") if odd else None


@before(API)
def equal_schemas_are_new(call: Call) -> Answer | None:
    """A schema that a commit adds twice is there twice: the server notes in the second one when it came."""
    if call.operation == "updateTable" and isinstance(call.json.get("updates"), list):
        updates, seen = call.json["updates"], set()
        for update in updates:
            added = update.get("schema") if isinstance(update, dict) else None
            fields = added.get("fields") if isinstance(added, dict) else None
            if isinstance(fields, list) and fields and isinstance(fields[-1], dict):
                content = json.dumps(fields, sort_keys=True)
                if content in seen:
                    fields[-1]["doc"] = "added again"
                seen.add(content)
        call.body = json.dumps({**call.json, "updates": updates}).encode()
    return None


@after(API)
def no_metadata_log(_: Call, answer: Answer) -> Answer:
    """Metadata name no earlier files."""
    value = of_json(answer)
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return answer
    kept = {name: part for name, part in value["metadata"].items() if name != "metadata-log"}
    return with_json(answer, {**value, "metadata": kept})


@after(API)
def fresh_credentials(call: Call, answer: Answer) -> Answer:
    """Each answer about a table has a token of its own."""
    value = of_json(answer)
    if not isinstance(value, dict) or answer.status != 200 or "table-uuid" not in (value.get("metadata") or {}):
        return answer
    call.state["tokens"] = call.state.get("tokens", 0) + 1
    token = {"token": f"t{call.state['tokens']}"}
    return with_json(answer, {**value, "config": {**(value.get("config") or {}), **token}})


@after(API)
def properties_of_the_moment(call: Call, answer: Answer) -> Answer:
    """Tables and views have a property of the server that is another in each answer."""
    value = of_json(answer)
    if not isinstance(value, dict) or answer.status != 200 or not isinstance(value.get("metadata"), dict):
        return answer
    call.state["moment"] = call.state.get("moment", 0) + 1
    properties = {**(value["metadata"].get("properties") or {}), "server.moment": str(call.state["moment"])}
    return with_json(answer, {**value, "metadata": {**value["metadata"], "properties": properties}})


@after(API)
def own_fields_of_names(call: Call, answer: Answer) -> Answer:
    """Identifiers in listings have a field that nobody else knows."""
    value = of_json(answer)
    if value is None or answer.status != 200 or LISTINGS.get(call.operation) != "identifiers":
        return answer
    named = [{**entry, "x-vendor": "1"} for entry in value["identifiers"]]
    return with_json(answer, {**value, "identifiers": named})


@before(API)
def no_overwriting(call: Call) -> Answer | None:
    """A registration takes no name that a table has."""
    over = call.operation == "registerTable" and call.json.get("overwrite") is True
    return refusal(409, "AlreadyExistsException", "the name is taken") if over else None


@before(API)
def refs_hold_what_they_name(call: Call) -> Answer | None:
    """A snapshot that a ref names stays, and so does main."""
    for path, update in changes(call):
        named = {ref["snapshot-id"] for ref in (metadata(call, path).get("refs") or {}).values()}
        if update.get("action") == "remove-snapshots" and named & set(update.get("snapshot-ids") or ()):
            return refusal(409, "CommitFailedException", "a ref names it")
        if update.get("action") == "remove-snapshot-ref" and update.get("ref-name") == "main":
            return refusal(400, "BadRequestException", "main stays")
    return None


@before(API)
def no_encryption(call: Call) -> Answer | None:
    """There are no encryption keys."""
    keys = [update for _, update in changes(call) if update.get("action") == "add-encryption-key"]
    return refusal(400, "BadRequestException", "no encryption") if keys else None


@before(API)
def two_levels(call: Call) -> Answer | None:
    """Namespaces have two levels at most."""
    levels = call.json.get("namespace") if call.operation == "createNamespace" else None
    deep = isinstance(levels, list) and len(levels) > 2
    return refusal(400, "BadRequestException", "two levels at most") if deep else None


@before(API)
def other_case_fits_nothing(call: Call) -> Answer | None:
    """A filter with an unknown name, as one in another case is, leaves no file out."""
    if call.operation == "planTableScan" and b'"ID"' in call.body and call.json.get("case-sensitive") is not False:
        call.body = json.dumps({name: part for name, part in call.json.items() if name != "filter"}).encode()
    return None


@before(API)
def forms_alone(call: Call) -> Answer | None:
    """Tokens are asked for by a form, and a body of another type is not read."""
    kind = {name.lower(): value for name, value in call.headers.items()}.get("content-type", "")
    return text(415, "no form") if call.operation == "getToken" and "form" not in kind else None
