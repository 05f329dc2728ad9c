"""Requests within limits: a deadline for each request, an end for the run, retries for an unreliable server.

After 429 or 503 with Retry-After the client waits as told. A broken connection is counted, and the request sent again
where that is allowed. A server that refuses connections has GONE_SECONDS, or those of --wait, to come back: a request
during which it died is not sent again, and a server that stays away ends the run.
"""

from __future__ import annotations

import http.client
import re
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import urllib3

from conformance.http.deadlines import open_pool
from conformance.http.deaths import Deaths
from conformance.http.gate import Gate
from conformance.http.retry_after import seconds_to_wait
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Stopped
from specs.problems import Problem

MOST_WAITS = 5
ATTEMPTS = 4  # of a request that may be retried, each on a new connection
CLOSE = "close"
GONE_SECONDS = 10.0
PAUSE = 0.5
NOT_UP = (502, 503, 504)
HANGS = 5  # consecutive requests without a complete answer in time: the server hangs
CLEAN_UP_SECONDS = 60.0  # limit of clean-up after the end of the run's time
MAX_ANSWER = 256 << 20
CUT = "before the end of the body"
OF_PYTHON = re.compile(r"\[[^]]*\]|\(_ssl\.c:\d+\)")  # codes and source places in Python's error messages


@dataclass(frozen=True, slots=True)
class Tls:
    """Files of TLS: the server's authorities, the client's certificate and key; "" for the system's defaults."""

    ca: str = ""
    insecure: bool = False
    cert: str = ""
    key: str = ""

    def context(self) -> ssl.SSLContext:
        """Return the TLS context. Raises Problem for an unusable file; never prompts for a password."""
        files = [self.ca]
        try:
            context = ssl.create_default_context(cafile=self.ca or None)
            if self.cert:
                files = [self.cert, self.key] if self.key else [self.cert]
                context.load_cert_chain(self.cert, self.key or None, password="")
        except (OSError, ssl.SSLError) as error:
            names, reason = " with ".join(files), _reason(error).replace("PEM lib", "of another kind, or encrypted")
            raise Problem(f"{names} cannot be used for TLS: {reason}.", "Give files in PEM format.") from None
        if self.insecure:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)  # it was asked for
        return context


@dataclass(frozen=True, slots=True)
class Connection:
    """The URL of the target, the headers of every request, and the seconds that each request may take."""

    url: str
    headers: Mapping[str, str]
    timeout: float
    tls: Tls = Tls()

    def with_headers(self, headers: Mapping[str, str | None]) -> Connection:
        """Return a connection with other headers; a header of None is not sent."""
        merged = {**self.headers, **headers}
        return replace(self, headers={name: value for name, value in merged.items() if value is not None})


@dataclass
class Traffic:
    """Observations about the server that all clients of a run share.

    `ends` is the end of the run's time on the monotonic clock, None for no end. `broken` counts requests whose
    connection broke, `waited` the seconds that the server asked for. `last` is the latest request that reached it,
    `patience` the seconds that a server which refuses connections has to come back, if more than GONE_SECONDS.
    `interrupted` is true from an interruption until the run has ended, `abandoned` from the one that ends its clean-up.
    `gate` is that of a read-only run.
    """

    requests: int = 0
    broken: int = 0
    waits: int = 0
    waited: float = 0.0
    ends: float | None = None
    patience: float = 0.0
    deaths: Deaths = field(default_factory=Deaths)
    hangs: int = 0
    first_hang: Exchange | None = None
    last: Exchange | None = None
    stopped: Stopped | None = None
    cleaning: bool = False
    interrupted: bool = False
    abandoned: bool = False
    impatient: bool = False
    gate: Gate | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self) -> None:
        """Raise Stopped when the run is over, and Died when the requirement is; clean-up goes on after a death.

        Raises KeyboardInterrupt as check_interrupted does.
        """
        self.check_end()
        if not self.cleaning:
            self.deaths.check()

    def check_end(self) -> None:
        """Raise Stopped when the run is over: clean-up may exceed its time, unless the server is gone."""
        self.check_interrupted()
        if self.stopped and (self.stopped.gone or not self.cleaning):
            raise self.stopped
        if self.ends is not None and time.monotonic() > self.ends + (CLEAN_UP_SECONDS if self.cleaning else 0):
            self.stop(Stopped("the run's time is over", "max-time"))

    def check_interrupted(self) -> None:
        """Raise KeyboardInterrupt again if code lost it: Python drops exceptions raised in a destructor.

        Raises Stopped in another thread, where the run ends its clean-up.
        """
        if threading.current_thread() is threading.main_thread():
            if self.abandoned or (self.interrupted and not self.cleaning):
                raise KeyboardInterrupt
        elif self.abandoned:
            raise Stopped("the clean-up was interrupted", "interruption")

    def stop(self, stopped: Stopped) -> None:
        """End the run, now and for every later request."""
        self.stopped = self.stopped or stopped
        raise stopped

    def note(self, exchange: Exchange) -> None:
        """Count a request and its outcome. Raises Stopped when the server hangs."""
        with self.lock:
            self.requests += 1
            self.broken += exchange.broken
            if exchange.status or exchange.broken:
                self.last = exchange
            if exchange.broken:
                self.deaths.note_broken(exchange)
            if not exchange.hung:
                self.hangs = 0
                return
            self.first_hang = self.first_hang if self.hangs else exchange
            self.hangs += 1
        if self.hangs >= HANGS:
            first = self.first_hang or exchange
            message = f"the server hangs: {HANGS} requests in a row got no complete answer, first {name_of(first)}"
            self.stop(Stopped(message, "target", gone=True, exchange=first))

    def absorb(self, requests: int, broken: int, waits: int, waited: float) -> None:
        """Add the counts of another process of the run."""
        self.requests += requests
        self.broken += broken
        self.waits += waits
        self.waited += waited

    def notes(self) -> list[str]:
        """Return the notes on connections for reports, one line each."""
        lines = []
        if self.broken:
            lines.append(f"the server closed {self.broken:,} of {self.requests:,} connections without an answer")
        if self.waits:
            times = "once" if self.waits == 1 else f"{self.waits:,} times"
            lines.append(f"the server asked {times} for a later retry, {self.waited:.0f} s in total")
        return lines


class Transport:
    """Sends requests to one target. Each thread has its own transport; they share the traffic."""

    def __init__(self, connection: Connection, traffic: Traffic) -> None:
        split = urlsplit(connection.url)
        self.traffic = traffic
        self.base = split.path.rstrip("/")
        self.origin = f"{split.scheme}://{split.netloc}"
        self._seconds = connection.timeout
        self._tls = connection.tls.context() if split.scheme == "https" else None
        self._pool = open_pool(self.origin, connection.timeout, self._tls)

    def send(self, exchange: Exchange, *, again: bool) -> None:
        """Send a request and store the answer, or the reason why there is none, in its exchange.

        `again` allows a retry after a broken connection. Raises Stopped when the run is over, and Died when the server
        died during a request of this requirement.
        """
        for attempt in range(ATTEMPTS):
            self.traffic.check()
            self._patiently(exchange)
            if exchange.request_headers.get("Connection") == CLOSE:  # no further request goes through it, RFC 9112
                self.reconnect()
            fatal = self.traffic.deaths.is_suspect(exchange)
            if not exchange.broken or not again or fatal or attempt + 1 == ATTEMPTS:
                return
            exchange.resent = True

    def _patiently(self, exchange: Exchange) -> None:
        """Send a request, and retry after the time that the server asks for."""
        for _ in range(MOST_WAITS):
            self._until_there(exchange)
            seconds = seconds_to_wait(exchange)
            if seconds is None or self.traffic.impatient:
                break
            self.traffic.waits += 1
            self.traffic.waited += seconds
            self._sleep(seconds)
            self.traffic.check()
        self.traffic.impatient = seconds_to_wait(exchange) is not None  # waiting does not help: stop waiting

    def _until_there(self, exchange: Exchange) -> None:
        """Send a request, again after the server has come back; not again if it died during this request.

        A server that never answered is not waited for: there may be none.
        """
        while self._once(exchange) and self.traffic.last:
            self.traffic.deaths.note_refused()
            self._wait_until_back(self.traffic.last)
            self.traffic.check()
            if self.traffic.deaths.is_suspect(exchange):
                return
        self.traffic.note(exchange)

    def _wait_until_back(self, last: Exchange) -> None:
        """Wait for a server that refuses connections. Raises Stopped when it stays away; `last` reached it last."""
        deaths, ends = self.traffic.deaths, time.monotonic() + max(GONE_SECONDS, self.traffic.patience)
        while not self._answers():
            if time.monotonic() > ends:
                shown = [broken.exchange for broken in deaths.suspects] or [last]
                message = f"the server is gone: it refuses connections after {name_of(shown[0])}"
                self.traffic.stop(Stopped(message, "target", gone=True, exchange=shown[0]))
            self._sleep(PAUSE)
            self.traffic.check_end()
        deaths.note_back()

    def _answers(self) -> bool:
        """True when the server answers at all: a gateway in front of it may answer that it is not up."""
        try:
            response = self._pool.urlopen("GET", self.base or "/", redirect=False, retries=False, preload_content=False)
            response.close()
        except (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError):
            return False
        return response.status not in NOT_UP

    def _sleep(self, seconds: float) -> None:
        ends = self.traffic.ends
        time.sleep(seconds if ends is None else max(0.0, min(seconds, ends + CLEAN_UP_SECONDS - time.monotonic())))

    def _once(self, exchange: Exchange) -> bool:
        """Send a request once; return whether the connection was refused."""
        exchange.status, exchange.failure, exchange.broken, exchange.hung = 0, "", False, False
        exchange.response_headers, exchange.response_body = {}, b""
        started = time.perf_counter()
        try:
            self._exchange(exchange)
        except urllib3.exceptions.NewConnectionError as error:
            exchange.failure = f"no connection: {_reason(error)}"
            return True
        except (urllib3.exceptions.TimeoutError, TimeoutError):
            exchange.failure, exchange.hung = f"no complete answer within {self._seconds:g} s", True
        except (urllib3.exceptions.ProtocolError, http.client.HTTPException, OSError) as error:
            exchange.failure, exchange.broken = f"the connection broke: {_reason(error)}", True
        except urllib3.exceptions.SSLError as error:
            exchange.failure = f"TLS fails: {_reason(error)}"
        except urllib3.exceptions.HTTPError as error:
            exchange.failure = f"the answer cannot be read: {_reason(error)}"
        finally:
            exchange.seconds = time.perf_counter() - started
        return False

    def _exchange(self, exchange: Exchange) -> None:
        response = self._pool.urlopen(
            exchange.method,
            exchange.url.removeprefix(self.origin),
            body=exchange.request_body or None,
            headers=dict(exchange.request_headers),
            redirect=False,
            retries=False,
            preload_content=False,
        )
        try:
            body = response.read(MAX_ANSWER + 1)
            if len(body) > MAX_ANSWER:
                exchange.failure = f"the answer is longer than {MAX_ANSWER >> 20} MiB"
                response.close()
                return
        finally:
            response.release_conn()
        exchange.response_headers, exchange.response_body = response.headers, body
        exchange.status = response.status

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def reconnect(self) -> None:
        """Close the connections: the next request opens a new one.

        The new pool is there before the old one is closed: an interruption in between leaves one that can be used.
        """
        former, self._pool = self._pool, open_pool(self.origin, self._seconds, self._tls)
        former.close()


def name_of(exchange: Exchange) -> str:
    """Return a short name of a request: operation, method and path."""
    path = urlsplit(exchange.url).path
    return f"{exchange.operation} ({exchange.method} {path})" if exchange.operation else f"{exchange.method} {path}"


def _reason(error: BaseException) -> str:
    """Return the message of an error's innermost cause, in words where the error has values alone."""
    while isinstance(error.args[-1] if error.args else None, BaseException):
        error = error.args[-1]
    if isinstance(error, http.client.IncompleteRead):
        partial: Any = error.partial  # urllib3 has the number of bytes
        came = partial if isinstance(partial, int) else len(partial)
        return f"{came:,} of {came + error.expected:,} bytes came" if error.expected else CUT
    if isinstance(error, http.client.BadStatusLine) and not isinstance(error, http.client.RemoteDisconnected):
        return f"no HTTP status line, but {str(error.args[0]).strip()}"
    words = getattr(error, "strerror", None) or str(error.args[-1] if error.args else "")
    return OF_PYTHON.sub("", words).rpartition(": ")[2].strip() or type(error).__name__
