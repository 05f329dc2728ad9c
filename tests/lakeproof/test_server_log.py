"""Lines of the reference server are not among those of a run: they would be taken for the tested server's."""

from __future__ import annotations

import logging

import pytest

from lakeproof import check, serve
from lakeproof.server_process import LOG, ServerProcess
from reference_server.serve import Server, server_settings
from specs.problems import Problem

CONFLICT = "lance.namespace.create.conflict"
LINE = "a line of the reference server"
SPEAKING = "PYTHONWARNINGS"  # Python prints a line about a value that it does not know


@pytest.fixture
def speaking(monkeypatch):
    """Every server that is started from here on prints something, in this process and in others."""
    start = Server.start

    def speak(server):
        logging.getLogger("lakeproof.server").error(LINE)
        return start(server)

    monkeypatch.setattr(Server, "start", speak)
    monkeypatch.setenv(SPEAKING, "nonsense")


def test_the_server_that_is_sent_findings_is_not_heard(tmp_path, capfd, caplog, request):
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as faulty:
        request.getfixturevalue("speaking")
        results, _ = check(faulty.url, select=CONFLICT, report=str(tmp_path))
    assert results.requirements[0].reference, "it was asked"
    assert LINE not in caplog.text
    assert capfd.readouterr().err == ""
    assert not (tmp_path / LOG).exists()


def test_lines_of_the_embedded_server_are_kept_beside_the_report(tmp_path, capfd, speaking, monkeypatch):
    check(storage="memory:pure", select=CONFLICT, report=str(tmp_path))
    assert "Invalid -W option" in (tmp_path / LOG).read_text()
    assert capfd.readouterr().err == ""
    monkeypatch.delenv(SPEAKING)
    check(storage="memory:pure", select=CONFLICT, report=str(tmp_path))
    assert not (tmp_path / LOG).exists()


def test_a_server_that_does_not_start_says_where_its_lines_are(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))
    with (tmp_path / LOG).open("wb") as log, pytest.raises(Problem) as problem:
        ServerProcess(server_settings("lance"), log).start()
    assert problem.value.hint == f"{LOG} in the folder of the report contains the reason."
    assert (tmp_path / LOG).read_text()
