"""Start and stop of the server: one code path for the command line, tests and embedding."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import json
import logging
import os
import ssl
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO, Unpack

import orjson
from aiohttp import web

import reference_server.common_faults
import reference_server.derived_faults
import reference_server.faults_in_worlds  # noqa: F401 - so that they can be looked up
from reference_server import limits
from reference_server.access_log import AccessLog
from reference_server.api import Api
from reference_server.app import App
from reference_server.auth import Auth, parse_auth
from reference_server.control.client import Controls
from reference_server.control.guard import Guard
from reference_server.control.seeds import plant_seed
from reference_server.control.tenants import Tenant, Tenants
from reference_server.faults import Fault, register
from reference_server.http_log import handle_loop_error
from reference_server.http_log import log as http_log
from reference_server.lifetimes import PLAN_SECONDS, STATUSES, TOKEN_SECONDS, Lifetimes
from reference_server.opening import Opener
from reference_server.options import Options
from reference_server.presets import Preset, find_presets
from reference_server.seeding.files import read_seed
from reference_server.serve_arguments import ServeArguments
from reference_server.tls import open_tls
from reference_server.watched_faults import Watch
from specs.apis import apis, part_of
from specs.problems import Problem
from specs.profiles import Profile, find_profile
from specs.writing import write_file, written

LOOPBACK = "127.0.0.1"
NO_JOURNAL, IN_MEMORY = JOURNALS = "none", "memory"
EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
PACKAGE = "reference_server"
SWITCH_SECONDS = 0.001
"""Seconds that a computing thread of the server keeps the others waiting; five times as many by default in Python."""


log = logging.getLogger("lakeproof.server")
SEVERAL = {"faults", "rules", "without", "like"}


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of a server.

    `apis` are the APIs or profiles to serve; a single one is mounted at the root, and none means all. `storage` is a
    value of `--storage`. `page_size` is the largest page of a listing, `max_body` the largest body in bytes.
    With `strict_requests` a request with anything that the document does not declare is refused.
    Lifetimes are in seconds, see lifetimes.py; `expired_status` refuses expired tokens. `faults` and `rules` are rules,
    see rules/rule.py; `without` are operations or groups that the server lacks, and `like` presets.
    `seed` is a seed or the file of one, which every tenant gets. `journal` is where requests are noted: `none`,
    `memory`, or a file as well. `control_token` opens the control paths to whoever has it, see control/guard.py.
    `tls` is `self-signed` or the file of a certificate, whose key may be in the file `tls_key`; the certificate of the
    authority of a self-signed one is written to the file `tls_ca`, see tls.py.
    `options` are those of the APIs, by the names of reference_server/options.py.
    """

    apis: tuple[str, ...] = ()
    host: str = LOOPBACK
    port: int = 0
    storage: str = "memory"
    auth: str = "none"
    token_lifetime: int = TOKEN_SECONDS
    expired_status: int = STATUSES[0]
    credential_lifetime: int | None = None
    plan_lifetime: int = PLAN_SECONDS
    faults: tuple[str, ...] = ()
    rules: tuple[Any, ...] = ()
    without: tuple[str, ...] = ()
    like: tuple[str, ...] = ()
    allow_faults: bool = False
    strict_requests: bool = False
    page_size: int = 1000
    max_body: int = 64 << 20
    access_log: str | None = None
    journal: str = NO_JOURNAL
    seed: str | Mapping[str, Any] | None = None
    control_token: str = field(default="", repr=False)
    tls: str = ""
    tls_key: str = ""
    tls_ca: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


class Server(Controls):
    """A running server: its event loop lives in a thread of its own."""

    def __init__(self, settings: ServerSettings, listener: Callable[[dict[str, Any]], object] | None = None) -> None:
        """Prepare the server. `listener` receives every entry of the journals, in a thread of the server.

        Raises Problem for settings that cannot be served.
        """
        self.settings = settings
        self.port = 0
        self._loop = _new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lakeproof-server", daemon=True)
        self._log = _open_log(settings.access_log, "--access-log")
        self._journal_file = _open_log(None if settings.journal in JOURNALS else settings.journal, "--journal")
        self._tls = open_tls(settings.tls, settings.tls_key, settings.host)
        self._listener = listener or (self._write_entry if self._journal_file else None)
        self._app = self._build()
        self._runner: web.ServerRunner | None = None

    def _build(self) -> App:
        names = [find_profile(name).api for name in self.settings.apis or servable()]
        presets = [preset for name in self.settings.like for preset in find_presets(name, names)]
        settings = self.settings = like_presets(self.settings, presets)
        served = [find_profile(name) for name in settings.apis or servable()]
        _check_profiles(served)
        apis = {profile: api_class(profile.api) for profile in served}
        noted = settings.journal != NO_JOURNAL
        rules = [*settings.faults, *settings.rules, *map(absent, settings.without)]
        fitting = [rule for preset in presets for rule in preset.rules]
        self._opener = Opener(
            apis, partial(_auth, settings), settings.page_size, settings.options, rules, fitting, journal=noted
        )
        access_log = AccessLog(self._log) if self._log else None
        guard = Guard(settings.host, settings.control_token)
        self._seed = read_seed(settings.seed) if isinstance(settings.seed, str) else settings.seed
        again = partial(self._opener.again, storage=settings.storage)
        tenants = Tenants(self._opener.main(settings.storage), self._opener.tenant, again, self._start)
        return App(
            tenants,
            guard,
            settings.allow_faults,
            settings.strict_requests,
            settings.max_body,
            access_log,
            self._listener,
            self._tls,
        )

    def _write_entry(self, entry: dict[str, Any]) -> None:
        """Write an entry of a journal to the file of the journal."""
        assert self._journal_file is not None
        self._journal_file.write(orjson.dumps(entry).decode() + "\n")

    @property
    def _main(self) -> Tenant:
        return self._app.tenants.main

    @property
    def urls(self) -> dict[str, str]:
        """The base URL of every API served."""
        return {api.name: f"{self._base}{mount}" for mount, api in self._main.apis.items()}

    @property
    def url(self) -> str:
        """The base URL of the only API served, or of the first."""
        return next(iter(self.urls.values()))

    @property
    def control_address(self) -> str:
        """The URL in front of the control paths, by the loopback address where the server listens on all."""
        return f"{self._scheme}://{LOOPBACK}:{self.port}" if self.settings.host in EVERYWHERE else self._base

    @property
    def control_token(self) -> str:
        """The token of the control paths, "" without one."""
        return self.settings.control_token

    @contextlib.contextmanager
    def watched(self, faults: Iterable[Fault]) -> Iterator[Watch]:
        """Yield a Watch of these derived faults, which notes those that would change an answer; nothing misbehaves."""
        watch = Watch(faults)
        main = self._main
        before, main.faults = main.faults, (watch.as_fault(),)
        try:
            yield watch
        finally:
            main.faults = before

    @property
    def _base(self) -> str:
        host = f"[{self.settings.host}]" if ":" in self.settings.host else self.settings.host
        return f"{self._scheme}://{host}:{self.port}"

    @property
    def _scheme(self) -> str:
        return "https" if self._tls else "http"

    @property
    def ca(self) -> str:
        """The certificate in PEM of the authority to trust, "" without TLS or with a certificate from a file."""
        return self._tls.authority if self._tls else ""

    @property
    def client_tls(self) -> ssl.SSLContext | None:
        """The context of a client that trusts this server, None without TLS."""
        return self._tls.client_context() if self._tls else None

    def start(self) -> Server:
        """Start listening. Raises Problem for a port in use and an address of another machine."""
        self._thread.start()
        try:
            self._write_authority()
            self.port = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        except Problem:
            self.stop()
            raise
        except OSError as error:
            self.stop()
            reason = os.strerror(error.errno or 0)
            raise Problem(
                f"The server cannot listen on {self.settings.host}:{self.settings.port}: {reason}.",
                "Choose another port with --port, or 0 for any free one.",
            ) from None
        return self

    def _write_authority(self) -> None:
        """Write the certificate of the authority into the file of `--tls-ca`. Raises Problem."""
        file = self.settings.tls_ca
        if file and not self.ca:
            raise Problem("--tls-ca has no effect without --tls self-signed.", "Leave it out.")
        if file:
            with written(f"--tls-ca: {file}", "Give another file."):
                write_file(Path(file), self.ca)

    async def _start(self, tenant: Tenant) -> None:
        """Start a tenant and plant the seed of the server in it. Raises Problem."""
        await tenant.start()
        if self._seed is None:
            return
        credentials = await plant_seed(tenant, self._seed, self._app.executor)
        if tenant is self._main and credentials:
            sys.stderr.write(f"Credentials of the seed, shown only now: {json.dumps(credentials)}\n")

    async def _listen(self) -> int:
        await self._start(self._main)
        asyncio.get_running_loop().set_exception_handler(handle_loop_error)
        server = web.Server(self._app.handle, auto_decompress=False, logger=http_log)
        self._runner = web.ServerRunner(server, shutdown_timeout=limits.STOP)
        await self._runner.setup()
        context = self._tls.context if self._tls else None
        site = web.TCPSite(self._runner, self.settings.host, self.settings.port, ssl_context=context)
        await site.start()
        port: int = self._runner.addresses[0][1]
        return port

    def stop(self) -> None:
        """Close everything and remove temporary files. Running requests have a moment to end."""
        if self._loop.is_closed():
            return
        if self._runner is not None:
            cleanup = asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop)
            with contextlib.suppress(TimeoutError):
                cleanup.result(2 * limits.STOP)  # aiohttp waits for handlers, then for their cleanup after cancellation
            for sentence in self._app.tenants.idle_rules(self._opener.preset_rules):
                log.warning("%s", sentence)
        self._app.close()
        self._opener.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(limits.STOP)
        if not self._thread.is_alive():
            self._loop.close()
        for file in (self._log, self._journal_file):
            if file is not None and file is not sys.stderr:
                file.close()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def servable() -> list[str]:
    """Return the APIs with a server, in their order."""
    return [name for name in apis() if importlib.util.find_spec(f"{PACKAGE}.{name}")]


def api_class(name: str) -> type[Api]:
    """Return the class that serves an API; importing it registers the API's faults. Raises Problem without one."""
    api_type: type[Api] = part_of(PACKAGE, name).API
    return api_type


def options_of(name: str) -> type[Options]:
    """Return the options of an API. Most declare them in a module of their own: importing an API takes longer."""
    module = f"{PACKAGE}.{name}.options"
    if importlib.util.find_spec(module) is None:
        return api_class(name).options
    options: type[Options] = importlib.import_module(module).OPTIONS
    return options


def _check_profiles(served: Sequence[Profile]) -> None:
    """Raise Problem for two profiles that one server cannot serve together."""
    for index, profile in enumerate(served):
        for other in served[:index]:
            if other.api == profile.api:
                raise Problem(
                    f"One server cannot serve both {other.name} and {profile.name}: it serves one revision of an API.",
                    "Start a server for each.",
                )
            if other.mount == profile.mount:
                where = profile.mount or "the root"
                raise Problem(f"{other.api} and {profile.api} are both mounted at {where}.", "Start a server for each.")


def _new_event_loop() -> asyncio.AbstractEventLoop:
    """Return uvloop's event loop where it is installed (`lakeproof[fast]`), else Python's own."""
    if importlib.util.find_spec("uvloop") is None:
        return asyncio.new_event_loop()
    import uvloop  # noqa: PLC0415 - optional

    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def _open_log(path: str | None, flag: str) -> TextIO | None:
    """Open the file of a flag, `-` for standard error. Raises Problem."""
    if path is None or path == "-":
        return sys.stderr if path else None
    try:
        return Path(path).open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise Problem(f"{flag}: {path} cannot be written: {error.strerror}.", f"Give another {flag}.") from None


def _auth(settings: ServerSettings) -> Auth:
    """Return the authentication of one tenant. Raises Problem."""
    lifetimes = Lifetimes(
        settings.token_lifetime, settings.credential_lifetime, settings.plan_lifetime, settings.expired_status
    )
    return parse_auth(settings.auth, lifetimes)


def absent(text: str) -> str:
    """Return the rule for a value of `--without`: `views`, or `views: 404` with the form of the refusal."""
    name, _, form = text.partition(":")
    return f"{name}: absent {form}"


def like_presets(settings: ServerSettings, presets: Iterable[Preset]) -> ServerSettings:
    """Return settings with those of presets; settings that were given take precedence."""
    usual = ServerSettings()
    for preset in presets:
        own = {name: value for name, value in preset.settings.items() if hasattr(usual, name)}
        unset = {name: value for name, value in own.items() if getattr(settings, name) == getattr(usual, name)}
        options = {name: value for name, value in preset.settings.items() if name not in own}
        settings = replace(settings, options={**options, **settings.options}, **unset)
    return settings


def serve(*apis: str, **settings: Unpack[ServeArguments]) -> Server:
    """Return a server for a `with` block, by default on a free loopback port.

        with serve("lance") as server:
            client.connect(server.url)

    `apis` and `settings` are those of `server_settings`; the server has a journal unless they say otherwise. Raises
    Problem for settings that cannot be served.
    """
    return Server(server_settings(*apis, **{"journal": IN_MEMORY, **settings}))


def server_settings(*apis: str, **settings: Any) -> ServerSettings:
    """Return the settings of a server.

    `apis` are API or profile names, all of them when none is given; `settings` are the fields of ServerSettings,
    and those of the APIs' own options. One rule or preset may be a text alone.
    """
    common = {setting.name for setting in fields(ServerSettings)}
    common_settings = {name: value for name, value in settings.items() if name in common}
    for name in SEVERAL & common_settings.keys():
        if isinstance(common_settings[name], str):
            common_settings[name] = (common_settings[name],)
    options = {name: value for name, value in settings.items() if name not in common}
    return ServerSettings(apis=apis, **{"options": options, **common_settings})


for _name in servable():  # a fault of an API that is not served yet is looked up there
    if importlib.util.find_spec(_faults := f"{PACKAGE}.{_name}.faults"):
        register(_faults)
