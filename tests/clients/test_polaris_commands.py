"""Every subcommand of Apache Polaris' published command line, as root and as a principal with a few privileges.

A step is who runs a command, the command, and a word of its output; a refused one has a word of the error. The first
test runs them all in their order, and finds none of the command line's own list missing.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from apache_polaris.cli.command import repl
from apache_polaris.cli.options.option_tree import OptionTree
from pyiceberg.catalog import load_catalog

from lakeproof import serve
from tests.clients.polaris_quickstart import ROOT, ROWS, CommandLine
from tests.reference_server.polaris.conftest import Caller
from tests.reference_server.polaris.served_catalogs import VIEW_VERSION

ROOT_USER, USER, NOBODY = "root", "user", "nobody"
IN_CATALOG = "--catalog lake"
ROLE = f"{IN_CATALOG} --catalog-role owner"
POLICY = f"{IN_CATALOG} --namespace a"
GRANTS = {
    "catalog": ("TABLE_READ_DATA", ""),
    "namespace": ("TABLE_LIST", "--namespace a"),
    "table": ("TABLE_DROP", "--namespace a --table t"),
    "view": ("VIEW_DROP", "--namespace a --view v"),
}
PROFILE = ["root", "s3cr3t", "localhost", "1", "http", "POLARIS", "Polaris-Realm"]


@dataclass(frozen=True)
class Step:
    """One command: who runs it, a word of its output, and whether it is refused."""

    who: str
    command: str
    word: str = ""
    fails: bool = False


def refused(who: str, command: str, word: str) -> Step:
    """Return a step that is refused."""
    return Step(who, command, word, fails=True)


BEGINNING = [
    Step(
        ROOT_USER,
        "catalogs create --storage-type file --default-base-location {base} --allowed-location {base} "
        "--property polaris.config.drop-with-purge.enabled=true --property color=red lake",
    ),
    refused(ROOT_USER, "catalogs create --storage-type file --default-base-location {base}/in other", "overlaps"),
    Step(
        ROOT_USER,
        "catalogs create --type external --storage-type s3 --default-base-location s3://bucket/x --role-arn "
        "arn:aws:iam::123456789012:role/r --catalog-connection-type iceberg-rest --iceberg-remote-catalog-name far "
        "--catalog-uri http://far.example --catalog-authentication-type bearer --catalog-bearer-token t outside",
    ),
    Step(ROOT_USER, "catalogs list", "outside"),
    Step(ROOT_USER, "catalogs get lake", '"color": "red"'),
    Step(ROOT_USER, "catalogs update lake --set-property color=blue --allowed-location {base}/more"),
    Step(ROOT_USER, "catalogs get lake", '"color": "blue"'),
    Step(ROOT_USER, "catalogs update lake --remove-property color"),
    Step(ROOT_USER, "catalogs summarize lake", "lake"),
    refused(USER, "catalogs list", "is not authorized for op LIST_CATALOGS"),
    refused(NOBODY, "catalogs get lake", "is not authorized for op GET_CATALOG"),
    refused(ROOT_USER, "catalogs get none", "NotFound"),
    # principals
    refused(ROOT_USER, "principals create user", "already exists"),
    Step(ROOT_USER, "principals create spare --property team=a", "clientSecret"),
    Step(ROOT_USER, "principals list", "spare"),
    Step(ROOT_USER, "principals update spare --set-property team=b"),
    Step(ROOT_USER, "principals get spare", '"team": "b"'),
    Step(ROOT_USER, "principals reset spare --new-client-secret 0123456789abcdef0123456789abcdef", "0123456789abcdef"),
    Step(ROOT_USER, "principals reset spare", "clientSecret"),
    refused(USER, "principals reset user", "is not authorized for op RESET_CREDENTIALS"),
    refused(ROOT_USER, "principals rotate-credentials spare", "is not authorized for op ROTATE_CREDENTIALS"),
    refused(USER, "principals get user", "is not authorized for op GET_PRINCIPAL"),
    # roles
    Step(ROOT_USER, "principal-roles create people --property size=9"),
    Step(ROOT_USER, "principal-roles update people --set-property size=10"),
    Step(ROOT_USER, "principal-roles get people", '"size": "10"'),
    Step(ROOT_USER, "principal-roles grant --principal user people"),
    Step(ROOT_USER, "principal-roles list --principal user", "people"),
    Step(ROOT_USER, "catalog-roles create --catalog lake owner --property kind=x"),
    Step(ROOT_USER, "catalog-roles update --catalog lake owner --set-property kind=y"),
    Step(ROOT_USER, "catalog-roles get --catalog lake owner", '"kind": "y"'),
    Step(ROOT_USER, "catalog-roles grant --catalog lake --principal-role people owner"),
    Step(ROOT_USER, "catalog-roles list lake", "owner"),
    Step(ROOT_USER, "catalog-roles list lake --principal-role people", "owner"),
    Step(ROOT_USER, "principal-roles list", "people"),
    Step(ROOT_USER, "catalogs list --principal-role people", "lake"),
    Step(ROOT_USER, "principal-roles summarize people", "people"),
    Step(ROOT_USER, "catalog-roles summarize --catalog lake owner", "owner"),
    Step(ROOT_USER, "principals summarize user", "people"),
    Step(ROOT_USER, "principals access user", "people"),
]
CONTENT = [
    refused(USER, "namespaces create --catalog lake a", "is not authorized for op CREATE_NAMESPACE"),
    Step(ROOT_USER, f"privileges catalog grant {ROLE} CATALOG_MANAGE_CONTENT"),
    Step(USER, "namespaces create --catalog lake a --property k=v"),
    Step(USER, "namespaces create --catalog lake a.b"),
    refused(USER, "namespaces create --catalog lake c --location file:///elsewhere", "custom location"),
    refused(USER, "namespaces create --catalog lake a", "already exists"),
    refused(NOBODY, "namespaces list --catalog lake", "is not authorized for op LIST_NAMESPACES"),
    Step(USER, "namespaces list --catalog lake", '"namespace": "a"'),
    Step(USER, "namespaces list --catalog lake --parent a", '"namespace": "a.b"'),
    Step(USER, "namespaces get --catalog lake a", '"k": "v"'),
]
TABLES = [
    Step(USER, f"tables list {IN_CATALOG} --namespace a", "t"),
    Step(USER, f"tables get {IN_CATALOG} --namespace a t", "table-uuid"),
    Step(USER, f"tables summarize {IN_CATALOG} --namespace a t", "a.t"),
    Step(USER, f"views list {IN_CATALOG} --namespace a", "v"),
    Step(USER, f"views get {IN_CATALOG} --namespace a v", "view-uuid"),
    Step(USER, f"views summarize {IN_CATALOG} --namespace a v", "a.v"),
    Step(USER, f"generic-tables list {IN_CATALOG} --namespace a", "g"),
    Step(USER, f"generic-tables get {IN_CATALOG} --namespace a g", "delta"),
    Step(ROOT_USER, f"find {IN_CATALOG} a.t", "matches"),
    Step(ROOT_USER, "find people --type principal-role", "people"),
    Step(ROOT_USER, "namespaces summarize --catalog lake a", "Sub-namespaces:"),
]
POLICIES = [
    Step(USER, f"policies create {POLICY} --policy-file {{on}} --policy-type system.data-compaction p"),
    Step(
        USER,
        f"policies create {POLICY} --policy-file {{on}} --policy-type system.snapshot-expiry "
        "--policy-description old q",
    ),
    refused(USER, f"policies create {POLICY} --policy-file {{on}} --policy-type system.data-compaction p", "already"),
    refused(USER, f"policies create {POLICY} --policy-file {{on}} --policy-type none r", "Unknown policy type"),
    Step(USER, f"policies list {POLICY}", '"q"'),
    Step(USER, f"policies list {POLICY} --policy-type system.data-compaction", '"p"'),
    Step(USER, f"policies get {POLICY} q", '"old"'),
    Step(USER, f"policies update {POLICY} --policy-file {{off}} --policy-description new q"),
    Step(USER, f"policies get {POLICY} q", '"version": 1'),
    Step(USER, f"policies attach {POLICY} --attachment-type catalog p --parameters k=v"),
    Step(USER, f"policies attach {POLICY} --attachment-type namespace --attachment-path a q"),
    Step(USER, f"policies attach {POLICY} --attachment-type table-like --attachment-path a.t q"),
    refused(
        USER, f"policies attach {POLICY} --attachment-type table-like --attachment-path a.none q", "Table or view does"
    ),
    Step(USER, f"policies list {IN_CATALOG} --applicable", '"p"'),
    Step(USER, f"policies list {POLICY} --applicable", '"inherited": true'),
    Step(USER, f"policies list {POLICY} --applicable --target-name t", '"q"'),
    Step(USER, f"namespaces summarize {IN_CATALOG} a", "Inherited from"),
    refused(USER, f"policies delete {POLICY} q", "still attached"),
    Step(USER, f"policies detach {POLICY} --attachment-type table-like --attachment-path a.t q"),
    refused(USER, f"policies detach {POLICY} --attachment-type table-like --attachment-path a.t q", "NoSuchPolicy"),
    Step(USER, f"policies delete {POLICY} --detach-all q"),
    Step(USER, f"policies delete {POLICY} --detach-all p"),
]
PRIVILEGES = [
    step
    for level, (privilege, place) in GRANTS.items()
    for step in (
        Step(ROOT_USER, f"privileges {level} grant {ROLE} {place} {privilege}"),
        Step(ROOT_USER, f"privileges list {ROLE}", privilege),
        Step(ROOT_USER, f"privileges {level} revoke {ROLE} {place} {privilege}"),
        refused(ROOT_USER, f"privileges {level} revoke {ROLE} {place} {privilege}", "GRANT_NOT_FOUND"),
        refused(NOBODY, f"privileges {level} grant {ROLE} {place} {privilege}", "is not authorized for op ADD_"),
    )
]
END = [
    Step(USER, f"generic-tables delete {IN_CATALOG} --namespace a g"),
    Step(USER, f"views delete {IN_CATALOG} --namespace a v"),
    refused(USER, f"namespaces delete {IN_CATALOG} a", "not empty"),
    Step(USER, f"tables delete {IN_CATALOG} --namespace a t"),
    Step(USER, f"namespaces delete {IN_CATALOG} a.b"),
    Step(USER, f"namespaces delete {IN_CATALOG} a"),
    Step(ROOT_USER, "catalog-roles revoke --catalog lake --principal-role people owner"),
    refused(USER, f"namespaces list {IN_CATALOG}", "is not authorized for op LIST_NAMESPACES"),
    refused(ROOT_USER, "catalogs delete lake", "not empty"),
    Step(ROOT_USER, "catalog-roles delete --catalog lake owner"),
    Step(ROOT_USER, "catalogs delete lake"),
    Step(ROOT_USER, "catalogs delete outside"),
    Step(ROOT_USER, "principal-roles revoke --principal user people"),
    Step(ROOT_USER, "principal-roles delete people"),
    Step(ROOT_USER, "principals delete spare"),
    Step(USER, "principals rotate-credentials user", "clientSecret"),
]
SETUP: dict[str, Any] = {
    "principal_roles": ["engineers"],
    "principals": {"ann": {"roles": ["engineers"], "properties": {"team": "a"}}},
    "catalogs": [
        {
            "name": "made",
            "storage_type": "file",
            "roles": {
                "keeper": {
                    "assign_to": ["engineers"],
                    "privileges": {"catalog": ["CATALOG_MANAGE_CONTENT"], "namespace": {"x": ["TABLE_LIST"]}},
                }
            },
            "namespaces": ["x", {"name": "y", "properties": {"k": "v"}}],
            "policies": {"keep": {"namespace": "x", "type": "system.data-compaction", "content": {"enable": True}}},
        }
    ],
}


class Shell:
    """A server, its command lines by who runs them, the files of a run, and the commands that were run."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.ran = url, set[str]()
        self.places = {"base": f"file://{folder}/lake"}
        for name, enabled in (("on", True), ("off", False)):
            path = folder / f"{name}.json"
            path.write_text(json.dumps({"enable": enabled}))
            self.places[name] = str(path)
        self.callers = {ROOT_USER: CommandLine(url, ROOT)}
        self.credentials = {who: self._create(who) for who in (USER, NOBODY)}
        self.callers |= {who: CommandLine(url, credential) for who, credential in self.credentials.items()}

    def _create(self, who: str) -> str:
        made = json.loads(self.callers[ROOT_USER]("principals", "create", who).replace("'", '"'))
        self.ran.add("principals create")
        return f"{made['clientId']}:{made['clientSecret']}"

    def run(self, *steps: Step) -> None:
        """Run steps in their order, and check their outputs."""
        for step in steps:
            words = step.command.format(**self.places).split()
            output = self.callers[step.who](*words, fails=step.fails)
            assert step.word in output, (step.command, output)
            self.ran.add(max((name for name in COMMANDS if step.command.startswith(name)), key=len))


def _leaves(options: list[Any], around: str = "") -> Iterator[str]:
    for option in options:
        name = f"{around} {option.name}".strip()
        yield from _leaves(option.children, name) if option.children else (name,)


COMMANDS = list(_leaves(OptionTree.get_tree()))


@pytest.fixture(params=["memory", "directory"])
def shell(request, tmp_path):
    settings: dict[str, Any] = {"storage": f"dir:{tmp_path}/state"} if request.param == "directory" else {}
    with serve("polaris/1.7", bootstrap=ROOT, **settings) as server:
        yield Shell(server.url, tmp_path)


VIEW = {
    "name": "v",
    "schema": {"type": "struct", "schema-id": 0, "fields": []},
    "view-version": VIEW_VERSION,
}


def fill(shell: Shell, http: Any) -> None:
    """Create a table, a view and a generic table as the user: the command line creates none."""
    client_id, _, secret = shell.credentials[USER].partition(":")
    settings = {"credential": f"{client_id}:{secret}", "scope": "PRINCIPAL_ROLE:ALL", "warehouse": "lake"}
    load_catalog("lake", type="rest", uri=f"{shell.url}/api/catalog", **settings).create_table("a.t", ROWS.schema)
    caller = Caller(http, shell.url, "1.7").login(client_id, secret)
    caller.content("POST", "/lake/namespaces/a/views", VIEW, expect=200)
    generic = {"name": "g", "format": "delta"}
    caller.call("POST", "/api/catalog/polaris/v1/lake/namespaces/a/generic-tables", generic, expect=200)


def set_up(shell: Shell, folder: Path) -> None:
    """Apply a configuration twice, and export it."""
    file, base = folder / "setup.yaml", f"file://{folder}/made"
    (made,) = SETUP["catalogs"]
    file.write_text(yaml.safe_dump({**SETUP, "catalogs": [{**made, "default_base_location": base}]}))
    for _ in range(2):
        shell.run(Step(ROOT_USER, f"setup apply {file}"))
    shell.run(
        Step(ROOT_USER, f"setup apply --dry-run {file}"),
        Step(ROOT_USER, "setup export", "engineers"),
        Step(ROOT_USER, "policies get --catalog made --namespace x keep", "system.data-compaction"),
        Step(ROOT_USER, "namespaces get --catalog made y", '"k": "v"'),
        Step(ROOT_USER, "privileges list --catalog made --catalog-role keeper", "CATALOG_MANAGE_CONTENT"),
        refused(USER, "setup export", "export"),
    )


def talk(shell: Shell, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep a profile, and run a command within a session."""
    monkeypatch.setattr("apache_polaris.cli.profile_config.CONFIG_DIR", str(folder))
    monkeypatch.setattr("apache_polaris.cli.profile_config.CONFIG_FILE", str(folder / "profiles.json"))
    for name in ("create", "update"):
        answers = iter(PROFILE)
        monkeypatch.setattr("builtins.input", lambda _prompt, answers=answers: next(answers))
        shell.run(Step(ROOT_USER, f"profiles {name} here"))
    shell.run(
        Step(ROOT_USER, "profiles list", "here"),
        Step(ROOT_USER, "profiles get here", "localhost"),
        Step(ROOT_USER, "profiles delete here"),
    )
    monkeypatch.setattr(repl, "REPL_HISTORY_FILE", str(folder / "history"))
    lines = iter(["principals list", "exit"])
    monkeypatch.setattr("builtins.input", lambda _prompt: next(lines))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    shell.run(Step(ROOT_USER, "repl", "nobody"))


def test_every_command(shell, http, tmp_path, monkeypatch):
    shell.run(*BEGINNING, *CONTENT)
    fill(shell, http)
    shell.run(*TABLES, *POLICIES, *PRIVILEGES)
    set_up(shell, tmp_path)
    talk(shell, monkeypatch, tmp_path)
    shell.run(*END)
    assert sorted(set(COMMANDS) - shell.ran) == []
