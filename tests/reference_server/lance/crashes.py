"""Writers of the Lance API, and what must be so after they were interrupted."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path

import lance
import lance_namespace as official

from conformance.author.strategies import tables
from conformance.lance.support.arrow import stream
from conformance.lance.support.staging import local_directory, stage_in
from tests.reference_server.crashes import Crashes
from tests.reference_server.lance.arrow_streams import ARROW

ROWS = 3
HOMES = ("", "ns%24")
KEPT = {"__manifest", ".lakeproof"}


class LanceCrashes(Crashes):
    """Creations, batches that swap declared tables, batches of versions, and drops, in two namespaces."""

    api = "lance"
    shortest, longest = 0.0, 0.4

    def __init__(self, root, seed=None):
        super().__init__(root, seed)
        self.started, self.done = [], []

    def setup(self):
        self.send("namespace/ns/create")

    def writers(self):
        kinds = (self.create_tables, self.commit_batches, self.make_versions, self.drop_tables)
        return [partial(kind, f"{home}{kind.__name__}{self.tally.kills}n") for kind in kinds for home in HOMES]

    def send(self, path, body=None, *, data=None):
        """Send a request and return status and JSON. Raises Dead when no answer comes."""
        sent = {"body": data, "headers": ARROW} if data else {"json": body or {}}
        answer = self.request("POST", f"/v1/{path}", **sent)
        return answer.status, answer.json() if answer.data else None

    def attempt(self, kind, names, path, body=None, *, data=None):
        """Do something that must be whole or absent after a crash, and there once it was answered."""
        self.started.append((kind, names))
        status, answer = self.send(path, body, data=data)
        assert status == 200, answer
        self.done.append((kind, names))
        self.tally.acknowledged += 1

    def create(self, name):
        status, answer = self.send(f"table/{name}/create", data=stream(tables(ROWS)))
        assert status == 200, answer
        self.tally.acknowledged += 1
        return answer

    def create_tables(self, start):
        for number in count():
            name = f"{start}{number}"
            self.attempt("create", [name], f"table/{name}/create", data=stream(tables(ROWS)))

    def commit_batches(self, start):
        """Declare two tables at once, then give both up and declare two others, at once."""
        before = []
        for number in count():
            pair = [f"{start}{number}x", f"{start}{number}y"]
            operations = [{"deregister_table": {"id": name.split("%24")}} for name in before]
            operations += [{"declare_table": {"id": name.split("%24")}} for name in pair]
            self.attempt("swap", before + pair, "table/batch-commit", {"operations": operations})
            before = pair

    def make_versions(self, start):
        """Make the second version of two tables at once."""
        for number in count():
            pair = [f"{start}{number}x", f"{start}{number}y"]
            places = [local_directory(self.create(table)["location"]) for table in pair]
            staged = [
                {"id": table.split("%24"), **stage_in(place, 1)} for table, place in zip(pair, places, strict=True)
            ]
            self.attempt("versions", pair, "table/version/batch-create", {"entries": staged})

    def drop_tables(self, start):
        for number in count():
            self.create(f"{start}{number}")
            self.attempt("drop", [f"{start}{number}"], f"table/{start}{number}/drop")

    def judge(self):
        """Compare what is there with the requests and answers of clients; every folder is that of a table."""
        for kind, names in self.started:
            getattr(self, f"judge_{kind}")(names, (kind, names) in self.done)
        self.started.clear()
        self.done.clear()
        folders = {path.name for path in (self.root / "lance").iterdir() if path.is_dir()} - KEPT
        self.tally.left += [name for name in sorted(folders - self.locations()) if not self.is_deregistered(name)]
        for home in HOMES:
            for name in self.names(home):
                self.send(f"table/{home}{name}/drop")

    def judge_create(self, names, completed):
        self.expect(names, [self.rows(names[0])], [ROWS], None if completed else [None])

    def judge_swap(self, names, completed):
        before, after = names[:-2], names[-2:]
        there = [self.exists(name) for name in after]
        later = any(kind == "swap" and others[:2] == after for kind, others in self.started)
        if not later:
            self.expect(after, there, [True, True], None if completed else [False, False])
        elif len(set(there)) > 1:
            self.tally.torn.append(f"of {after} there are {there}")
        if before and not completed and [self.exists(name) for name in before] != [not there[0]] * 2:
            self.tally.torn.append(f"{before} beside {after}, of which there are {there}")

    def judge_versions(self, names, completed):
        rows = [self.rows(name) for name in names]
        self.expect(names, rows, [ROWS + 1] * 2, None if completed else [ROWS] * 2)

    def judge_drop(self, names, completed):
        self.expect(names, [self.rows(names[0])], [None], None if completed else [ROWS])

    def expect(self, names, state, done, undone):
        """Record a loss unless the state is `done`, or `undone` where the request was not answered."""
        if state not in (done, undone):
            (self.tally.lost if undone is None else self.tally.torn).append(f"{names}: {state}, not {done}")

    def rows(self, name):
        """Return the number of rows of a table, None when it does not exist."""
        status, answer = self.send(f"table/{name}/count_rows")
        return {200: answer, 404: None}.get(status, answer)

    def exists(self, name):
        return self.send(f"table/{name}/describe")[0] == 200

    def names(self, home):
        """Return the names of all tables of a namespace."""
        names, token = [], ""
        while token is not None:
            path = f"/v1/namespace/{home.partition('%24')[0] or '%24'}/table/list?include_declared=true&page_token="
            page = self.request("GET", path + token).json()
            names += page["tables"]
            token = page.get("page_token")
        return names

    def locations(self):
        described = [self.send(f"table/{home}{name}/describe")[1] for home in HOMES for name in self.names(home)]
        return {Path(table["location"]).name for table in described}

    def is_deregistered(self, folder):
        """True for what was declared and given up: its folder stays, without data."""
        path = self.root / "lance" / folder
        return (path / ".lance-deregistered").exists() or [file.name for file in path.iterdir()] == [".lance-reserved"]

    def read_with_pylance(self):
        """Let pylance open every table in place; return how many there are."""
        directory = official.connect("dir", {"root": f"{self.root}/lance"})
        opened = 0
        for home in HOMES:
            levels = [home.removesuffix("%24")] if home else []
            listed = directory.list_tables(official.ListTablesRequest(id=levels, include_declared=True)).tables
            assert set(self.names(home)) == set(listed)
            for name in listed:
                table = directory.describe_table(official.DescribeTableRequest(id=[*levels, name]))
                if (self.root / "lance" / table.location.rpartition("/")[2] / "_versions").exists():
                    assert lance.dataset(table.location).count_rows() in (ROWS, ROWS + 1)
                    opened += 1
        return opened
