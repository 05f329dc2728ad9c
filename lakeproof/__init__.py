"""lakeproof: conformance kit and reference server for lakehouse catalogs.

    with lakeproof.serve("lance") as server:      # a mock, in this process
        client.connect(server.url)

    results, code = lakeproof.check("http://localhost:2333")

Parts are imported on first use: a mock does not wait for the import of the suite.
"""

import importlib
from typing import TYPE_CHECKING, Any

from lakeproof.packages import bind_packages, suite_faults

if TYPE_CHECKING:
    from lakeproof.checking import check, reproduce
    from reference_server.control.client import TenantServer, connect
    from reference_server.rules.rule import Rule
    from reference_server.serve import Server, ServerSettings, serve

__all__ = ["Rule", "Server", "ServerSettings", "TenantServer", "check", "connect", "reproduce", "serve"]
_MODULES = {
    "Rule": "reference_server.rules.rule",
    "TenantServer": "reference_server.control.client",
    "connect": "reference_server.control.client",
    "Server": "reference_server.serve",
    "ServerSettings": "reference_server.serve",
    "serve": "reference_server.serve",
    "check": "lakeproof.checking",
    "reproduce": "lakeproof.checking",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    bind_packages()
    importlib.import_module("reference_server.faults").register(*suite_faults())
    return getattr(importlib.import_module(_MODULES[name]), name)
