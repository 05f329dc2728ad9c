"""The suite judged by faults: every fault is noticed by the requirements of which that was measured.

That every requirement that the reference server meets notices a fault is seen in test_whole_runs.py. Of the faults one
in three is looked at, of those that follow from a document one in twelve, and of what many requirements notice six of
these; all of them with `tox -e py -- --thorough tests/conformance/test_mutants.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen
from zlib import crc32

import pytest

import reference_server
from conformance.after.reproduction import Recorded
from conformance.apis import requirements
from conformance.lance.support import indexing
from conformance.replay.script import doubt
from conformance.run.selection import Scope
from conformance.run.session import met
from conformance.values.results import Result, RunRecord
from conformance.values.settings import variable
from conformance.values.verdict import FINDINGS
from lakeproof.server_process import ServerProcess
from mutants.faults import FAULTS
from mutants.mutation import Shown, show
from mutants.noticed import matching
from reference_server.control.client import RemoteServer
from reference_server.derived_faults import derived_faults
from reference_server.serve import server_settings
from specs.apis import apis
from specs.profiles import find_profile, profiles
from tests.amount import amount, tried
from tests.conformance.mutants import ERRING, NOTICED, ON_S3, SERVED, TOKEN, judge, settings_for, unnoticed
from tests.conformance.pasted_scripts import Shell, record_of

WRITTEN, DERIVED = 3, 12  # one in so many
PASTED = 3 * WRITTEN
# What they do depends on the requests and objects of others in the run, too: a script is alone.
AMONG_OTHERS = ("config-every-other-time", "grants-of-all-roles", "listed-once", "offset-pages")
MOST = amount(6, None)
RACES_AGAIN = 3
Meets = Callable[[str, set[str]], set[str]]


@cache
def in_scope(profile: str) -> frozenset[str]:
    chosen = find_profile(profile)
    scope = Scope.of(chosen, chosen.document())
    return frozenset(name for name, entry in requirements(chosen.api).items() if scope.has(entry))


@cache
def derived_of(profile: str) -> frozenset[str]:
    return frozenset(fault.name for fault in derived_faults(find_profile(profile).document()))


def profile_for(api: str, fault: str) -> str:
    """Return the default profile, or another one if only that has the fault, and requirements that notice it."""
    names = dict.fromkeys([find_profile(api).name, *(name for name, one in profiles().items() if one.api == api)])
    derived = {name for name in names if fault in derived_of(name)}
    return next(name for name in names if name in (derived or names) and matching(NOTICED[api][fault], in_scope(name)))


MUTANTS = [
    pytest.param(profile_for(api, fault), fault, id=f"{api}-{fault}")
    for api in apis()
    for fault, patterns in NOTICED[api].items()
    if not all(pattern.startswith(ON_S3) for pattern in patterns) and tried(fault, DERIVED if ":" in fault else WRITTEN)
]


def noticing(profile: str, fault: str) -> set[str]:
    known = requirements(find_profile(profile).api)
    patterns = NOTICED[find_profile(profile).api][fault]
    ids = {name for name in matching(patterns, in_scope(profile)) if not name.startswith(ON_S3)}
    # What judges the exchanges of others has few of them where others are left out.
    alone = sorted(
        (name for name in ids if known[name].kind != "wire"), key=lambda name: crc32(f"{fault} {name}".encode())
    )
    return set(alone[:MOST]) if MOST and alone and len(ids) > MOST else ids


def asked(profile: str, fault: str) -> set[str]:
    """Return requirements that notice a fault, and some that send requests if these only judge exchanges of others."""
    wanted, known = noticing(profile, fault), requirements(find_profile(profile).api)
    if all(known[name].kind == "wire" for name in wanted):
        judged = {operation for name in wanted for operation in known[name].operations}
        senders = (name for name in in_scope(profile) if known[name].twin and judged & {*known[name].operations})
        wanted |= {*sorted(senders)[:MOST]}
    return wanted | ERRING if any(name.startswith("iceberg.errors.") for name in wanted) else wanted


@pytest.fixture(scope="module")
def servers():
    """A server for each profile, started when it is first asked for."""
    with ExitStack() as stack:
        fixed = {"auth": f"token:{TOKEN}", "allow_faults": True}

        @cache
        def started(profile: str) -> ServerProcess:
            served = SERVED.get(find_profile(profile).api, {})
            return stack.enter_context(ServerProcess(server_settings(profile, **fixed, **served)))

        yield started


@pytest.fixture(scope="module")
def shown(request, servers, tmp_path_factory) -> Callable[[str], dict[str, Shown]]:
    """Return a function that shows a profile's faults, in one run, and returns what was said of the server by fault."""

    @cache
    def by_fault(profile: str) -> dict[str, Shown]:
        tests = (
            item for item in request.session.items if item.function in (test_fault_is_noticed, test_a_pasted_script)
        )
        shown = (test.callspec.params["fault"] for test in tests if test.callspec.params["profile"] == profile)
        faults = dict.fromkeys(shown)
        settings = settings_for(servers(profile), tmp_path_factory.mktemp("shown"), profile=profile)
        return {entry.fault: entry for entry in show(settings, {fault: [asked(profile, fault)] for fault in faults})}

    return by_fault


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    """This server has its indices at once: what a fault keeps from being there is not waited for."""
    monkeypatch.setattr(indexing, "PATIENCE_SECONDS", 1.0)


@pytest.fixture
def meets(servers, tmp_path) -> Meets:
    """Return a function that returns those of some requirements that the server meets without a fault."""

    def among(profile: str, ids: set[str]) -> set[str]:
        results = judge(servers(profile), tmp_path / "without", ids=ids, profile=profile)
        return {entry.id for entry in results.requirements if entry.verdict == "pass"}

    return among


@pytest.mark.parametrize(("profile", "fault"), MUTANTS)
def test_fault_is_noticed(profile: str, fault: str, shown, servers, meets: Meets, tmp_path):
    known = requirements(find_profile(profile).api)
    wanted, results = noticing(profile, fault), shown(profile)[fault].results
    missed = unnoticed(results) & wanted
    for _ in range(RACES_AGAIN):  # clients that do not meet notice nothing
        if races := {name for name in missed if known[name].kind == "race"}:
            again = judge(servers(profile), tmp_path, fault=fault, ids=races, profile=profile)
            missed -= races - unnoticed(again.requirements)
    # What this server does not offer is none of its faults.
    assert not (missed and meets(profile, missed))
    assert missed < wanted
    assert {result.id for result in results} == asked(profile, fault)


@pytest.fixture(scope="module")
def shells(servers, tmp_path_factory):
    """A shell for each profile, which knows what its server offers."""
    with ExitStack() as stack:

        @cache
        def opened(profile: str) -> Shell:
            settings = settings_for(servers(profile), tmp_path_factory.mktemp("shell"), profile=profile)
            return Shell(stack.enter_context(met(settings)))

        yield opened


def secrets_of(url: str) -> dict[str, str]:
    """The variable of a caller's header: of the token, or where the server issues tokens of a new one."""
    form = {"grant_type": "client_credentials", "client_id": "root", "client_secret": TOKEN}
    path, scope = "/api/catalog/v1/oauth/tokens", {"scope": "PRINCIPAL_ROLE:ALL"}
    try:
        with urlopen(url + path, urlencode({**form, **scope}).encode()) as answer:
            token = json.load(answer)["access_token"]
    except HTTPError:
        token = TOKEN
    return {variable("Authorization"): f"Bearer {token}"}


def strongest(findings: Iterable[Result], url: str, run: RunRecord) -> Recorded:
    """The finding whose script shows most: one without a doubt, of the fewest steps."""
    records = [record_of(result, url, run) for result in findings]
    return min(records, key=lambda record: (bool(doubt(record.finding)), len(record.finding.steps), record.finding.id))


@pytest.mark.parametrize(
    ("profile", "fault"),
    [one for one in MUTANTS if tried(str(one.values[1]), PASTED) and one.values[1] not in AMONG_OTHERS],
)
def test_a_pasted_script(profile: str, fault: str, shown, servers, shells):
    """It shows the finding, in a tenant of its own: as on a server with the fault that nobody else uses."""
    server, seen = servers(profile), shown(profile)[fault]
    findings = [result for result in seen.results if result.verdict in FINDINGS and result.steps and not result.flaky]
    record = strongest(findings, server.url, seen.run)
    if not doubt(record.finding):
        address = urlsplit(server.url)
        with RemoteServer(f"{address.scheme}://{address.netloc}").tenant() as tenant:
            assert not shells(profile).differs(record, tenant.url, secrets_of(tenant.url))


@pytest.mark.parametrize("api", apis())
def test_what_was_measured_names_faults_and_requirements(api):
    derived = {fault for name, profile in profiles().items() if profile.api == api for fault in derived_of(name)}
    known = {*FAULTS, *derived}
    assert {fault for fault in NOTICED[api] if not known & {fault, fault.partition(":")[0]}} == set()
    assert {fault for fault, patterns in NOTICED[api].items() if not patterns} == set()
    written, ids = {pattern for patterns in NOTICED[api].values() for pattern in patterns}, set(requirements(api))
    assert {pattern for pattern in written if not matching([pattern], ids)} == set()


@pytest.mark.parametrize(
    "ids",
    [
        {"lance.refusal.rename_table.taken"},  # before, a name that is free is accepted
        {"lance.table.register.conflict"},  # it registers again, afterwards, what it had deregistered
    ],
)
def test_what_an_operation_refuses_as_unsupported_is_a_finding_if_it_ever_succeeds(servers, tmp_path, ids):
    (result,) = judge(servers("lance"), tmp_path, fault="conflict-as-unsupported", ids=ids).requirements
    assert result.verdict == "fail"
    assert result.message.endswith(": expected 409, got 406")
    assert [step.mark for step in result.steps if step.mark] == ["status"]


def test_no_requirement_stands_in_the_server():
    """Nor does the beginning of an id, of two words and more."""
    ids = re.compile(r"\b(?:" + "|".join(apis()) + r")(?:\.[a-z_]+)+")
    known = {id for api in apis() for id in requirements(api)}
    begun = {".".join(words[:count]) for words in (id.split(".") for id in known) for count in range(3, len(words) + 1)}
    for path in Path(reference_server.__file__).parent.rglob("*.py"):
        assert begun.intersection(ids.findall(path.read_text())) == set(), path
    assert begun.intersection(ids.findall("lance.table.create, lance.table.create.rows"))
