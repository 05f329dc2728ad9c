"""Writers of the Iceberg API, and what must be so after they were interrupted."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from tests.reference_server.crashes import Crashes
from tests.reference_server.iceberg.committing import set_property, transact
from tests.reference_server.iceberg.conftest import Api

PAIR = ("t", "u")


class IcebergCrashes(Crashes):
    """Transactions over two tables, commits of one, and tables that are created and renamed."""

    api = "iceberg"

    def __init__(self, root, seed=None):
        super().__init__(root, seed)
        self.numbers = count(1)
        self.transacted, self.committed = 0, 0
        self.created, self.renamed = [], []

    @property
    def client(self):
        return Api(lambda method, url, **sent: self.request(method, url.removeprefix(self.url), **sent), self.url)

    def setup(self):
        self.client.namespace("a")
        for name in (*PAIR, "alone"):
            self.client.table(f"a/tables/{name}", properties={"n": "0"})

    def writers(self):
        return self.transact, self.commit, self.create

    def transact(self):
        """Give both tables the same number, in one transaction."""
        for number in self.numbers:
            transact(self.client, *((name, [set_property("n", str(number))], []) for name in PAIR), expect=204)
            self.transacted = number
            self.tally.acknowledged += 1

    def commit(self):
        """Give one table a number, by a commit of its own."""
        for number in self.numbers:
            self.client.commit([set_property("n", str(number))], path="a/tables/alone", expect=200)
            self.committed = number
            self.tally.acknowledged += 1

    def create(self):
        """Create a table, and rename it."""
        for number in self.numbers:
            self.client.table(f"a/tables/c{number}", properties={"n": str(number)})
            self.created.append(number)
            self.tally.acknowledged += 1
            source, target = ({"namespace": ["a"], "name": f"{letter}{number}"} for letter in "cd")
            self.client.call("POST", "tables/rename", {"source": source, "destination": target}, expect=204)
            self.renamed.append(number)
            self.tally.acknowledged += 1

    def judge(self):
        """The pair shows one number, none below the last that was confirmed; what was created is there under one name.

        Every table can be loaded and its log names files that exist; every folder is that of a table.
        """
        listed = {
            identifier["name"]
            for identifier in self.client.call("GET", "namespaces/a/tables", expect=200).body["identifiers"]
        }
        answers = {name: self.client.load(f"a/tables/{name}") for name in listed}
        unreadable = [name for name, answer in answers.items() if answer.status != 200]
        self.tally.lost += [f"{name} cannot be loaded" for name in unreadable]
        tables = {name: answers[name].body["metadata"] for name in listed.difference(unreadable)}
        shown = {name: int(table["properties"]["n"]) for name, table in tables.items()}
        if len({shown[name] for name in PAIR}) > 1:
            self.tally.torn.append(f"of a transaction one table has {shown}")
        if shown[PAIR[0]] < self.transacted or shown["alone"] < self.committed:
            self.tally.lost.append(f"{shown} where {self.transacted} and {self.committed} were confirmed")
        self.tally.lost += [f"the table c{n}" for n in self.created if not {f"c{n}", f"d{n}"} & listed]
        self.tally.lost += [f"the name d{n}" for n in self.renamed if f"d{n}" not in listed]
        self.tally.torn += [f"{name} has two names" for name in listed if name[0] == "c" and f"d{name[1:]}" in listed]
        for name, table in tables.items():
            missing = [
                entry["metadata-file"] for entry in table["metadata-log"] if not _path(entry["metadata-file"]).exists()
            ]
            self.tally.lost += [f"the file {file} of {name}" for file in missing]
        folders = {_path(table["location"]) for table in tables.values()}
        self.tally.left += [str(path) for path in set((self.root / "iceberg/default").glob("*/*")) - folders]
        for name in listed.difference(PAIR, {"alone"}):
            self.client.call("DELETE", f"namespaces/a/tables/{name}?purgeRequested=true", expect=204)
        self.created.clear()
        self.renamed.clear()


def _path(location):
    return Path(location.removeprefix("file://"))
