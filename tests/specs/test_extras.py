"""Commands that add an extra: in the form that the installation came by."""

from __future__ import annotations

import shlex
import shutil
import sys

import pytest

from specs import extras
from specs.extras import install_command, source_with

WHEEL = "file:///a/lakeproof-0.2.0-py3-none-any.whl"
GIT = {"url": "https://git.example/lakeproof", "vcs_info": {"vcs": "git", "commit_id": "abc"}}


@pytest.mark.parametrize(
    ("origin", "arguments"),
    [
        ({}, ["lakeproof[tls]"]),
        ({"url": "file:///my%20clone", "dir_info": {}}, ["/my clone[tls]"]),
        ({"url": "file:///clone", "dir_info": {"editable": True}}, ["-e", "/clone[tls]"]),
        ({"url": WHEEL, "archive_info": {}}, [f"lakeproof[tls] @ {WHEEL}"]),
        (GIT, ["lakeproof[tls] @ git+https://git.example/lakeproof@abc"]),
    ],
)
def test_an_extra_comes_from_where_the_installation_came_from(origin, arguments):
    assert source_with("tls", origin) == arguments


def test_the_installer_is_that_of_this_python(monkeypatch, tmp_path):
    pip = tmp_path / "bin" / "pip"
    monkeypatch.setattr(sys, "executable", str(pip.with_name("python")))
    monkeypatch.setattr(shutil, "which", lambda _: str(pip))
    assert shlex.split(install_command("tls"))[:2] == ["pip", "install"]
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/pip")
    monkeypatch.setattr(extras, "find_spec", lambda _: object())
    assert shlex.split(install_command("tls"))[1:4] == ["-m", "pip", "install"]
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    assert shlex.split(install_command("tls"))[:3] == ["uv", "pip", "install"]
