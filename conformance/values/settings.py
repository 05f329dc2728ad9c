"""The settings of a run: one name each, as a flag, an environment variable and a key of a file.

`--max-time` on the command line, `LAKEPROOF_MAX_TIME` in the environment and `max_time` in `lakeproof.toml` are one
setting; the first source with a value wins. Under pytest it is `--lakeproof-max-time`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from conformance.values.kinds import EVERY_KIND, KINDS
from conformance.values.redaction import REDACTED, is_secret
from specs.apis import apis, default_api
from specs.files import read_toml
from specs.identifiers import READABLE_SEPARATOR, IdentifierError, split_levels
from specs.problems import Problem, did_you_mean

FILE_NAME = "lakeproof.toml"
SERVE = "serve"  # the table of the file that is for `lakeproof serve`
OTHER_VARIABLES = ("package", "control_url")  # of ci/gitlab.yml, and of `lakeproof lint-client` beside URLs of APIs
ENV_PREFIX = "LAKEPROOF_"
SUITES = ("2026-11",)  # the dates of frozen requirement sets, see conformance/run/frozen.py
DEPTHS = {"smoke": 3, "gate": 15, "deep": 200}
SURROGATE = re.compile("[\ud800-\udfff]")  # Python's form of command-line bytes that are not text
PATH_PREFIX = re.compile(r"/?(?!v1(/|$))[^\s/?#{}]+(/[^\s/?#{}]+)*/?")
LOCATION = re.compile(r"/|[a-z][a-z0-9+.-]*:/")
MOST_JOBS = 64
ANOTHER_CALLER = "--token TOKEN of another caller"
DEFAULT_REPORT = "lakeproof-report"
NEWEST = "newest"  # as value of `profile`: the run chooses no older one by what the server shows
PLAIN, DRAWN = "plain", "drawn"  # as values of `world`
EXPECTATIONS = "lakeproof-expectations.toml"
EMBEDDED_STORAGE = "memory"
NEARLY = 0.9  # similarity from which an unknown variable of the environment counts as a misspelt setting
METADATA = "setting"


@dataclass(frozen=True, slots=True)
class Setting:
    """Description of a setting beyond its name and its default.

    `help` is its help text, `metavar` the placeholder of its value; a switch has none. `choices` are all allowed
    values, `short` is another flag. A setting whose default is a tuple may be given several times, or as one text with
    commas; where each value is a pair, `between` separates name and value, and the text has a line for each. `section`
    is a heading of the help above this setting and those after it.
    """

    help: str
    metavar: str = ""
    choices: Callable[[], Iterable[str]] | None = None
    short: str = ""
    between: str = ""
    section: str = ""


def setting(default: Any, help: str, metavar: str = "", **more: Any) -> Any:
    """Return a field of Settings; see Setting. `help` and `metavar` are literals: pytest's plugin reads the source."""
    metadata = {METADATA: Setting(help, metavar, **more)}
    return field(metadata=metadata, **{"default_factory" if callable(default) else "default": default})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run: options, variables and keys are made from this table."""

    server: str = setting("", "URL of the server to test.", "URL")
    api: str = setting(default_api, "API of the server", "API", choices=apis, section="Server")
    profile: str = setting(
        "", "Revision of the API, see `lakeproof spec list`.  [default: the default of the API]", "NAME"
    )
    spec: str = setting("", "OpenAPI document to test against, by the --profile closest to it.", "FILE")
    storage: str = setting("", "Storage of the embedded server: memory, memory:pure or dir:PATH.", "KIND")
    name: str = setting("", "Name and version of the server in the reports.", "NAME")
    path_prefix: str = setting(
        "", "Prefix of the paths if the configuration returns none; `dev` for /v1/dev/namespaces.", "PREFIX"
    )

    warehouse: str = setting(
        "", "Warehouse to test; NAME=URI creates it on the embedded server.", "NAME", section="Objects of the run"
    )
    namespace: str = setting("", "Existing namespace in which the run stays; separate levels with dots.", "NAME")
    read_only: bool = setting(False, "Send nothing that could change anything, and test objects that exist.")
    table: tuple[str, ...] = setting((), "Existing table to read with --read-only; repeatable.", "NAME")
    view: tuple[str, ...] = setting((), "Existing view to read with --read-only; repeatable.", "NAME")
    functions: str = setting("", "Existing namespace that contains functions.", "NAME")
    prefix: str = setting("", "Prefix of every object that the run creates.  [default: lp]", "NAME")
    location: str = setting("", "Location for tables; the run creates its own folder below.", "URI")
    storage_option: tuple[str, ...] = setting(
        (), "Storage option for reading and writing table files; repeatable.", "KEY=VALUE", between="="
    )
    leave_behind: bool = setting(False, "Continue if the server cannot drop the objects of the run.")

    token: str = setting("", "Bearer token to send; requests without it are tested, too.", "TOKEN", section="Access")
    credential: str = setting("", "Client credentials for getting and testing tokens.", "ID:SECRET")
    scope: str = setting("", "Scope of the tokens requested with --credential.", "SCOPE")
    header: tuple[str, ...] = setting((), "Additional header to send; repeatable.", "'NAME: VALUE'", between=": ")
    ca: str = setting("", "Certificate authorities that verify the server's certificate (PEM).", "FILE")
    insecure: bool = setting(False, "Accept any certificate of the server.")
    cert: str = setting("", "Client certificate (PEM).", "FILE")
    key: str = setting("", "Private key of the client certificate, if in another file.", "FILE")

    kinds: tuple[str, ...] = setting(
        KINDS,
        "Only requirements of these kinds (fuzz: only if named)",
        "KIND,...",
        choices=lambda: EVERY_KIND,
        section="Selection",
    )
    operation: tuple[str, ...] = setting(
        (), "Only requirements on the operation with this operationId; repeatable.", "OPERATION"
    )
    clause: tuple[str, ...] = setting((), "Only requirements that test this clause; repeatable.", "CLAUSE")
    select: str = setting(
        "",
        "Only requirements whose ids match, as in pytest -k: 'table and not rename'. "
        "A complete id selects one requirement.",
        "EXPR",
        short="-k",
    )
    last_failed: bool = setting(False, "Only requirements that did not pass in the last run with this --report.")

    depth: str = setting(
        "gate", "Number of examples per requirement, few to many", "DEPTH", choices=lambda: DEPTHS, section="Execution"
    )
    seed: int = setting(0, "Random seed of a deep run; other depths always draw the same examples.", "N")
    world: tuple[str, ...] = setting(
        (),
        "Test every requirement in this world, too, such as names=dot; `plain` for none, `drawn` for drawn ones; "
        "repeatable.  [default: drawn, at depth smoke plain]",
        "DIMENSION=VALUE",
    )
    no_shrink: bool = setting(False, "Report a counterexample as drawn, without reducing it.")
    jobs: int = setting(1, "Number of requirements tested in parallel.", "N")
    timeout: float = setting(30.0, "Time limit of a request.", "SECONDS")
    max_time: float = setting(0.0, "Time limit of the run; the results until then are reported.", "SECONDS")
    wait: float = setting(0.0, "Time to wait for a server that is starting, at first or again.", "SECONDS")
    fail_fast: bool = setting(False, "Stop at the first requirement that fails the run.")

    strict: bool = setting(False, "Fail the run when a SHOULD is violated.", section="Verdict and report")
    suite: str = setting(
        "", "Requirement set of a date: requirements that are newer only warn", "DATE", choices=lambda: SUITES
    )
    require: tuple[str, ...] = setting(
        (),
        "Fail the run when the server does not offer this operation, all operations of this resource, or `all`; "
        "repeatable.",
        "OPERATION|RESOURCE|all",
    )
    expect: str = setting(
        "", "Known deviations of the server.  [default: lakeproof-expectations.toml, if it exists]", "FILE"
    )
    report: str = setting(DEFAULT_REPORT, "Directory of the reports.", "DIR")

    def shown(self) -> dict[str, Any]:
        """Return the settings in force, for a report: secrets are hidden."""
        shown: dict[str, Any] = {}
        for name, option in SETTINGS.items():
            value = getattr(self, name)
            if option.between:
                value = [f"{key}{option.between}{_hide(key, text)}" for key, text in self.pairs(name)]
            shown[name] = _hide(name, value) if value else value
        return shown

    @property
    def client_credentials(self) -> tuple[str, str] | None:
        """The id and the secret of `credential`, None without one."""
        id, _, secret = self.credential.partition(":")
        return (id, secret) if self.credential else None

    @property
    def revision(self) -> str:
        """The profile that the settings name, "" for the default of the API."""
        return "" if self.profile == NEWEST else self.profile

    def pairs(self, name: str) -> list[tuple[str, str]]:
        """Return the values of `header` or `storage_option` as pairs. Raises Problem for one without a value."""
        option, pairs = SETTINGS[name], []
        for text in getattr(self, name):
            key, between, value = text.partition(option.between.strip())
            if not between or not key.strip():
                raise Problem(f"{flag(name)} {key!r} has no value.", f"Write it as {flag(name)} {option.metavar}.")
            pairs.append((key.strip(), value.strip()))
        return pairs

    def namespace_levels(self, name: str = "namespace") -> tuple[str, ...]:
        """Return the levels of the given namespace, none without one. Raises Problem for an empty level."""
        try:
            return tuple(split_levels(text, READABLE_SEPARATOR)) if (text := getattr(self, name)) else ()
        except IdentifierError as error:
            raise Problem(f"The setting {name} is wrong: {error}.", f"Example: --{name} a.b") from None

    def object_ids(self, name: str) -> list[tuple[str, ...]]:
        """Return the ids given by `table` or `view`. Raises Problem for an empty level."""
        try:
            return [tuple(split_levels(text, READABLE_SEPARATOR)) for text in getattr(self, name)]
        except IdentifierError as error:
            raise Problem(f"The setting {name} is wrong: {error}.", f"Example: --{name} a.b.c") from None


@dataclass(frozen=True, slots=True)
class Need:
    """Condition under which a setting has any effect; `why` and `hint` make the error otherwise.

    `beside` is a setting that the command must offer, too: without it the setting has another meaning in the command.
    """

    met: Callable[[Settings], bool]
    why: str
    hint: str
    beside: str = ""

    def offered(self, given: Mapping[str, Any]) -> bool:
        """True when the need applies to the command."""
        return not self.beside or self.beside in given


_EMBEDDED = Need(
    lambda settings: not settings.server,
    "is for the embedded server, and a URL is given",
    "Leave out one of them.",
)
_GIVEN = Need(lambda settings: bool(settings.server), "is for a server that is given", "Give its URL, or leave it out.")
_HTTPS = Need(
    lambda settings: settings.server.lower().startswith("https:"),
    "is for https, and the server is reached without",
    "Give an https URL, or leave it out.",
)
_READ_ONLY = Need(
    lambda settings: settings.read_only,
    "names an object for a read-only run",
    "Add --read-only, or leave it out: other runs create their own objects.",
)
NEEDS: Mapping[str, Need] = {
    "storage": _EMBEDDED,
    "table": _READ_ONLY,
    "view": _READ_ONLY,
    "path_prefix": Need(
        lambda settings: _has_path_prefix(settings.api),
        "is for an API whose paths have a prefix, and this one has none",
        "Leave it out; the part of a URL before /v1 belongs to the URL of the server.",
    ),
    "wait": _GIVEN,
    **dict.fromkeys(("ca", "insecure", "cert", "key"), _HTTPS),
    "scope": Need(
        lambda settings: bool(settings.credential),
        "is of tokens that --credential gets",
        "Give --credential ID:SECRET, or leave it out.",
    ),
    "seed": Need(
        lambda settings: settings.depth == "deep",
        "is for --depth deep: other runs draw the same every time",
        "Add --depth deep, or leave it out.",
        beside="depth",
    ),
}
"""Settings that are rejected where they have no effect, instead of being ignored."""
SETTINGS: Mapping[str, Setting] = {entry.name: entry.metadata[METADATA] for entry in fields(Settings)}


def _has_path_prefix(api: str) -> bool:
    """True when paths of an API's newest document have a prefix that the server chooses."""
    from specs.profiles import find_profile  # noqa: PLC0415 - reads documents, which few commands need

    return any("{prefix}" in operation.path for operation in find_profile(api).document().operations.values())


def flag(name: str) -> str:
    """Return the flag of a setting."""
    return "--" + name.replace("_", "-")


def variable(name: str) -> str:
    """Return the variable of the environment for a setting, or for a secret header or option."""
    return ENV_PREFIX + re.sub(r"\W", "_", name).upper()


def secret_settings() -> list[str]:
    """Return the settings whose values may be secret."""
    return [name for name, option in SETTINGS.items() if option.between or is_secret(name)]


def _hide(name: str, value: Any) -> Any:
    return REDACTED if is_secret(name) else value


def load_settings(
    given: Mapping[str, Any],
    environ: Mapping[str, str] = os.environ,
    folder: Path | None = None,
    told: Mapping[str, Any] | None = None,
) -> Settings:
    """Return the settings from the given values, the environment and `lakeproof.toml`, in this order.

    An empty variable counts as unset: CI systems have no other way to leave one out. So does a repeatable flag without
    a value. An expectations file in the working directory is used unless another is named.

    Raises Problem for unknown names, for invalid values, and for settings in `told` (by default all of `given`) that
    have no effect on this run.
    """
    wanted = {name: value for name, value in given.items() if value is not None and value != ()}
    _check_names(wanted, "This run")
    implied = {"expect": EXPECTATIONS} if ((folder or Path.cwd()) / EXPECTATIONS).exists() else {}
    merged = {**implied, **given_elsewhere(environ, folder), **wanted}
    defaults = Settings()
    values = {name: _convert(name, value, getattr(defaults, name)) for name, value in merged.items()}
    if values.get("server"):
        values["storage"] = values["storage"] if "storage" in wanted else ""  # of no server that the run starts
    settings = _checked(replace(defaults, **values))
    _check_useful(settings, wanted if told is None else told, given)
    return replace(settings, storage="") if settings.server else settings


def given_elsewhere(environ: Mapping[str, str] = os.environ, folder: Path | None = None) -> dict[str, Any]:
    """Return the settings in the environment and in `lakeproof.toml`, unconverted.

    Raises Problem for unknown names.
    """
    path = (folder or Path.cwd()) / FILE_NAME
    from_file = {name: value for name, value in read_toml(path).items() if name != SERVE} if path.exists() else {}
    _check_names(from_file, str(path))
    check_variables(environ)
    return from_file | {name: text for name in SETTINGS if (text := environ.get(variable(name)))}


def _check_names(names: Iterable[str], where: str) -> None:
    for name in sorted(set(names) - SETTINGS.keys()):
        raise Problem(f"{where} has an unknown setting: {name}.", did_you_mean(name, SETTINGS, most=1))


def check_variables(environ: Mapping[str, str]) -> None:
    """Raise Problem for an unknown LAKEPROOF_ variable of the environment; `lakeproof serve` has its own.

    Secrets have variables of their own, which reports and commands name: LAKEPROOF_AUTHORIZATION.
    """
    for name in sorted(environ):
        key = name.removeprefix(ENV_PREFIX).lower()
        known = (*SETTINGS, *OTHER_VARIABLES, *(f"{api}_url" for api in apis()))
        if key == name.lower() or key in known or key.startswith(f"{SERVE}_"):
            continue
        if not is_secret(key.replace("_", "-")) or get_close_matches(key, SETTINGS, 1, NEARLY):
            hint = did_you_mean(key, SETTINGS, "`lakeproof check --help` lists the settings.", most=1)
            raise Problem(f"The environment has an unknown setting: {name}.", hint)


def _check_useful(settings: Settings, wanted: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Raise Problem for a setting given to this run that has no effect on it; see NEEDS.

    The environment and `lakeproof.toml` serve many runs: a setting without effect is no mistake there. False counts as
    unset.
    """
    for name, need in NEEDS.items():
        if wanted.get(name) not in (None, False, "") and need.offered(given) and not need.met(settings):
            raise Problem(f"{flag(name)} {need.why}.", need.hint)


def _convert(name: str, value: Any, default: Any) -> Any:
    """Return a value in the type of its setting. Raises Problem for an invalid one."""
    option = SETTINGS[name]
    try:
        converted = _converted(value, default, option)
    except (TypeError, ValueError, KeyError, AttributeError):
        raise Problem(
            f"The setting {name} cannot be {value!r}.", f"It is of the kind {type(default).__name__}."
        ) from None
    if any(SURROGATE.search(part) for part in (converted if isinstance(converted, tuple) else [str(converted)])):
        raise Problem(f"{flag(name)}: the value {value!r} is not UTF-8 text.", "Give another value.")
    if option.choices:
        choices = list(option.choices())
        for part in converted if isinstance(converted, tuple) else (converted,):
            if part not in choices:
                hint = did_you_mean(part, choices, f"Choose {', '.join(choices)}.", most=1)
                raise Problem(f"{flag(name)}: unknown {name.removesuffix('s')} {part!r}.", hint)
    return converted


def _converted(value: Any, default: Any, option: Setting) -> Any:
    if isinstance(default, tuple):
        texts = [value] if isinstance(value, str) else value
        parts = [part.strip() for text in texts for part in text.split("\n" if option.between else ",")]
        return tuple(filter(None, parts))
    if isinstance(default, bool) and not isinstance(value, bool):
        return {"true": True, "1": True, "false": False, "0": False}[value.lower()]
    return type(default)(value)


def _checked(settings: Settings) -> Settings:
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
        raise Problem(f"The prefix {settings.prefix!r} is invalid.", "Letters, digits, - and _, at most 40 of them.")
    if settings.path_prefix and not PATH_PREFIX.fullmatch(settings.path_prefix):
        raise Problem(
            f"--path-prefix: {settings.path_prefix!r} is not the part of a path after /v1/.",
            "Example: --path-prefix dev, for a server with the path /v1/dev/namespaces.",
        )
    if settings.location and not LOCATION.match(settings.location):
        raise Problem(
            f"The location {settings.location!r} is neither an absolute path nor a URI.",
            "Example: --location s3://bucket/folder",
        )
    for name, option in SETTINGS.items():
        if option.between:
            settings.pairs(name)
    settings.namespace_levels()
    settings.namespace_levels("functions")
    for name in ("table", "view"):
        settings.object_ids(name)
    return settings
