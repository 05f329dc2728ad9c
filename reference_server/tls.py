"""TLS of a server: a certificate of its own, made at the start, or one from files."""

from __future__ import annotations

import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path

from specs.extras import missing_extra
from specs.problems import Problem

SELF_SIGNED = "self-signed"
NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS of a server: the context of its sockets, and the certificate of the authority that clients must trust.

    `authority` is PEM, "" for a certificate from a file: its owner knows the authority.
    """

    context: ssl.SSLContext
    authority: str = ""

    def client_context(self) -> ssl.SSLContext:
        """Return the context of a client in this process, which trusts this server."""
        if self.authority:
            return ssl.create_default_context(cadata=self.authority)
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # it is the server of this process, under any name
        return context


def open_tls(text: str, key: str, host: str) -> Tls | None:
    """Return the TLS that the values of `--tls` and `--tls-key` mean, None without them.

    `text` is `self-signed` or a PEM file with the certificate and its chain; `key` is the file of its private key, ""
    where the key is in the same file. Raises Problem for files that do not fit, and without the extra `tls`.
    """
    if not text:
        if key:
            raise Problem("--tls-key has no effect without --tls.", "Give --tls CERTIFICATE, or leave it out.")
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if text == SELF_SIGNED:
        if key:
            raise Problem("--tls-key has no effect with --tls self-signed.", "Give --tls CERTIFICATE.")
        return Tls(context, _issue(context, host))
    try:
        context.load_cert_chain(text, key or None, password="")
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "Give PEM files: the certificate with its chain, and with --tls-key its key without a password."
        raise Problem(f"--tls: {text} cannot be used: {reason}.", hint) from None
    return Tls(context)


def _issue(context: ssl.SSLContext, host: str) -> str:
    """Give a context a new certificate for this machine, and return the certificate of its authority."""
    try:
        import trustme  # noqa: PLC0415 - optional
    except ImportError:
        raise missing_extra("tls", "trustme") from None
    authority = trustme.CA(organization_name="lakeproof")
    issued = authority.issue_cert(*dict.fromkeys((*NAMES, *([host] if host.strip("0.:") else []))))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "server.pem"
        file.write_bytes(issued.private_key_and_cert_chain_pem.bytes())
        context.load_cert_chain(file)
    return authority.cert_pem.bytes().decode()
