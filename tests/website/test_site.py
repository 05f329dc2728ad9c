"""The whole site: built as people build it, and asked by its own search."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from website.asking import QUESTIONS, unanswered

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site that was built with links and files checked."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "website", "--site", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


def test_a_requirement_leads_to_its_source(site):
    page = (site / "requirements" / "iceberg.namespace" / "index.html").read_text()
    assert "../../source/conformance.iceberg.requirements.test_namespaces.html#L" in page
    assert 'href="#create"' in page  # its contents list


@pytest.mark.skipif(not shutil.which("chromium"), reason="The search runs in a browser: `apt install chromium`.")
def test_questions_of_newcomers_find_their_answers(site):
    asked = tomllib.loads(QUESTIONS.read_text())
    assert len(asked) >= 20
    assert list(unanswered(site, asked)) == []
