"""Control of a server from Python: methods that use the control paths of a server in any process."""

from __future__ import annotations

import ssl
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from types import TracebackType
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson

from reference_server.control.paths import CONTROL, VERIFY
from reference_server.control.recorded import RecordedRequest
from reference_server.rules.client import RuleControls
from specs.openapi import JSON_TYPE
from specs.problems import Problem

SECONDS = 60.0
"""Longest wait for an answer: a large seed takes a while."""


class Controls(RuleControls):
    """Methods of a server, or of one of its tenants, over its control paths."""

    @property
    @abstractmethod
    def control_address(self) -> str:
        """The URL in front of the control paths."""

    @property
    @abstractmethod
    def control_token(self) -> str:
        """The token of the control paths, "" without one."""

    @property
    def client_tls(self) -> ssl.SSLContext | None:
        """The context of a client that trusts the server, None for a server without TLS."""
        return None

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request to a control path, given below `/_lakeproof`, and return the JSON of the answer.

        Raises Problem with the server's message when the server refuses it or cannot be reached.
        """
        address = urlsplit(self.control_address)
        headers = {"Content-Type": JSON_TYPE}
        if self.control_token:
            headers["Authorization"] = f"Bearer {self.control_token}"
        content = None if body is None else orjson.dumps(body, default=_plain)
        host, tls = address.hostname or "", self.client_tls
        if address.scheme == "https":
            connection: HTTPConnection = HTTPSConnection(host, address.port, timeout=SECONDS, context=tls)
        else:
            connection = HTTPConnection(host, address.port, timeout=SECONDS)
        try:
            connection.request(method, f"{address.path}{CONTROL}{path}", content, headers)
            response = connection.getresponse()
            answer = _value(response.read())
        except (OSError, HTTPException) as error:
            reason = str(error) or type(error).__name__
            raise Problem(f"The control paths of {self.control_address} cannot be reached: {reason}.") from None
        finally:
            connection.close()
        if response.status >= 400:
            raise Problem(_message(answer) or f"{method} {CONTROL}{path} returned {response.status}.")
        return answer

    def requests(self, operation: str | None = None) -> list[RecordedRequest]:
        """Return the latest requests with their answers, the oldest first; of one operation if it is named.

        Raises Problem for an unknown operation, with the nearest names, and for a server without a journal.
        """
        query = f"?{urlencode({'operation': operation})}" if operation else ""
        return [RecordedRequest.of(entry) for entry in self.control("GET", f"/requests{query}")["requests"]]

    def forget_requests(self) -> None:
        """Clear the journal."""
        self.control("DELETE", "/requests")

    def assert_requested(
        self,
        operation: str,
        *,
        times: int | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Any = None,
        exact: bool = False,
        parameters: Mapping[str, str | None] | None = None,
    ) -> None:
        """Assert that an operation was requested `times` times, by default at least once.

        Only requests with these values count: in the `query`, in `headers`, in the `body`, and as `parameters` of the
        path. None stands for an absent value. The `body` may have further fields, and further items in its lists,
        unless it is `exact`. Raises AssertionError, whose message shows the nearest request, and Problem for an unknown
        operation. Warns of rules on the operation that have changed nothing.
        """
        __tracebackhide__ = True  # pytest then shows the line of the test
        expected = {"query": query, "headers": headers, "parameters": parameters, "body": body, "exact": exact}
        result = self.control("POST", f"/requests{VERIFY}", {"operation": operation, "times": times, **expected})
        if not result["verified"]:
            raise AssertionError("\n".join([result["message"], *result["idle_rules"]]))
        for sentence in result["idle_rules"]:
            warnings.warn(sentence, stacklevel=2)

    def reset(self) -> None:
        """Reset catalogs, rules and journal to the start of the server, its seed included; tokens stay valid.

        Raises Problem for a server on a directory: a tenant can be reset there.
        """
        self.control("POST", "/reset")

    def seed(self, seed: Mapping[str, Any]) -> dict[str, Any]:
        """Plant a seed; return the credentials that it created, by API and by the names of their owners.

            server.seed({"tables": {"a.t": {"schema": {"id": "long"}, "rows": [{"id": 1}]}}})

        docs/mock-server.md describes seeds. Raises Problem with the place of a mistake.
        """
        credentials: dict[str, Any] = self.control("POST", "/seed", seed)["credentials"]
        return credentials

    def tenant(self, id: str = "", *, seed: Mapping[str, Any] | None = None) -> TenantServer:
        """Make a tenant of this server, apart from all others, empty or with a seed; by default with a new id.

            with server.tenant() as tenant:
                client.connect(tenant.url)

        Raises Problem for an id that cannot be one, and for a seed with a mistake.
        """
        body = {**({"id": id} if id else {}), **({"seed": seed} if seed is not None else {})}
        made = self.control("POST", "/tenants", body)
        return TenantServer(self, made["id"], made["prefix"], made["credentials"])


class RemoteServer(Controls):
    """A server that runs elsewhere, by the URL in front of its control paths."""

    def __init__(self, address: str, token: str = "", tls: ssl.SSLContext | None = None) -> None:
        """Look up the URLs of its APIs. Raises Problem for a server that refuses it or cannot be reached."""
        self._address, self._token, self._tls = address.rstrip("/"), token, tls
        split = urlsplit(self._address)
        apis = self.control("GET", "")["apis"]
        self.urls: dict[str, str] = {api: f"{split.scheme}://{split.netloc}{path}" for api, path in apis.items()}

    @property
    def url(self) -> str:
        """The base URL of the only API served, or of the first."""
        return next(iter(self.urls.values()))

    @property
    def control_address(self) -> str:
        """The URL in front of the control paths."""
        return self._address

    @property
    def control_token(self) -> str:
        """The token of the control paths, "" without one."""
        return self._token

    @property
    def client_tls(self) -> ssl.SSLContext | None:
        """The context of a client that trusts the server, None for the authorities of the system."""
        return self._tls


class TenantServer(RemoteServer):
    """A tenant of a server, used like a server of its own; a `with` block drops it at its end."""

    def __init__(self, server: Controls, id: str, prefix: str, credentials: Mapping[str, Any]) -> None:
        """Find a tenant of a server by its id and the prefix of its paths; `credentials` are those of its seed."""
        origin = urlsplit(server.control_address)
        super().__init__(f"{origin.scheme}://{origin.netloc}{prefix}", server.control_token, server.client_tls)
        self.id = id
        self.credentials = credentials

    def drop(self) -> None:
        """Drop the tenant with everything in it. Raises Problem for one that is dropped."""
        self.control("DELETE", f"/tenants/{self.id}")

    def __enter__(self) -> TenantServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()


def connect(address: str, *, control_token: str = "", ca: str = "") -> RemoteServer:
    """Return a running server, such as one in a container, by the URL that `lakeproof serve` prints.

    `ca` is the file of an authority to trust. Raises Problem for a server that refuses it or cannot be reached.
    """
    try:
        tls = ssl.create_default_context(cafile=ca) if ca else None
    except OSError as error:
        raise Problem(f"ca: {ca} cannot be read: {error}.", "Give a PEM file.") from None
    return RemoteServer(address, control_token, tls)


def _plain(value: Any) -> str:
    """Return a value of a seed that JSON lacks as text: bytes in hexadecimal, a decimal in digits."""
    return value.hex() if isinstance(value, bytes) else str(value)


def _value(text: bytes) -> Any:
    """Return the value of JSON text, None for an empty or another text."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _message(answer: Any) -> str:
    error = answer.get("error") if isinstance(answer, dict) else None
    return str(error.get("message", "")) if isinstance(error, dict) else ""
