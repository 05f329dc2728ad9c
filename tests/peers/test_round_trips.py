"""Known deviations of real servers: found, written down, known, fixed by a proxy, renamed and expired."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import orjson
import pytest

from conformance.after.expectations_update import updated
from conformance.replay.expectations_file import ExpectationFile, read_expectations, write_expectations
from lakeproof import check
from tests.conformance.proxy import Answer, Proxy

ROOT = Path(__file__).parent.parent.parent
KNOWN_MODES = ("create", "existok", "overwrite")


@dataclass(frozen=True)
class Peer:
    """A server by other people: the command that starts it, some of its defects, and how a proxy fixes the first."""

    api: str
    command: tuple[str, ...]
    defects: tuple[str, ...]
    fix: Callable[[bytes, Answer], Answer]
    fixed: tuple[str, ...]


def refuse_unknown_modes(body: bytes, answer: Answer) -> Answer:
    mode = (orjson.loads(body or b"{}") or {}).get("mode") if body.startswith(b"{") else None
    if mode is None or str(mode).lower().replace("_", "") in KNOWN_MODES:
        return answer
    return Answer(400, {"Content-Type": "application/json"}, orjson.dumps({"error": "no such mode", "code": 13}))


def refuse_as_400(_: bytes, answer: Answer) -> Answer:
    error = {"error": {"message": "no", "type": "BadRequestException", "code": 400}}
    return answer if answer.status < 500 else Answer(400, {"Content-Type": "application/json"}, orjson.dumps(error))


BAD_BODY = "iceberg.namespace.create.bad_body"
PEERS = {
    "rest_adapter": Peer(
        "lance",
        (str(ROOT / "peers" / "rest_adapter.py"),),
        ("lance.namespace.create.mode_unknown", "lance.namespace.drop.mode_unknown", "lance.namespace.list.missing"),
        refuse_unknown_modes,
        ("lance.namespace.create.mode_unknown",),
    ),
    "java": Peer(
        "iceberg",
        ("-m", "peers.iceberg_java.fixture", "durable=true"),
        (f"{BAD_BODY}.no_namespace", f"{BAD_BODY}.namespace_text", "iceberg.namespace.create.level_type"),
        refuse_as_400,
        (f"{BAD_BODY}.no_namespace", f"{BAD_BODY}.namespace_text"),
    ),
}


class FixingProxy(Proxy):
    """Lets everything through, and fixes some answers to CreateNamespace."""

    def __init__(self, server: str, peer: Peer) -> None:
        super().__init__(server)
        self.peer = peer

    def answer(self, handler, body):
        answer = self.ask(handler.command, handler.path, dict(handler.headers.items()), body)
        creates = handler.command == "POST" and handler.path.endswith(("/create", "/v1/namespaces"))
        self.send(handler, self.peer.fix(body, answer) if creates else answer)


@pytest.fixture(params=PEERS)
def peer(request, tmp_path):
    """A peer and its URL."""
    if request.param == "java":
        request.getfixturevalue("java_here")
    chosen = PEERS[request.param]
    (tmp_path / "root").mkdir()
    command = [sys.executable, *chosen.command, f"root={tmp_path / 'root'}"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    yield chosen, process.stdout.readline().split()[-1]
    process.terminate()
    process.wait()


def test_known_deviations_of_a_peer(peer, tmp_path):
    peer, url = peer
    path = tmp_path / "known.toml"
    defects = " or ".join(peer.defects)
    given: dict[str, Any] = {"api": peer.api, "select": defects, "depth": "smoke", "strict": True, "no_shrink": True}

    def judged(server: str = url, change: Callable[[ExpectationFile], object] = lambda file: None):
        """Return the exit code of a run by the file, which was changed, and the states of its entries."""
        changed = tmp_path / "changed.toml"
        file = read_expectations(path)
        change(file)
        write_expectations(changed, file)
        results, code = check(server, expect=str(changed), report=str(tmp_path / "report"), **given)
        return code, {record.requirement: record.state for record in results.expectations}

    results, code = check(url, expect="", report=str(tmp_path / "found"), **given)
    assert (code, [result.verdict for result in results.requirements if result.verdict == "pass"]) == (1, [])
    write_expectations(path, updated(ExpectationFile(profile=results.target.profile), results))

    assert judged() == (0, dict.fromkeys(peer.defects, "known"))

    with FixingProxy(url, peer) as proxy:
        code, states = judged(proxy.url)
    assert code == 1
    assert states == {name: "stale" if name in peer.fixed else "known" for name in peer.defects}

    def rename(file: ExpectationFile) -> None:
        for entry in file.known:
            entry.findings = {
                f"{name}_old" if name in peer.fixed else name: seen for name, seen in entry.findings.items()
            }

    code, states = judged(change=rename)
    assert (code, {states[f"{name}_old"] for name in peer.fixed}) == (1, {"orphan"})

    def expire(file: ExpectationFile) -> None:
        for entry in file.known:
            entry.expires = date(2020, 1, 1)

    assert judged(change=expire) == (1, dict.fromkeys(peer.defects, "expired"))
