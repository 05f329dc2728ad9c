"""Proxy for a Lance Namespace server without CreateEmptyTable: it declares the table instead.

    python peers/empty_tables.py http://127.0.0.1:2444 [port=2445]

Spark's connector calls that operation, which newer servers no longer offer. All other requests are forwarded unchanged.
The first line of output is `ready: URL`.
"""

from __future__ import annotations

import asyncio
import sys

from aiohttp import ClientSession, web
from yarl import URL

HOST = "127.0.0.1"
ASKED, SENT = "/create-empty", "/declare"
HOP = ("Transfer-Encoding", "Content-Length", "Content-Encoding", "Connection")


async def serve(target: str, port: int) -> None:
    """Forward requests until cancelled."""
    async with ClientSession(auto_decompress=False) as session:

        async def forward(request: web.Request) -> web.Response:
            path = request.raw_path.replace(ASKED, SENT, 1)
            headers = {name: value for name, value in request.headers.items() if name not in HOP}
            body = await request.read()
            async with session.request(
                request.method, URL(target + path, encoded=True), headers=headers, data=body
            ) as response:
                passed_headers = {name: value for name, value in response.headers.items() if name not in HOP[:2]}
                return web.Response(status=response.status, headers=passed_headers, body=await response.read())

        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{path:.*}", forward)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, HOST, port)
        await site.start()
        sys.stdout.write(f"ready: http://{HOST}:{port}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    """Start the proxy and run until killed."""
    options = dict(pair.split("=", 1) for pair in sys.argv[2:])
    asyncio.run(serve(sys.argv[1].rstrip("/"), int(options.get("port", "2445"))))


if __name__ == "__main__":
    main()
