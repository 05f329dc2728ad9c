"""CI systems that use our files, imitated on this machine: GitHub's runner, GitLab's runner, Docker.

Each has an environment of its own with the packages that lakeproof depends on, but not lakeproof: nothing is fetched.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.lakeproof.environments import ROOT, environment, run

EXPRESSION = re.compile(r"\$\{\{ ([a-z.-]+) \}\}")
VALUE = re.compile(r"(inputs|steps)\.[a-z.-]+")


def prepared(folder, site):
    """Make an environment that sees the packages in `site`, and return the folder of its commands."""
    commands = environment(folder)
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "dependencies.pth").write_text(f"{site}\n")
    return commands


def inherited():
    """The variables that a job has anyway: none of ours, and none of pytest's."""
    return {name: text for name, text in os.environ.items() if not name.startswith(("LAKEPROOF_", "PYTEST_", "GIT"))}


@dataclass
class GitHub:
    """A runner with a workspace. It runs the shell steps of an action, and notes what it hands to other actions."""

    folder: Path
    site: Path
    used: list[Any] = field(default_factory=list)
    said: str = ""

    def __post_init__(self):
        self.workspace, self.temp = self.folder / "workspace", self.folder / "temp"
        self.workspace.mkdir(parents=True, exist_ok=True)
        prepared(self.temp / "lakeproof", self.site)

    def use(self, inputs, **variables):
        """Run the action as a step with these inputs and variables; return its outcome and its outputs."""
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        assert inputs.keys() <= action["inputs"].keys()
        assert [
            (name, definition)
            for name, definition in action["inputs"].items()
            if definition.get("required") and name not in inputs
        ] == []
        values = {f"inputs.{name}": definition.get("default", "") for name, definition in action["inputs"].items()}
        values |= {f"inputs.{name}": text for name, text in inputs.items()}
        failed = False
        for step in action["runs"]["steps"]:
            if self._wanted(step.get("if", "success()"), values, failed):
                failed |= self._step(step, values, variables)
        outputs = {name: _filled(output["value"], values) for name, output in action["outputs"].items()}
        return not failed, outputs

    def _wanted(self, condition, values, failed):
        text = VALUE.sub(lambda match: repr(values.get(match[0], "")), condition).replace("&&", "and")
        return eval(text, {"always": lambda: True, "success": lambda: not failed})

    def _step(self, step, values, variables):
        """Run a step, take its outputs, and return whether it failed."""
        if "uses" in step:
            self.used.append((step["uses"], {name: _filled(text, values) for name, text in step["with"].items()}))
            return False
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "what others write has to come as a variable"
        files = {name: self.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        files["GITHUB_OUTPUT"].write_text("")
        script = self.folder / "step.sh"
        script.write_text(step["run"])
        own = {name: _filled(text, values) for name, text in step["env"].items()}
        github = {"GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": ROOT, "RUNNER_TEMP": self.temp, "GITHUB_SHA": "5ha"}
        variables = inherited() | {name: str(value) for name, value in (github | files).items()} | variables | own
        code, output = run(
            "bash", "--noprofile", "--norc", "-eo", "pipefail", script, cwd=self.workspace, env=variables
        )
        self.said += output
        for line in files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, text = line.partition("=")
            values[f"steps.{step['id']}.outputs.{name}"] = text
        return code != 0

    @property
    def summary(self):
        """Return the summary on the page of the run."""
        return (self.folder / "GITHUB_STEP_SUMMARY").read_text()


def _filled(text, values):
    return EXPRESSION.sub(lambda match: values.get(match[1], ""), text)


def gitlab(folder, site, **variables):
    """Run the job of GitLab in its image, with these variables; return its exit code, what it said and its reports."""
    job = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text())[".lakeproof"]
    commands = prepared(folder / "image", site)
    project = folder / "project"
    project.mkdir()
    path = {"PATH": f"{commands}:{os.environ['PATH']}"}
    script = "\n".join(["set -eo pipefail", *job["script"]])
    code, said = run("bash", "-c", script, cwd=project, env=inherited() | path | job["variables"] | variables)
    artifacts = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
    return code, said, [project / path for path in artifacts]


class Docker:
    """Builds the image and runs it: each stage is a folder with an environment, and users are only noted."""

    def __init__(self, folder, site, **arguments):
        self.folder, self.site, self.variables, self.stages = folder, site, {}, {}
        self.users, self.user, self.entrypoint = folder / "users", "", []
        tools = folder / "tools"
        tools.mkdir(parents=True)
        (tools / "useradd").write_text(f'#!/bin/sh\necho "$@" >> {self.users}\n')
        (tools / "useradd").chmod(0o755)
        for line in (ROOT / "Dockerfile").read_text().splitlines():
            if line and not line.startswith("#"):
                instruction, _, rest = line.partition(" ")
                getattr(self, f"_{instruction.lower()}")(rest, tools, arguments)

    def run(self, *words, **variables):
        """Run the entry point with these words; return its exit code and what it said."""
        return run(*self.entrypoint, *words, cwd=self.place, env=self._environ() | variables)

    def _environ(self):
        return inherited() | self.variables

    def _from(self, rest, tools, _):
        image, _, name = rest.partition(" AS ")
        assert image.startswith("python:3.")
        self.root = self.place = self.stages[name] = self.folder / f"stage-{len(self.stages)}"
        commands = prepared(self.root / "venv", self.site)
        self.variables = {"PATH": f"{tools}:{commands}:{os.environ['PATH']}"}

    def _workdir(self, rest, *_):
        self.place = self.root / rest.lstrip("/")
        self.place.mkdir(exist_ok=True)

    def _arg(self, rest, _, arguments):
        name, _, default = rest.partition("=")
        self.variables[name] = arguments.get(name, default)

    def _copy(self, rest, *_):
        *options, source, target = rest.split()
        if options:
            source = self.stages[options[0].removeprefix("--from=")] / source.lstrip("/")
            shutil.copytree(source, self.place / target, dirs_exist_ok=True)
        else:
            _copy_context(self.place / target)

    def _run(self, rest, *_):
        code, said = run("sh", "-c", rest, cwd=self.place, env=self._environ())
        assert code == 0, said

    def _user(self, rest, *_):
        self.user = rest

    def _entrypoint(self, rest, *_):
        command, *words = json.loads(rest)
        self.entrypoint = [shutil.which(command, path=self.variables["PATH"]), *words]


def _copy_context(target):
    """Copy what .dockerignore lets through: the files and folders that it names after it has left out everything."""
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert rules[0] == "*"
    taken = [rule[1:] for rule in rules if rule.startswith("!")]
    left_out = [rule.removeprefix("**/") for rule in rules[1:] if not rule.startswith("!")]
    for name in taken:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source,
                target / name,
                ignore=lambda _, names: [
                    entry for entry in names if any(fnmatch.fnmatch(entry, rule) for rule in left_out)
                ],
            )
        else:
            shutil.copy(source, target / name)
