"""Tokens: who gets one, and whether the server takes it."""

from __future__ import annotations

from conformance.http.client import Client
from conformance.polaris.catalog import EVERY_ROLE, Credentials, PolarisCatalog, credentials
from conformance.polaris.entities import Names

REFUSED = (400, 401)


def opens(catalog: PolarisCatalog, known: Credentials, scope: str = EVERY_ROLE) -> Client:
    """Check that credentials get a token that the server takes, and return who calls with it."""
    client = catalog.logged_in(known, scope)
    takes(catalog, client)
    return client


def takes(catalog: PolarisCatalog, client: Client) -> None:
    """Check that the server takes the token of a client: everybody may read the configuration of a catalog."""
    catalog.within(catalog.home, client).get_config(warehouse=catalog.home)


def refuses(catalog: PolarisCatalog, known: Credentials) -> None:
    """Check that credentials get no token."""
    catalog.ask_token(known.form(), expect=REFUSED)


def rotated(catalog: PolarisCatalog, id: Names, known: Credentials) -> Credentials:
    """Let a principal rotate its credentials, and return the new ones."""
    return credentials(catalog.called_by(catalog.logged_in(known)).rotate_credentials(id[-1]))
