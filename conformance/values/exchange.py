"""One request and its answer, as they went over the wire."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
import orjson

from conformance.values.redaction import MADE_UP, hide_fields, hide_form, is_secret, redact

MAX_BODY = 64 << 10
MAX_STATUS = 999
ERROR_STATUS = 400  # and above
WITHOUT_BREAKS = str.maketrans("", "", "\n\r\t")
NO_JSON = object()
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


class Moment(msgspec.Struct, kw_only=True):
    """When one of several clients that work at the same time sent a request: seconds since their first."""

    client: int
    start: Annotated[float, msgspec.Meta(ge=0)]


class Step(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An exchange in results and in the wire log: bodies are {"json"}, {"text", "size"} or {"base64", "size"}.

    `mark` is that of the exchange, `seconds` how long it took, `moment` is only there where clients raced. `issued` are
    secrets of the answer: the variable that stands for each, and its key with the number of such a key. `borne` are
    headers and fields of a form that bear one of an earlier answer, with the variable in its place.
    """

    operation: str
    request: StepRequest
    response: StepResponse
    seconds: float
    mark: str
    moment: Moment | None = None
    issued: dict[str, str] = msgspec.field(default_factory=lambda: {})
    borne: dict[str, str] = msgspec.field(default_factory=lambda: {})

    def bears(self, variables: Collection[str]) -> bool:
        """True when the request bears one of the secrets for which these variables stand."""
        return any(value.endswith(tuple(variables)) for value in self.borne.values())


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
    moment: Moment | None = None
    _parsed: tuple[bytes, Any] | None = field(default=None, compare=False, repr=False)

    def json(self, default: Any = None) -> Any:
        """Return the body of the answer as JSON, the default where it is none.

        All who look at an answer share one parse: what is returned must not be changed.
        """
        if self._parsed is None or self._parsed[0] is not self.response_body:
            self._parsed = self.response_body, _parse(self.response_body)
        value = self._parsed[1]
        return default if value is NO_JSON else value

    def curl(self) -> str:
        """Return a shell command that sends the same request; secrets become variables.

        A body of more than MAX_BODY bytes is a file in it, which the reader has to make.
        """
        head = self.method == "HEAD" and not self.request_body  # with -X curl waits for a body, which never comes
        words = ["curl", "-sS", "-i", *(["--head"] if head else ["-X", self.method]), shlex.quote(self.url)]
        for name, value in self.request_headers.items():
            if (name, value) == CURL_DEFAULT:
                continue
            secret = is_secret(name)
            text = f"{name}: $LAKEPROOF_{name.upper().replace('-', '_')}" if secret else f"{name}: {value}"
            words += ["-H", f'"{text}"' if secret else _quoted(text)]
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
            moment=self.moment,
        )


def _quoted(text: str) -> str:
    """Return a header as a word of a shell command; signs that are not printable are those that printf makes."""
    octal = "".join(f"\\{byte:03o}" for byte in text.encode("latin-1", "replace"))
    return shlex.quote(text) if text.isprintable() else f"\"$(printf '{octal}')\""


def _parse(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return NO_JSON


def why_no_json(body: bytes) -> str:
    """Say why a body cannot be read as JSON."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return "the body is not UTF-8"
    return "the body is not JSON"


def as_text(body: bytes) -> str | None:
    """Return a body as text, or None when it is not printable UTF-8."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return text if text.translate(WITHOUT_BREAKS).isprintable() else None


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
