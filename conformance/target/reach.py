"""Servers that cannot be reached: the reason, and the way out. Imported before the slower parts of the suite."""

from __future__ import annotations

import contextlib
import socket
import ssl
from urllib.parse import urlsplit

from conformance.values.settings import Settings
from specs.ports import DEFAULT_PORTS
from specs.problems import Problem

SECONDS = 1.0
PLAIN, ENCRYPTED = "http", "https"
NOBODY_THERE = "Check the URL, and that the server is running; --wait SECONDS waits for one that is starting."
# What OpenSSL says of an answer that is no TLS.
NO_TLS = ("wrong version number", "record layer failure", "http request", "unknown protocol")
TLS_ADVICE = {
    "certificate required": "Give the client's certificate with --cert FILE, and its key with --key FILE.",
    "TLS": "Give the authority that signed its certificate with --ca FILE, or accept any with --insecure.",
}


def check_listening(settings: Settings) -> None:
    """Raise Problem when the host of these settings does not resolve, or refuses connections.

    If the settings allow to wait for the server, it may still come. Any other defect of the URL or the server is left
    to the run's first request, whose error says more.
    """
    if settings.wait:
        return
    with contextlib.suppress(ValueError):  # the URL is invalid
        split = urlsplit(settings.server)
        if split.hostname and split.scheme in DEFAULT_PORTS:
            try:
                socket.create_connection(_address(settings.server), SECONDS).close()
            except (ConnectionRefusedError, socket.gaierror) as error:
                raise unreachable(settings.server, f"no connection: {error.strerror}") from None
            except OSError:
                return


def unreachable(url: str, failure: str) -> Problem:
    """Return the problem of a server at a base URL that gave no answer, and why: a failed request, in words."""
    split = urlsplit(url)
    if reason := _unresolved(url):
        return Problem(
            f"{url} cannot be reached: the host {split.hostname} does not resolve ({reason}).",
            "Check the name in the URL, and the name server of this machine.",
        )
    if failure.startswith("TLS") and any(words in failure.lower() for words in NO_TLS):
        return Problem(
            f"{url} cannot be reached: the server speaks plain HTTP at this port, and no TLS.",
            f"Use {split._replace(scheme=PLAIN).geturl()}, or the port for HTTPS.",
        )
    if failure.startswith("the connection broke") and speaks_tls(url):
        return encrypted(url)
    advice = (text for words, text in TLS_ADVICE.items() if failure.startswith("TLS") and words in failure)
    return Problem(f"{url} cannot be reached: {failure}.", next(advice, NOBODY_THERE))


def encrypted(url: str) -> Problem:
    """Return the problem of a server that speaks TLS at the port of an http URL."""
    return Problem(
        f"{url} cannot be used: the server speaks TLS at this port, and no plain HTTP.",
        f"Use {urlsplit(url)._replace(scheme=ENCRYPTED).geturl()}.",
    )


def speaks_tls(url: str) -> bool:
    """True when the server at an http URL answers a TLS handshake."""
    if urlsplit(url).scheme != PLAIN:
        return False
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection(_address(url), SECONDS) as plain, context.wrap_socket(plain):
            return True
    except ssl.SSLError as error:
        return "ALERT" in (error.reason or "")
    except OSError:
        return False


def _unresolved(url: str) -> str:
    """Return the reason why the host of a URL does not resolve, "" if it does."""
    try:
        socket.getaddrinfo(*_address(url))
    except socket.gaierror as error:
        return str(error.strerror)
    except OSError:
        return ""
    return ""


def _address(url: str) -> tuple[str, int]:
    split = urlsplit(url)
    return split.hostname or "", split.port or DEFAULT_PORTS[split.scheme]
