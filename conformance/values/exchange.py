"""One request and its answer, as sent and received."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec
import orjson

from conformance.values.redaction import MADE_UP, hide_fields, hide_form, is_secret, redact

MAX_BODY = 64 << 10
MAX_STATUS = 999
ERROR_STATUS = 400  # and above
WITHOUT_BREAKS = str.maketrans("", "", "\n\r\t")
NO_JSON = object()
CURL_DEFAULT = ("Accept", "*/*")
Verb = Literal["wrote", "deleted", "staged"]
A_FILE = "a file"


def is_success(status: int) -> bool:
    """True for a 2xx status."""
    return 200 <= status < 300


class StepRequest(msgspec.Struct, kw_only=True):
    """A request in files: secrets redacted; `curl` is a shell command that sends the same request."""

    method: str
    url: str
    headers: dict[str, str]
    body: dict[str, Any] | None
    curl: str


class StepResponse(msgspec.Struct, kw_only=True):
    """An answer in files; `status` is 0 without an answer, and `failure` says why."""

    status: Annotated[int, msgspec.Meta(ge=0, le=MAX_STATUS)]
    headers: dict[str, str]
    body: dict[str, Any] | None
    failure: str


class Moment(msgspec.Struct, kw_only=True):
    """The time at which one of several concurrent clients sent a request: seconds since the first request of all."""

    client: int
    start: Annotated[float, msgspec.Meta(ge=0)]


class Beside(msgspec.Struct, kw_only=True, frozen=True):
    """An action beside HTTP: `verb` is its kind, `thing` its object in words, such as "a file"."""

    verb: Verb
    thing: str = A_FILE


class Step(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An exchange in results and in the wire log: bodies are {"json"}, {"text", "size"} or {"base64", "size"}.

    A step with `beside` is an action of the run beside HTTP: its request has the location in place of a URL and the
    content of a written file as its body; it has no response.

    `mark` is that of the exchange, `seconds` the duration; `moment` is set for races only. `issued` are secrets of the
    answer: the variable that replaces each, and its key with the number of that key. `borne` are headers and form
    fields that carry a secret of an earlier answer, with the variable in its place.
    """

    operation: str
    request: StepRequest
    response: StepResponse
    seconds: float
    mark: str
    moment: Moment | None = None
    issued: dict[str, str] = msgspec.field(default_factory=lambda: {})
    borne: dict[str, str] = msgspec.field(default_factory=lambda: {})
    beside: Beside | None = None

    def bears(self, variables: Collection[str]) -> bool:
        """True when the request carries one of the secrets that these variables replace."""
        return any(value.endswith(tuple(variables)) for value in self.borne.values())


@dataclass(frozen=True, slots=True)
class Action:
    """An action beside HTTP at a location; `content` is that of a written file."""

    beside: Beside
    location: str
    content: bytes = b""

    def to_step(self) -> Step:
        """Return the action as a step for files, its content truncated to MAX_BODY bytes."""
        words = f"{self.beside.verb} {self.beside.thing}: {self.location}"
        return Step(
            operation="",
            request=StepRequest(
                method="",
                url=self.location,
                headers={},
                body=body_to_json(self.content),
                curl=f": {shlex.quote(words)}",
            ),
            response=StepResponse(status=0, headers={}, body=None, failure=""),
            seconds=0.0,
            mark="",
            beside=self.beside,
        )


@dataclass(slots=True)
class Exchange:
    """A request with its answer; `status` is 0 without an answer (`failure` says why).

    `broken` means that the connection broke, `hung` that no complete answer came in time, `resent` that the request was
    sent again after either: the server may have executed it twice. `defect` is the first deviation of the answer from
    the document: its place, in the form of `mark`, and a description. `made_up` are headers whose secrets the
    requirement invented: they are not those of the run. `before` are actions beside HTTP since the previous request.

    `mark` points at the offending field of the answer: "status", "header:NAME" or a JSON pointer behind "body:".
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
    before: tuple[Action, ...] = ()
    moment: Moment | None = None
    _parsed: tuple[bytes, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def succeeded(self) -> bool:
        """True for a 2xx answer."""
        return is_success(self.status)

    def json(self, default: Any = None) -> Any:
        """Return the body of the answer as JSON, the default if it is not JSON.

        All readers of an answer share one parsed value: do not change it.
        """
        if self._parsed is None or self._parsed[0] is not self.response_body:
            self._parsed = self.response_body, _parse(self.response_body)
        value = self._parsed[1]
        return default if value is NO_JSON else value

    def curl(self) -> str:
        """Return a shell command that sends the same request; secrets become variables.

        For a body of more than MAX_BODY bytes it names a file, which the reader has to create.
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
        """Return the exchange for files, secrets redacted and bodies truncated to MAX_BODY bytes."""
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
    """Return a header as a word of a shell command; printf makes the unprintable characters."""
    octal = "".join(f"\\{byte:03o}" for byte in text.encode("latin-1", "replace"))
    return shlex.quote(text) if text.isprintable() else f"\"$(printf '{octal}')\""


def _parse(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return NO_JSON


def why_no_json(body: bytes) -> str:
    """Return the reason why a body cannot be parsed as JSON."""
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


def is_cut(body: Mapping[str, Any] | None) -> bool:
    """True for a truncated body in results."""
    if not body or "json" in body:
        return False
    kept = len(body["text"].encode()) if "text" in body else len(base64.b64decode(body["base64"]))
    return kept < int(body["size"])
