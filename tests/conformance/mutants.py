"""The suite judged by faults: how a reference server that misbehaves is judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.after.runner import run
from conformance.values.results import Result, Results
from conformance.values.settings import Settings, load_settings
from conformance.values.verdict import FINDINGS
from lakeproof import Server
from lakeproof.server_process import ServerProcess
from mutants.noticed import noticed_file, read_noticed
from reference_server.context import Reply
from reference_server.faults import FAULTS, HEADER, Call, Fault, Proceed
from reference_server.iceberg.catalog.function_files import SAMPLES
from reference_server.iceberg.options import SAMPLE_NAMESPACE
from reference_server.serve import server_settings
from specs.apis import apis

TOKEN = "test-token"
# A run that names its warehouse sees what becomes of clients that name none.
ROOT = f"root:{TOKEN}"
SETTINGS = {
    "iceberg": {"warehouse": "default", "credential": f"lakeproof:{TOKEN}", "functions": SAMPLE_NAMESPACE},
    "polaris": {"token": "", "credential": ROOT},
}
SERVED: dict[str, dict[str, Any]] = {"iceberg": {"functions": str(SAMPLES)}, "polaris": {"bootstrap": ROOT}}
ON_S3 = "iceberg.storage."  # judged in iceberg/test_s3_mutants.py
# They get the errors whose form others judge.
ERRING = {
    "iceberg.config.warehouse_unknown",
    "iceberg.listing.namespaces.missing",
    "iceberg.namespace.create.conflict",
    "iceberg.refusal.create_table.no_namespace",
    "iceberg.refusal.create_table.taken",
    "iceberg.refusal.drop_table.missing",
    "iceberg.refusal.register_table.no_namespace",
    "iceberg.refusal.rename_table.missing",
    "iceberg.refusal.rename_table.taken",
    "iceberg.refusal.rename_view.missing",
    "iceberg.refusal.update_table_properties.missing",
    "iceberg.register.table.taken",
    "iceberg.table.metrics.missing",
    "iceberg.refusal.commit_transaction.missing_last",
}
NOTICED = {api: read_noticed(noticed_file(api)) for api in apis()}


def judge(
    server: Server | ServerProcess, folder: Path, *, fault: str = "", ids: set[str] | None = None, **more: Any
) -> Results:
    """Run the suite, or these requirements of it, against a server that misbehaves like this."""
    return run(settings_for(server, folder, fault=fault, **more), ids=ids)[0]


def found(api: str, name: str, fault: str, folder: Path) -> Result:
    """Test one requirement, in its plain world, against a new server with a fault."""
    with ServerProcess(server_settings(api, auth=f"token:{TOKEN}", allow_faults=True, **SERVED.get(api, {}))) as server:
        (result,) = judge(server, folder, fault=fault, ids={name}, depth="smoke", world="plain").requirements
    return result


def settings_for(server: Server | ServerProcess, folder: Path, *, fault: str = "", **more: Any) -> Settings:
    """Return the settings of such a run."""
    headers = (f"{HEADER}: {fault}",) if fault else ()
    (api,) = server.urls
    given = {"server": server.url, "api": api, "token": TOKEN, "header": headers, "report": str(folder)}
    return load_settings({**given, **SETTINGS.get(api, {}), "no_shrink": True, **more}, environ={}, folder=folder)


class Mended:
    """Listener that ends a fault after the first tested requirement: register it as the fault `once`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wrong: Fault) -> None:
        self.verdicts: list[str] = []

        async def around(call: Call, proceed: Proceed) -> Reply:
            return await (proceed() if self.verdicts else wrong.around(call, proceed))

        monkeypatch.setitem(FAULTS, "once", replace(wrong, name="once", around=around))

    def selected(self, requirements: object) -> None:
        """Expect nothing of the selection."""

    def tested(self, result: Result) -> None:
        """Note a verdict."""
        self.verdicts.append(result.verdict)


def unnoticed(requirements: list[Result]) -> set[str]:
    """Return the requirements that found nothing wrong."""
    return {entry.id for entry in requirements if entry.verdict not in FINDINGS}
