"""Wrong schemas, columns, partition specs and sort orders: added, chosen, removed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from mutants.iceberg.blocks import metadata_become, table_there, updates_become, updates_lost, updates_of
from reference_server.context import Reply
from reference_server.faults import Around, Call, Proceed, fault, request_becomes
from reference_server.iceberg.faults.blocks import TABLE_COMMITS
from reference_server.iceberg.metadata.builder import LAST_ADDED
from reference_server.iceberg.metadata.finalize import CURRENT
from reference_server.iceberg.metadata.reading import Json

CREATE = ["createTable"]
FOREIGN = re.compile(r"\W", re.ASCII)


def _called(edit: Callable[[str], str]) -> Around:
    """Create tables whose columns of the first level have other names."""

    def edited(body: Json) -> Json:
        fields = [{**column, "name": edit(column["name"])} for column in body["schema"]["fields"]]
        return {**body, "schema": {**body["schema"], "fields": fields}}

    return request_becomes(edited)


fault(
    "columns-as-words",
    "In names of columns all but letters, digits and underscores becomes an underscore.",
    on=CREATE,
)(_called(lambda name: FOREIGN.sub("_", name)))
fault("columns-in-capitals", "Names of columns are folded to upper case.", on=CREATE)(_called(str.upper))

COMMIT = ["updateTable"]
ADDING = {"add-schema": "schemas", "add-spec": "partition-specs", "add-sort-order": "sort-orders"}

# What makes an added definition the one that holds, and the field by which it names that.
CHOOSING = {
    "add-schema": ("set-current-schema", "schema-id"),
    "add-spec": ("set-default-spec", "spec-id"),
    "add-sort-order": ("set-default-sort-order", "sort-order-id"),
}

CHOICES = dict(CHOOSING.values())


def _chosen(updates: list[Json]) -> Iterator[Json]:
    for update in updates:
        yield update
        if update.get("action") in CHOOSING:
            action, field = CHOOSING[update["action"]]
            yield {"action": action, field: LAST_ADDED}


def _unused(update: Json, updates: list[Json]) -> bool:
    action, field = CHOOSING.get(update["action"], ("", ""))
    return bool(action) and {"action": action, field: LAST_ADDED} not in updates


def _with_copies(definitions: list[Json], id: str, count: int) -> list[Json]:
    last = definitions[-1]
    return definitions + [{**last, id: last[id] + number} for number in range(1, count - len(definitions) + 1)]


@fault("equal-definitions-doubled", on=COMMIT)
async def _doubled(call: Call, proceed: Proceed) -> Reply:
    """An added schema, spec or order that equals an existing one gets a new id."""
    # Show equal definitions as often as they were added, each with an id of its own.
    before, updates = await table_there(call, proceed), updates_of(call)

    def edit(table: Json) -> Json:
        shown = dict(table)
        for action, key in ADDING.items():
            added = sum(update.get("action") == action for update in updates)
            shown[key] = _with_copies(table[key], CURRENT[key][0], len((before or table)[key]) + added)
        return shown

    return await metadata_become(edit)(call, proceed)


def _choice(update: Json, *, last: bool) -> bool:
    """Return whether an update chooses a definition: the last one that was added, or one by its id."""
    field = CHOICES.get(str(update.get("action")))
    return field is not None and (update.get(field) == LAST_ADDED) is last


fault("added-is-chosen", "A schema, spec or order that is added holds from then on.", on=TABLE_COMMITS)(
    updates_become(lambda updates: list(_chosen(updates)))
)
fault(
    "unused-definitions-lost",
    "A schema, spec or order is kept only where the same commit makes it the one that holds.",
    on=TABLE_COMMITS,
)(updates_become(lambda updates: [update for update in updates if not _unused(update, updates)]))
fault(
    "choice-by-id-overlooked",
    "A schema, spec or order that is named by its id does not become the one that holds.",
    on=TABLE_COMMITS,
)(updates_become(lambda updates: [update for update in updates if not _choice(update, last=False)]))
fault(
    "choice-of-last-overlooked",
    "The schema, spec or order that was added last does not become the one that holds.",
    on=TABLE_COMMITS,
)(updates_become(lambda updates: [update for update in updates if not _choice(update, last=True)]))
fault("definitions-stay", "Schemas and specs that are removed stay.", on=TABLE_COMMITS)(
    updates_lost("remove-schemas", "remove-partition-specs")
)
