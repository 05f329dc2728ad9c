"""Add new ids of requirements to the lists: `python -m tests.conformance.ids`."""

from __future__ import annotations

from specs.apis import apis
from tests.conformance.ids import known_ids, list_of, listed_ids

for api in apis():
    list_of(api).write_text("".join(f"{id}\n" for id in sorted(listed_ids(api) | known_ids(api))))
