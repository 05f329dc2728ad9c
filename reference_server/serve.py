"""Starting and stopping the server: one code path for the command line, tests and embedding."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from aiohttp import web

from reference_server import derived_faults
from reference_server.app import App
from reference_server.auth import Auth, parse_auth
from reference_server.backends import Backend, open_backend
from reference_server.faults import find_fault
from reference_server.iceberg import IcebergWing
from reference_server.lance import LanceWing
from reference_server.wing import Wing
from specs.problems import Problem
from specs.profiles import APIS, Profile, find_profile

STOP_SECONDS = 5.0
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server is started.

    `apis` are the APIs or profiles to serve; one that is named alone is mounted at the root, and none
    means all. `storage` is a value of `--storage`. `page_size` is the largest page of a listing,
    `managed_versions` tells Lance clients to keep versions of tables through the catalog, `max_body` is
    the largest body in bytes. `warehouses` are those of Iceberg, `NAME` or `NAME=URI`, the default one first;
    `namespaces` are there from the beginning in the default one, levels with dots between them; `functions`
    is the folder that they have functions from, see reference_server/iceberg/catalog/function_files.py;
    `scan_planning` says whether plannings of Iceberg scans are done at once (`sync`) or in the background (`async`).
    """

    apis: tuple[str, ...] = ()
    host: str = LOOPBACK
    port: int = 0
    storage: str = "memory"
    auth: str = "none"
    faults: tuple[str, ...] = ()
    allow_faults: bool = False
    page_size: int = 1000
    managed_versions: bool = False
    max_body: int = 64 << 20
    access_log: str | None = None
    warehouses: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    functions: str = ""
    scan_planning: str = "sync"


class Server:
    """A running server: its event loop lives in a thread of its own."""

    def __init__(self, settings: ServerSettings) -> None:
        """Prepare the server. Raises Problem for settings that cannot be served."""
        self.settings = settings
        self.port = 0
        self._loop = _new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lakeproof-server", daemon=True)
        self._log = _open_log(settings.access_log)
        self._app = self._build()
        self._runner: web.ServerRunner | None = None

    def _build(self) -> App:
        settings = self.settings
        faults = [find_fault(name) for name in settings.faults]
        auth = parse_auth(settings.auth)
        wings: dict[str, Wing] = {}
        for name in settings.apis or APIS:
            profile = find_profile(name)
            backend = open_backend(settings.storage, profile.api)
            mount = "" if len(settings.apis) == 1 else profile.mount
            wings[mount] = _build_wing(profile, backend, settings, auth)
        return App(wings, auth, faults, settings.allow_faults, settings.max_body, self._log)

    @property
    def urls(self) -> dict[str, str]:
        """The base URL of every API served."""
        return {wing.api: f"{self._base}{mount}" for mount, wing in self._app.wings.items()}

    @property
    def url(self) -> str:
        """The base URL of the only API served, or of the first."""
        return next(iter(self.urls.values()))

    @property
    def reached(self) -> frozenset[str]:
        """The derived faults that changed a request or an answer so far."""
        return frozenset(self._app.state.get(derived_faults.REACHED, ()))

    @property
    def _base(self) -> str:
        host = f"[{self.settings.host}]" if ":" in self.settings.host else self.settings.host
        return f"http://{host}:{self.port}"

    def start(self) -> Server:
        """Listen. Raises Problem when the port is taken or the address is not ours."""
        self._thread.start()
        try:
            self.port = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        except OSError as error:
            self.stop()
            reason = os.strerror(error.errno or 0)
            raise Problem(
                f"The server cannot listen on {self.settings.host}:{self.settings.port}: {reason}.",
                "Choose another port with --port, or 0 for any free one.",
            ) from None
        return self

    async def _listen(self) -> int:
        for wing in self._app.wings.values():
            await wing.start()
        self._runner = web.ServerRunner(web.Server(self._app.handle), shutdown_timeout=STOP_SECONDS)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self.settings.host, self.settings.port)
        await site.start()
        port: int = self._runner.addresses[0][1]
        return port

    def stop(self) -> None:
        """Finish what is under way, close everything and remove what was temporary."""
        if self._loop.is_closed():
            return
        if self._runner is not None:
            asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._app.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if self._log not in (None, sys.stderr):
            self._log.close()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _build_wing(profile: Profile, backend: Backend, settings: ServerSettings, auth: Auth) -> Wing:
    """Return the wing of a profile's API on an open backend, which is closed again when that fails."""
    document, page_size = profile.document(), settings.page_size
    try:
        if profile.api == "iceberg":
            return IcebergWing(
                document,
                backend,
                page_size=page_size,
                auth=auth,
                warehouses=settings.warehouses,
                namespaces=settings.namespaces,
                functions=settings.functions,
                scan_planning=settings.scan_planning,
            )
        return LanceWing(document, backend, page_size=page_size, managed=settings.managed_versions)
    except Problem:
        backend.close()
        raise


def _new_event_loop() -> asyncio.AbstractEventLoop:
    """Return uvloop's event loop where it is installed (`lakeproof[fast]`), else Python's own."""
    if importlib.util.find_spec("uvloop") is None:
        return asyncio.new_event_loop()
    import uvloop  # noqa: PLC0415 - optional

    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def _open_log(path: str | None) -> TextIO | None:
    if path is None or path == "-":
        return sys.stderr if path else None
    try:
        return Path(path).open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise Problem(
            f"The access log {path} cannot be written: {error.strerror}.", "Give another --access-log."
        ) from None


def serve(*apis: str, **settings: Any) -> Server:
    """Return a server for a `with` block, by default on a free loopback port.

        with serve("lance") as server:
            client.connect(server.url)

    `apis` are API or profile names, all of them when none is given; `settings` are the fields of
    ServerSettings. Raises Problem for settings that cannot be served.
    """
    return Server(ServerSettings(apis=apis, **settings))
