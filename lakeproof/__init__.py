"""lakeproof: conformance kit and reference server for lakehouse catalogs.

with lakeproof.serve("lance") as server:      # a mock, in this process
    client.connect(server.url)

results, code = lakeproof.check("http://localhost:2333")
"""

from lakeproof.check import check
from reference_server.serve import Server, ServerSettings, serve

__all__ = ["Server", "ServerSettings", "check", "serve"]
