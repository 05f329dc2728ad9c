"""Options of an Apache Polaris server."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reference_server.options import Options, option
from reference_server.polaris.catalog.rules import DEFAULTS, PREFIX
from reference_server.polaris.entities.bootstrap import ROOT_PRINCIPAL, RootCredentials
from reference_server.polaris.entities.credentials import new_client_id, new_secret
from specs.openapi import Document
from specs.problems import Problem, did_you_mean

REALM = "POLARIS"
BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class PolarisOptions(Options):
    """Fields: `bootstrap`, the client id and the secret of root, set at the first start; `realm`, the served one.

    `allow_overlapping_locations` lets catalogs share locations. `catalog_settings`, each `NAME=true` or `NAME=false`,
    are the settings of catalogs that have no value of their own. `pages_by_size`: a catalog with pages returns one for
    a page size without a token, too.
    """

    bootstrap: str = option(
        "",
        "--bootstrap",
        "client id and secret of root, for the first start on a storage.  [default: random ones, shown once]",
        metavar="ID:SECRET",
    )
    realm: str = option(REALM, "--realm", "the realm that requests may name.", metavar="NAME", show_default=True)
    allow_overlapping_locations: bool = option(
        False, "--allow-overlapping-locations", "let catalogs share locations, which is rejected by default."
    )
    catalog_settings: tuple[str, ...] = option(
        (),
        "--catalog-setting",
        "setting of catalogs without a value of their own, such as enable.credential.vending=false; repeatable.",
        metavar="NAME=BOOL",
    )
    pages_by_size: bool = option(
        False,
        "--pages-by-size",
        "a catalog with list-pagination-enabled also returns a page for pageSize alone, against the document.",
    )

    @classmethod
    def embedded(cls, _document: Document, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return options with the run's credential as root's, without a catalog; see Options."""
        credential = given["credential"] or f"{ROOT_PRINCIPAL}:{secrets.token_hex(16)}"
        scope = given["scope"] or "PRINCIPAL_ROLE:ALL"
        settings = {"credential": credential, "token": "", "scope": scope, "warehouse": ""}
        return {"bootstrap": credential}, settings

    @property
    def flags(self) -> dict[str, bool]:
        """The settings of catalogs without a value of their own. Raises Problem for an unknown name or value."""
        flags = {}
        for given in self.catalog_settings:
            name, _, value = given.removeprefix(PREFIX).partition("=")
            if name not in DEFAULTS:
                raise Problem(f"--catalog-setting: unknown setting {name!r}.", did_you_mean(name, DEFAULTS))
            if value not in BOOLEANS:
                raise Problem(f"--catalog-setting {name} has no value.", f"Example: --catalog-setting {name}=true")
            flags[name] = BOOLEANS[value]
        return flags

    @cached_property
    def root(self) -> RootCredentials:
        """The credentials of root, random by default. Raises Problem for a client id or a secret alone."""
        client_id, _, secret = self.bootstrap.partition(":")
        if self.bootstrap and not (client_id and secret):
            raise Problem("The value of --bootstrap has no client id or no secret.", "Example: --bootstrap root:s3cr3t")
        return RootCredentials(client_id or new_client_id(), secret or new_secret())


OPTIONS = PolarisOptions
