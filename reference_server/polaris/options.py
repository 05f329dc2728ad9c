"""Options of an Apache Polaris server."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reference_server.options import Options, option
from reference_server.polaris.entities.bootstrap import ROOT_PRINCIPAL, RootCredentials
from reference_server.polaris.entities.credentials import new_client_id, new_secret
from specs.openapi import Document
from specs.problems import Problem

REALM = "POLARIS"


@dataclass(frozen=True)
class PolarisOptions(Options):
    """Fields: `bootstrap`, the client id and the secret of root, set at the first start; `realm`, the served one."""

    bootstrap: str = option(
        "",
        "--bootstrap",
        "client id and secret of root, for the first start on a storage.  [default: random ones, shown once]",
        metavar="ID:SECRET",
    )
    realm: str = option(REALM, "--realm", "the realm that requests may name.", metavar="NAME", show_default=True)

    @classmethod
    def embedded(cls, _document: Document, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return options with the run's credential as root's, without a catalog; see Options."""
        credential = given["credential"] or f"{ROOT_PRINCIPAL}:{secrets.token_hex(16)}"
        scope = given["scope"] or "PRINCIPAL_ROLE:ALL"
        settings = {"credential": credential, "token": "", "scope": scope, "warehouse": ""}
        return {"bootstrap": credential}, settings

    @cached_property
    def root(self) -> RootCredentials:
        """The credentials of root, random by default. Raises Problem for a client id or a secret alone."""
        client_id, _, secret = self.bootstrap.partition(":")
        if self.bootstrap and not (client_id and secret):
            raise Problem("The value of --bootstrap has no client id or no secret.", "Example: --bootstrap root:s3cr3t")
        return RootCredentials(client_id or new_client_id(), secret or new_secret())
