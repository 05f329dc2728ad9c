"""The settings of a run: one name each, as a flag, an environment variable and a key of a file.

`--max-time` on the command line, `LAKEPROOF_MAX_TIME` in the environment and `max_time` in
`lakeproof.toml` are one setting; the first of these that is given wins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from conformance.kinds import EVERY_KIND, KINDS
from conformance.redaction import REDACTED, is_secret
from specs.apis import default_api
from specs.files import read_toml
from specs.identifiers import READABLE_SEPARATOR, IdentifierError, split_levels
from specs.problems import Problem

FILE_NAME = "lakeproof.toml"
ENV_PREFIX = "LAKEPROOF_"
DEPTHS = {"smoke": 3, "gate": 15, "deep": 200}
LOCATION = re.compile(r"/|[a-z][a-z0-9+.-]*:/")
MOST_JOBS = 64
DEFAULT_REPORT = "lakeproof-report"
EXPECTATIONS = "lakeproof-expectations.toml"
EMBEDDED_STORAGE = "memory"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    `name` is what reports call the server, `warehouse` what a server of several catalogs is asked for, `namespace`
    one that exists, in which the whole run stays (levels with dots between them), `functions` one that exists and
    has functions, which no operation can create. `prefix` starts the names of all that the run makes, before what makes
    them its own. `location` is where tables may lie: the run has a folder of its own below it. `storage_options` are
    `KEY=VALUE` settings by which the files of tables are reached, with the keys that Iceberg's clients use.
    `credential` is `ID:SECRET`, for which a catalog issues tokens; the run gets itself one unless it has a
    `token`. `scope` is asked for then. `depth` says how many examples a drawn requirement may cost, `seed`
    where a deep run starts (other depths are the same every time). `kinds`, `operations`, `clauses` and `select` (a
    pytest -k expression) choose among the requirements, `last_failed` those that the run in `report` did not find to
    be met. `fail_fast` ends the run at the first that breaks the gate, `no_shrink` shows a drawn counterexample as
    it was found. `expect` is the file of known deviations. `timeout` is in seconds for a whole request, `max_time`
    for the run (0: no end), `wait` for a server that is not up yet. `ca`, `cert` and `key` are files for TLS,
    `insecure` takes any certificate. `leave_behind` judges a server that cannot drop what the run makes. `jobs` is
    how many requirements are tested at the same time, each by a process of its own.
    """

    server: str = ""
    name: str = ""
    api: str = field(default_factory=default_api)
    profile: str = ""
    spec: str = ""
    warehouse: str = ""
    namespace: str = ""
    functions: str = ""
    prefix: str = ""
    location: str = ""
    storage_options: tuple[str, ...] = ()
    token: str = ""
    credential: str = ""
    scope: str = ""
    headers: tuple[str, ...] = ()
    depth: str = "gate"
    seed: int = 0
    strict: bool = False
    kinds: tuple[str, ...] = KINDS
    operations: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    select: str = ""
    last_failed: bool = False
    fail_fast: bool = False
    no_shrink: bool = False
    expect: str = ""
    timeout: float = 30.0
    max_time: float = 0.0
    wait: float = 0.0
    ca: str = ""
    cert: str = ""
    key: str = ""
    insecure: bool = False
    leave_behind: bool = False
    jobs: int = 1
    report: str = DEFAULT_REPORT

    def shown(self) -> dict[str, Any]:
        """Return the settings in force, for a report: secrets are not shown."""
        shown: dict[str, Any] = {}
        for setting in fields(self):
            value = getattr(self, setting.name)
            if setting.name == "storage_options":
                value = [f"{name}={_hide(name, text)}" for name, text in self.storage_pairs()]
            elif setting.name == "headers":
                value = [f"{name}: {_hide(name, text)}" for name, text in self.header_pairs()]
            shown[setting.name] = _hide(setting.name, value) if value else value
        return shown

    @property
    def client_credentials(self) -> tuple[str, str] | None:
        """The id and the secret of `credential`, None without one."""
        id, _, secret = self.credential.partition(":")
        return (id, secret) if self.credential else None

    def header_pairs(self) -> list[tuple[str, str]]:
        """Return the extra headers as pairs. Raises Problem for one without a colon."""
        pairs = []
        for header in self.headers:
            name, colon, value = header.partition(":")
            if not colon or not name.strip():
                raise Problem(f"The header {name!r} has no value.", 'Write it as --header "Name: value".')
            pairs.append((name.strip(), value.strip()))
        return pairs

    def storage_pairs(self) -> list[tuple[str, str]]:
        """Return the options of the storage as pairs. Raises Problem for one without a value."""
        pairs = []
        for option in self.storage_options:
            name, equals, value = option.partition("=")
            if not equals or not name.strip():
                raise Problem(
                    f"The storage option {name!r} has no value.",
                    "Write it as --storage-option s3.endpoint=http://127.0.0.1:9000",
                )
            pairs.append((name.strip(), value.strip()))
        return pairs

    def namespace_levels(self, name: str = "namespace") -> tuple[str, ...]:
        """Return the levels of the given namespace, none without one. Raises Problem for an empty level."""
        try:
            return tuple(split_levels(text, READABLE_SEPARATOR)) if (text := getattr(self, name)) else ()
        except IdentifierError as error:
            raise Problem(f"The setting {name} is wrong: {error}.", f"Example: --{name} a.b") from None


def _hide(name: str, value: Any) -> Any:
    return REDACTED if is_secret(name) else value


def load_settings(
    given: Mapping[str, Any], environ: Mapping[str, str] = os.environ, folder: Path | None = None
) -> Settings:
    """Return the settings from what was given, the environment and `lakeproof.toml`, in this order.

    An empty variable is as none: CI systems have no other way to leave one out. A file of expectations in the working
    directory is used where none is named.

    Raises Problem for unknown names in the file, and for values that no run can have.
    """
    path = (folder or Path.cwd()) / FILE_NAME
    from_file = read_toml(path) if path.exists() else {}
    known = {setting.name for setting in fields(Settings)}
    unknown = sorted(set(from_file) - known - {"serve"})
    if unknown:
        raise Problem(f"{path} has unknown settings: {', '.join(unknown)}.", f"Known: {', '.join(sorted(known))}.")
    from_env = {name: text for name in known if (text := environ.get(ENV_PREFIX + name.upper()))}
    implied = {"expect": EXPECTATIONS} if ((folder or Path.cwd()) / EXPECTATIONS).exists() else {}
    merged = {**implied, **from_file, **from_env, **{name: value for name, value in given.items() if value is not None}}
    defaults = Settings()
    values = {name: _convert(name, value, getattr(defaults, name)) for name, value in merged.items()}
    return _checked(replace(defaults, **values))


def _convert(name: str, value: Any, default: Any) -> Any:
    try:
        if isinstance(default, tuple):
            return tuple(value.split(",")) if isinstance(value, str) else tuple(value)
        if isinstance(default, bool):
            return (
                value
                if isinstance(value, bool)
                else {"true": True, "1": True, "false": False, "0": False}[value.lower()]
            )
        return type(default)(value)
    except (TypeError, ValueError, KeyError):
        raise Problem(
            f"The setting {name} cannot be {value!r}.", f"It is of the kind {type(default).__name__}."
        ) from None


def _checked(settings: Settings) -> Settings:
    if settings.depth not in DEPTHS:
        raise Problem(f"There is no depth {settings.depth!r}.", f"Choose {', '.join(DEPTHS)}.")
    unknown = sorted(set(settings.kinds) - set(EVERY_KIND))
    if unknown:
        raise Problem(f"There is no kind {', '.join(unknown)}.", f"Kinds: {', '.join(EVERY_KIND)}.")
    if settings.timeout <= 0:
        raise Problem("The timeout must be more than 0 seconds.", "Example: --timeout 10")
    if settings.max_time < 0 or settings.wait < 0:
        raise Problem("The settings max_time and wait cannot be less than 0 seconds.", "Example: --max-time 300")
    if not 1 <= settings.jobs <= MOST_JOBS:
        raise Problem(f"There cannot be {settings.jobs} jobs.", f"Give a number from 1 to {MOST_JOBS}: --jobs 8")
    if settings.key and not settings.cert:
        raise Problem("A key needs the certificate that it belongs to.", "Give both: --cert FILE --key FILE.")
    if settings.credential and not all(settings.client_credentials or ()):
        raise Problem("The credential has no id or no secret.", 'Write it as --credential "ID:SECRET".')
    if not re.fullmatch(r"[A-Za-z0-9_-]{0,40}", settings.prefix):
        raise Problem(f"The prefix {settings.prefix!r} is none.", "Letters, digits, - and _, at most 40 of them.")
    if settings.location and not LOCATION.match(settings.location):
        raise Problem(
            f"The location {settings.location!r} is neither an absolute path nor a URI.",
            "Example: --location s3://bucket/folder",
        )
    settings.header_pairs()
    settings.storage_pairs()
    settings.namespace_levels()
    settings.namespace_levels("functions")
    return settings
