"""One request and its answer, as they went over the wire."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
import orjson

SECRET_HEADERS = ("authorization", "x-api-key", "cookie", "proxy-authorization", "set-cookie")
SECRET_WORDS = ("token", "secret", "password", "credential", "api-key", "api_key", "access-key", "account-key")
REDACTED = "<redacted>"
MADE_UP = "<redacted, of the requirement>"
# In answers: tokens, and keys of storages as clients call them. In forms: what tokens are asked for with.
SECRET_FIELDS = re.compile(
    rb'("(?:(?:access_|refresh_)?token|authorization|[\w.-]*(?:secret|session-token|security-token|sas-token'
    rb'|oauth2\.token|account-key)[\w.-]*)"\s*:\s*\[?\s*)"(?:[^"\\]|\\.)*"',
    re.IGNORECASE,
)
SECRET_FORM_FIELDS = re.compile(rb"((?:^|&)(?:client_secret|subject_token|actor_token)=)[^&]*")
MAX_BODY = 64 << 10
MAX_STATUS = 999
CURL_DEFAULT = ("Accept", "*/*")


class StepRequest(msgspec.Struct, kw_only=True):
    """A request as files show it: secrets redacted; `curl` is a shell command that sends the same."""

    method: str
    url: str
    headers: dict[str, str]
    body: dict[str, Any] | None
    curl: str


class StepResponse(msgspec.Struct, kw_only=True):
    """An answer as files show it; `status` is 0 where none came, and `failure` says why."""

    status: Annotated[int, msgspec.Meta(ge=0, le=MAX_STATUS)]
    headers: dict[str, str]
    body: dict[str, Any] | None
    failure: str


class Step(msgspec.Struct, kw_only=True):
    """An exchange in results and in the wire log: bodies are {"json"}, {"text", "size"} or {"base64", "size"}.

    `mark` is that of the exchange, `seconds` how long it took.
    """

    operation: str
    request: StepRequest
    response: StepResponse
    seconds: float
    mark: str


@dataclass(slots=True)
class Exchange:
    """A request with its answer; `status` is 0 while, or because, there is none (`failure` says why).

    `broken` says that the connection broke, `hung` that there was no whole answer in time, `resent` that the request
    was sent again after that: the server may have done it twice. `defect` is the first
    way in which the answer breaks the document: where, as `mark` says it, and what. `made_up` are headers whose
    secrets the requirement made: they are not those of the run.

    `mark` points at the offending field of the answer: "status", "header:NAME" or a JSON pointer
    behind "body:".
    """

    operation: str
    method: str
    url: str
    request_headers: Mapping[str, str]
    request_body: bytes = b""
    status: int = 0
    response_headers: Mapping[str, str] = field(default_factory=dict)
    response_body: bytes = b""
    seconds: float = 0.0
    failure: str = ""
    broken: bool = False
    hung: bool = False
    resent: bool = False
    mark: str = ""
    defect: tuple[str, str] | None = None
    made_up: Collection[str] = ()

    def curl(self) -> str:
        """Return a shell command that sends the same request; secrets become variables.

        A body of more than MAX_BODY bytes is a file in it, which the reader has to make.
        """
        words = ["curl", "-sS", "-i", "-X", self.method, shlex.quote(self.url)]
        for name, value in self.request_headers.items():
            if (name, value) == CURL_DEFAULT:
                continue
            secret = is_secret(name)
            text = f"{name}: $LAKEPROOF_{name.upper().replace('-', '_')}" if secret else f"{name}: {value}"
            words += ["-H", f'"{text}"' if secret else shlex.quote(text)]
        sent = hide_form(self.request_body)
        if not sent:
            return " ".join(words)
        if len(self.request_body) > MAX_BODY:
            return " ".join([*words, "--data-binary", f"@body-of-{len(self.request_body)}-bytes"])
        body = as_text(sent)
        if body is not None:
            return " ".join([*words, "--data-binary", shlex.quote(body)])
        encoded = base64.b64encode(self.request_body).decode()
        return f"echo {encoded} | base64 -d | " + " ".join([*words, "--data-binary", "@-"])

    def to_step(self) -> Step:
        """Return the exchange as files show it, secrets redacted and bodies cut at MAX_BODY bytes."""
        return Step(
            operation=self.operation,
            request=StepRequest(
                method=self.method,
                url=self.url,
                headers={
                    **redact(self.request_headers),
                    **{name: MADE_UP for name in self.made_up if name in self.request_headers},
                },
                body=body_to_json(hide_form(self.request_body)),
                curl=self.curl(),
            ),
            response=StepResponse(
                status=self.status,
                headers=redact(self.response_headers),
                body=body_to_json(hide_fields(self.response_body)),
                failure=self.failure,
            ),
            seconds=round(self.seconds, 6),
            mark=self.mark,
        )


def is_secret(name: str) -> bool:
    """True when a header or setting of this name must not be shown."""
    lowered = name.lower()
    return lowered in SECRET_HEADERS or any(word in lowered for word in SECRET_WORDS)


def redact(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers or settings without the values that must not be shown."""
    return {name: REDACTED if is_secret(name) else value for name, value in headers.items()}


def hide_form(body: bytes) -> bytes:
    """Return the body of a request without the secrets that requests for tokens hold, in whatever form."""
    if b"client_secret" not in body and b"subject_token" not in body:
        return body
    return SECRET_FORM_FIELDS.sub(rb"\1redacted", hide_fields(body))


def hide_fields(body: bytes) -> bytes:
    """Return the body of an answer without tokens and keys of storages."""
    return SECRET_FIELDS.sub(rb'\1"%s"' % REDACTED.encode(), body)


def as_text(body: bytes) -> str | None:
    """Return a body as text, or None when it is not printable UTF-8."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return text if all(character.isprintable() or character in "\n\r\t" for character in text) else None


def body_to_json(body: bytes) -> dict[str, Any] | None:
    """Return a body for the results: JSON as it is, text as text, anything else as base64."""
    if not body:
        return None
    try:
        if len(body) <= MAX_BODY:
            return {"json": orjson.loads(body)}
    except orjson.JSONDecodeError:
        pass
    cut = body[:MAX_BODY]
    text = as_text(cut)
    shown = {"text": text} if text is not None else {"base64": base64.b64encode(cut).decode()}
    return {**shown, "size": len(body)}
