"""The client under test, as small as it can be: it repeats after 503 and 409, and replaces a token that was refused."""

from __future__ import annotations

from typing import Any

import httpx
import requests

ATTEMPTS = 3
TABLES = "/v1/namespaces/a/tables"
TIMEOUTS = (requests.Timeout, httpx.TimeoutException)
BREAKS = (requests.ConnectionError, requests.exceptions.ChunkedEncodingError, httpx.TransportError)


class Refused(Exception):
    """An answer with an error."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{status} {body}")
        self.status = status


class Client:
    """Client of the table `a.t`, over requests or httpx.

    `credential` is exchanged for a token as soon as the server refuses a request with 401 or 419. `prefix` is that of
    paths. `sent` counts requests.
    """

    def __init__(self, url: str, http: Any = None, *, credential: str = "root:s3cret", prefix: str = "") -> None:
        self.url, self.http, self.credential, self.prefix = url, http or requests.Session(), credential, prefix
        self.headers: dict[str, str] = {}
        self.sent = 0

    def load(self, timeout: float = 10) -> Any:
        """Return the loaded table. Raises Refused, TimeoutError and ConnectionError."""
        return self._json("GET", f"{TABLES}/t", timeout=timeout)

    def properties(self) -> Any:
        """Return the properties of the table."""
        return self.load()["metadata"]["properties"]

    def commit(self, **properties: str) -> None:
        """Set properties of the table; after 409 once more."""
        for last in (False, True):
            requirement = {"type": "assert-table-uuid", "uuid": self.load()["metadata"]["table-uuid"]}
            update = {"action": "set-properties", "updates": properties}
            try:
                self._json("POST", f"{TABLES}/t", {"requirements": [requirement], "updates": [update]})
                return
            except Refused as error:
                if last or error.status != 409:
                    raise

    def names(self) -> list[str]:
        """Return the names of all tables, from every page."""
        found, token = [], ""
        while True:
            answer = self._json("GET", TABLES, params={"pageToken": token} if token else {})
            found += [one["name"] for one in answer["identifiers"]]
            token = answer.get("next-page-token") or ""
            if not token:
                return found

    def views(self) -> Any:
        """Return the views."""
        return self._json("GET", "/v1/namespaces/a/views")["identifiers"]

    def endpoints(self) -> Any:
        """Return the endpoints in the configuration."""
        return self._json("GET", "/v1/config")["endpoints"]

    def exists(self) -> int:
        """Return the status with which the table is found."""
        status, _ = self._send("HEAD", f"{TABLES}/t")
        return status

    def create(self, name: str) -> Any:
        """Create a table."""
        return self._json("POST", TABLES, {"name": name, "schema": {"type": "struct", "fields": []}})

    def _json(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        status, answer = self._send(method, path, body, **options)
        if status >= 400:
            raise Refused(status, answer)
        return answer

    def _send(self, method: str, path: str, body: Any = None, **options: Any) -> tuple[int, Any]:
        for _ in range(ATTEMPTS):
            answer = self._once(method, path, json=body, headers=self.headers, **options)
            if answer.status_code in (401, 419):
                self._replace_token()
            elif answer.status_code != 503:
                break
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        return answer.status_code, answer.json() if answer.content and is_json else None

    def _once(self, method: str, path: str, **options: Any) -> Any:
        self.sent += 1
        place = self.url + path.replace("/v1/namespaces", f"/v1{self.prefix}/namespaces")
        try:
            return self.http.request(method, place, **{"timeout": 10, **options})
        except TIMEOUTS as error:
            raise TimeoutError(str(error)) from None
        except BREAKS as error:
            raise ConnectionError(str(error)) from None

    def _replace_token(self) -> None:
        id, _, secret = self.credential.partition(":")
        form = {"grant_type": "client_credentials", "client_id": id, "client_secret": secret}
        token = self._once("POST", "/v1/oauth/tokens", data=form).json()["access_token"]
        self.headers = {"Authorization": f"Bearer {token}"}
