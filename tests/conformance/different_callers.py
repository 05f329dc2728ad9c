"""Freedoms of Polaris servers in their treatment of callers: clientIds, secrets, tokens, errors."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, quote_plus, unquote_plus, urlencode

from tests.conformance.different_polaris import API, ISSUING, MANAGED, refusal, with_entities
from tests.conformance.different_server import FREEDOMS, JSON, Call, after, before, of_json, with_json
from tests.conformance.proxy import Answer

ISSUED = re.compile("[0-9a-f]{16}")  # a clientId of the server behind
OTHER_FORM = re.compile(r"svc\+([0-9a-f]{16})/lake@example")


@before(API)
def client_ids_of_another_form(call: Call) -> Answer | None:
    """A clientId is a text of any form."""
    if call.operation == "getToken":
        _log_in(call)
    if call.operation == "resetCredentials" and "clientId" in call.json:
        call.body = json.dumps({**call.json, "clientId": _plain(call.json["clientId"])}).encode()
    return None


def _plain(id: Any) -> Any:
    match = OTHER_FORM.fullmatch(id) if isinstance(id, str) else None
    return match[1] if match else id


def _log_in(call: Call) -> None:
    """Give the server behind the clientId that it knows, in the form and in the header."""
    pairs = parse_qsl(call.body.decode("latin-1"), keep_blank_values=True)
    if _plain(dict(pairs).get("client_id")) != dict(pairs).get("client_id"):
        call.body = urlencode([(name, _plain(value)) for name, value in pairs]).encode()
    for name, value in list(call.headers.items()):
        if name.lower() == "authorization" and value.startswith("Basic "):
            id, _, secret = base64.b64decode(value[6:]).decode("latin-1").partition(":")
            pair = f"{quote_plus(_plain(unquote_plus(id)))}:{secret}"
            call.headers[name] = f"Basic {base64.b64encode(pair.encode()).decode()}"


def _of_another_form(call: Call, answer: Answer) -> Answer:
    def reformed(holder: dict[str, Any]) -> None:
        if ISSUED.fullmatch(holder.get("clientId") or ""):
            holder["clientId"] = f"svc+{holder['clientId']}/lake@example"

    answer = with_entities(call, answer, reformed)
    value = of_json(answer)
    if call.operation not in ISSUING or answer.status >= 300:
        return answer
    reformed(value["credentials"])
    return with_json(answer, value)


NAME = client_ids_of_another_form.__name__
FREEDOMS[NAME] = replace(FREEDOMS[NAME], after=_of_another_form)


@after(API)
def no_client_ids_of_principals(call: Call, answer: Answer) -> Answer:
    """The clientId of a principal is optional: that of its credentials is the one that is needed."""
    return with_entities(call, answer, lambda entity: entity.pop("clientId", None))


@after(API)
def rights_before_names(call: Call, answer: Answer) -> Answer:
    """Return 403 instead of 404 to a caller without the right to manage: no document states which check comes first."""
    value, powerless = of_json(answer), call.state.setdefault("powerless", set())
    if call.operation == "getToken" and answer.status == 200 and b"client_id=root&" not in call.body + b"&":
        powerless.add(f"Bearer {value['access_token']}")
    caller = {name.lower(): value for name, value in call.headers.items()}.get("authorization")
    hidden = call.operation in MANAGED and answer.status == 404 and caller in powerless
    return refusal(403, "ForbiddenException") if hidden else answer


@before(API)
def one_secret_at_a_time(call: Call) -> Answer | None:
    """No document says that a secret outlives its rotation."""
    form = dict(parse_qsl(call.body.decode("latin-1"))) if call.operation == "getToken" else {}
    newest = call.state.setdefault("secrets", {}).get(form.get("client_id"))
    if not newest or form.get("client_secret", newest) == newest:
        return None
    said = {"error": "invalid_client", "error_description": "no such client"}
    return Answer(401, {"Content-Type": JSON, "WWW-Authenticate": "Basic"}, json.dumps(said).encode())


def _newest(call: Call, answer: Answer) -> Answer:
    value = of_json(answer)
    if call.operation in ISSUING and answer.status < 300:
        call.state.setdefault("secrets", {})[value["credentials"]["clientId"]] = value["credentials"]["clientSecret"]
    return answer


FREEDOMS[one_secret_at_a_time.__name__] = replace(FREEDOMS[one_secret_at_a_time.__name__], after=_newest)


@before(API)
def no_exchange_of_tokens(call: Call) -> Answer | None:
    """OAuth 2 lets a server choose the grant types that it knows."""
    exchange = call.operation == "getToken" and b"token-exchange" in call.body
    said = json.dumps({"error": "unsupported_grant_type", "error_description": "no"}).encode()
    return Answer(400, {"Content-Type": JSON}, said) if exchange else None
