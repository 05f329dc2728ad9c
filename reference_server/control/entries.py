"""Entries of the journal as JSON, without secrets.

A hidden secret is shown as a short mark that is the same for equal secrets of one server: a test can see whether a
client sent the old token or the new one. The mark is a keyed hash and does not reveal the secret.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

import orjson

from reference_server.control.journal import Exchange
from specs.openapi import JSON_TYPE, Operation, media_type_of
from specs.secret_names import SECRET_HEADERS, SECRET_WORDS, is_secret

FORM_TYPE = "application/x-www-form-urlencoded"
PAGE_TOKENS = ("pagetoken", "nextpagetoken")  # names with a word of secrets, whose values are none
_words = "|".join((*SECRET_WORDS, *SECRET_HEADERS)).replace("-", "[-_ ]?")
WORD = re.compile(rf"(?<!page)(?<!page[-_])({_words})", re.IGNORECASE)
CUT = "... (cut)"
MARK_LENGTH = 6
_key = secrets.token_bytes(16)


def entry_of(exchange: Exchange, operation: Operation | None, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the entry of an exchange with its operation, None without one, and the parameters of its path."""
    request, reply = exchange.request, exchange.reply
    return {
        "id": request.id,
        "time": datetime.fromtimestamp(exchange.ended - exchange.seconds, UTC).isoformat(timespec="milliseconds"),
        "method": request.method,
        "path": request.path,
        "operation": operation.id if operation else None,
        "parameters": dict(parameters),
        "query": {name: _shown(name, values[0] if len(values) == 1 else values) for name, values in _query(exchange)},
        "headers": {name.lower(): _shown_header(name, value) for name, value in request.headers.items()},
        "body": _shown_body(request.body, exchange.lengths[0], request.headers.get("Content-Type", "")),
        "bytes": exchange.lengths[0],
        "status": reply.status,
        "answer": _shown_body(reply.body, exchange.lengths[1], reply.content_type),
        "answer_bytes": exchange.lengths[1],
        "answer_headers": {name: _shown_header(name, value) for name, value in reply.headers.items()},
        "rules": list(request.applied),
        "ms": round(exchange.seconds * 1000, 3),
    }


def _query(exchange: Exchange) -> list[tuple[str, list[str]]]:
    try:
        return list(exchange.request.query.items())
    except ValueError:  # it cannot be decoded
        return []


def hidden(value: Any) -> str:
    """Return the mark that is shown instead of a secret."""
    text = value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    digest = hmac.new(_key, text.encode("utf-8", "surrogateescape"), "sha256").hexdigest()
    return f"<redacted:{digest[:MARK_LENGTH]}>"


def hides(name: str) -> bool:
    """Return whether the value of a name is secret; a page token is none."""
    plain = name.lower().replace("-", "").replace("_", "")
    return is_secret(name) and plain not in PAGE_TOKENS


def _shown(name: str, value: Any) -> Any:
    """Return a value without secrets: hidden if its name is secret, else with the secrets inside it hidden."""
    if hides(name):
        return hidden(value) if value else value
    if isinstance(value, dict):
        return {inner: _shown(inner, each) for inner, each in value.items()}
    if isinstance(value, list):
        return [_shown("", each) for each in value]
    if isinstance(value, str) and value.startswith(("{", "[")):  # JSON as text, as some clients send it in a query
        return _shown_text(value.encode("utf-8", "surrogateescape"))
    return value


def _shown_header(name: str, value: str) -> str:
    scheme, space, credentials = value.partition(" ")
    if space and name.lower() in ("authorization", "proxy-authorization"):
        return f"{scheme} {hidden(credentials)}"
    return str(_shown(name, value))


def _shown_body(body: bytes, length: int, content_type: str) -> Any:
    """Return the value of JSON or of a form, the beginning of a longer text, and None for anything else."""
    kind = media_type_of(content_type)
    if not body or kind not in (JSON_TYPE, FORM_TYPE, "text/plain"):
        return None
    if kind == FORM_TYPE and length == len(body):
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
        return {name: _shown(name, value) for name, value in pairs}
    try:
        return _shown("", orjson.loads(body))
    except orjson.JSONDecodeError:
        return _shown_text(body)


def _shown_text(content: bytes) -> str:
    """Return a text that is not whole JSON, up to the first word of a secret in it."""
    text = content.decode("utf-8", "replace")
    word = WORD.search(text)
    return text if word is None else text[: word.start()] + CUT
