"""Results that no run has made, and a reader of the page that is made of them."""

from __future__ import annotations

import base64
import gzip
import json
from html.parser import HTMLParser
from typing import Any

import msgspec

from conformance.after.causes import with_causes
from conformance.values.exchange import Exchange
from conformance.values.requirement import Requirement
from conformance.values.results import Result, Results

RUN = {
    "id": "20260101T000000Z-abc",
    "started": "2026-01-01T00:00:00+00:00",
    "seconds": 1.5,
    "seed": 0,
    "depth": "gate",
    "command": "lakeproof check",
    "kit": "lakeproof 0.1.0",
    "interrupted": False,
    "requests": 7,
    "left_behind": [],
}
TARGET = {
    "url": "http://h:1",
    "name": "http://h:1",
    "api": "lance",
    "profile": "lance/2026-03",
    "document": "T 1",
    "server": "",
    "facts": {"namespaces": "nested"},
    "operations": [
        {"id": "ListTables", "resource": "table", "summary": "s", "state": "offered"},
        {"id": "DropTable", "resource": "table", "summary": "s", "state": "refused"},
    ],
    "settings": {"report": "x"},
}
NASTY = "</script><img src=x onerror=alert(1)>\x00\x1b&\u2028"


def result(verdict, level="MUST", name="a", **changes):
    requirement = Requirement(
        f"lance.table.{name}", level, "behaviour", ("ListTables",), "page-token", f"It holds {NASTY}.", "m:f"
    )
    exchange = Exchange(
        "ListTables",
        "GET",
        "http://h:1/v1/x?a='b'",
        {"X": NASTY},
        b"",
        200,
        {"Content-Type": "t"},
        json.dumps({"a": NASTY}).encode(),
    )
    exchange.mark = "body:/a"
    seen: dict[str, Any] = {"steps": [exchange.to_step()], "reached": ["ListTables 200"], "seconds": 0.1, "requests": 2}
    made = Result.of(requirement, verdict, f"message {NASTY}", **seen)
    return msgspec.structs.replace(made, **changes)


def results(*entries, operations=TARGET["operations"], **run):
    target = {**TARGET, "operations": operations}
    value = {"version": 1, "run": {**RUN, **run}, "target": target, "totals": {}, "requirements": []}
    empty = msgspec.convert(value, Results)
    return with_causes(Results.of(empty.run, empty.target, list(entries)))


class Page(HTMLParser):
    """Collects what a page would load or run, and the data that it holds."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.tags, self.data = [], [], {}
        self._packed = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.append(tag)
        self.loads += [values[name] for name in ("src", "href") if name in values and not values[name].startswith("#")]
        self.loads += [name for name in values if name.startswith("on")]
        self._packed = values.get("id") == "data"

    def handle_data(self, data):
        if self._packed:
            self.data = json.loads(gzip.decompress(base64.b64decode(data)))
            self._packed = False
