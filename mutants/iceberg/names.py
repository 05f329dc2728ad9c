"""Names that are altered, misread, or accepted where they cannot be used."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from mutants.iceberg.blocks import metadata_become, when
from reference_server.context import Reply
from reference_server.errors import Internal, TableAlreadyExists
from reference_server.faults import Around, Call, Proceed, content, each_of, fault, request_becomes
from reference_server.iceberg.faults.blocks import LISTS, items, performed, refused
from specs.identifiers import UNIT_SEPARATOR

JOINTS = {"dots": ".", "dashes": "-", "colons": ":", "dollars": "$"}
NAMESPACES = ("loadNamespaceMetadata", "namespaceExists")
CREATIONS = ("createNamespace", "createTable", "createView")
CONTROLS = re.compile(r"[\x00-\x1f]")
SPEAKABLE = re.compile(r"[\w.-]*", re.ASCII)
PATH_NAMES = ("namespace", "table", "view")
WIDTH = 64
Edit = Callable[[str], str]


def _in_bodies(edit: Edit) -> Around:
    """Create things under other names than they are given."""

    def edited(body: dict[str, Any]) -> dict[str, Any]:
        name, levels = body.get("name"), body.get("namespace")
        named = {"name": edit(name)} if isinstance(name, str) else {}
        return {**body, **named, **({"namespace": [edit(level) for level in levels]} if levels else {})}

    creates = request_becomes(edited)
    return when(lambda call: call.operation.id in CREATIONS, creates)


def _in_paths(edit: Edit) -> Around:
    """Read other names in paths than are there."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        for name in PATH_NAMES:
            if name in call.path:
                levels = call.path[name].split(UNIT_SEPARATOR)
                call.path[name] = UNIT_SEPARATOR.join(map(edit, levels))
        return await proceed()

    return around


def _split_at(joint: str) -> Edit:
    return lambda name: name.replace(joint, UNIT_SEPARATOR)


def _shown(edit: Callable[[str], Any]) -> Around:
    """Show other names in listings than things have."""

    def edited(entry: Any) -> Any:
        return {**entry, "name": edit(entry["name"])} if isinstance(entry, dict) else [*entry[:-1], edit(entry[-1])]

    return items(lambda entries: [edited(entry) for entry in entries])


def _everywhere(edit: Edit) -> Around:
    return each_of(_in_bodies(edit), _in_paths(edit))


@fault("names-refused-in-paths")
async def _refused_in_paths(call: Call, proceed: Proceed) -> Reply:
    """Names of all kinds are accepted in bodies; in paths only letters, digits, dots and dashes are."""
    # Refuse what a strict firewall before the server does not let pass.
    names = [level for name in PATH_NAMES for level in call.path.get(name, "").split(UNIT_SEPARATOR)]
    if all(map(SPEAKABLE.fullmatch, names)):
        return await proceed()
    return Reply(400, b"<html><h1>Bad Request</h1></html>", "text/html")


@fault("names-case-lost", on=["createTable"])
async def _case_lost(call: Call, proceed: Proceed) -> Reply:
    """Creating a table whose name differs from another in case alone is answered with that one."""
    # Take a table whose name differs in case alone for one that is there.
    name = str((content(call) or {}).get("name"))
    lowered = await performed(call, proceed, "loadTable", table=name.lower())
    return lowered if lowered.status == 200 else await proceed()


@fault("names-as-locations", on=["createTable", "loadTable"])
async def _as_paths(call: Call, proceed: Proceed) -> Reply:
    """The location of a table is made of its namespace and its name, as a path."""
    # Say that a table lies where its namespace and its name lead to, read as a path.
    name = call.path.get("table") or (content(call) or {}).get("name", "")
    path = unquote("/".join([*call.path["namespace"].split(UNIT_SEPARATOR), name])).replace("\\", "/")

    def moved(table: dict[str, Any]) -> dict[str, Any]:
        root = table["location"].rsplit("/", 2)[0]
        return {**table, "location": f"{root}/{posixpath.normpath(path)}"}

    return await metadata_become(moved)(call, proceed)


@fault("names-climb-out", on=["createTable", "loadTable"])
async def _climb_out(call: Call, proceed: Proceed) -> Reply:
    """A namespace is one folder, from which the name of a table leads as a path, out of the warehouse too."""
    name = call.path.get("table") or (content(call) or {}).get("name", "")
    levels = unquote(call.path["namespace"]).split(UNIT_SEPARATOR)

    def moved(table: dict[str, Any]) -> dict[str, Any]:
        root = table["location"].rsplit("/", len(levels) + 1)[0]
        return {**table, "location": posixpath.normpath(f"{root}/{'.'.join(levels)}/{unquote(name)}")}

    return await metadata_become(moved)(call, proceed)


FORMER = "names that were renamed"
SOURCES = {"renameTable": "table", "renameView": "view"}


@fault("former-names-stay-taken", on=[*SOURCES, "createTable", "createView"])
async def _stay_taken(call: Call, proceed: Proceed) -> Reply:
    """The name that a table or view had before it was renamed is never free again."""
    former: set[tuple[str, ...]] = call.state.setdefault(FORMER, set())
    body, warehouse = content(call) or {}, call.path.get("prefix", "")
    if call.operation.id in SOURCES:
        source, destination = (body.get(field) or {} for field in ("source", "destination"))
        if (warehouse, *destination.get("namespace", ()), destination.get("name", "")) in former:
            return refused(call, TableAlreadyExists("The name is taken."))
        reply = await proceed()
        if reply.status < 300:
            former.add((warehouse, *source["namespace"], source["name"]))
        return reply
    id = (warehouse, *unquote(call.path["namespace"]).split(UNIT_SEPARATOR), str(body.get("name")))
    return refused(call, TableAlreadyExists("The name is taken.")) if id in former else await proceed()


@fault("separator-refused")
async def _unit_refused(call: Call, proceed: Proceed) -> Reply:
    """A request with 0x1F in its path or query is refused before the server sees it."""
    # Refuse the separator of namespaces, as containers do with any control character.
    if "%1F" in call.request.target.upper():
        return Reply(400, b"<html><h1>Bad Request</h1></html>", "text/html")
    return await proceed()


for _name, _joint in JOINTS.items():
    fault(f"levels-joined-by-{_name}", f"In a path {_name} tell the levels of a namespace apart too.", on=NAMESPACES)(
        _in_paths(_split_at(_joint))
    )


fault("names-decoded-twice", "Names in paths are percent-decoded twice, the second time as in a form.")(
    _in_paths(lambda name: unquote(name.replace("+", " ")))
)
fault("names-in-ascii", "Characters of names that ASCII does not have become question marks.")(
    _everywhere(lambda name: name.encode("ascii", "replace").decode())
)
fault("names-in-lower-case", "Names are folded to lower case.")(_everywhere(str.lower))
fault("names-without-controls", "Control characters in a new name are left out instead of refused.")(
    _in_bodies(lambda name: CONTROLS.sub("", name))
)
fault("names-cut-short", f"New names are cut to {WIDTH} characters.")(_in_bodies(lambda name: name[:WIDTH]))
fault("names-escaped", "Listings show names as HTML has them.", on=LISTS)(_shown(html.escape))
fault("names-in-capitals", "Listings show names in capital letters.", on=LISTS)(_shown(str.upper))


@fault("deep-names-fail")
async def _deep_names(call: Call, proceed: Proceed) -> Reply:
    """A request about an object in a nested namespace returns 500."""
    reply = await proceed()
    source = (content(call) or {}).get("source")
    levels = source.get("namespace") if isinstance(source, dict) else None
    nested = isinstance(levels, list) and len(levels) > 1
    if nested or UNIT_SEPARATOR in call.path.get("namespace", ""):
        raise Internal("The parent of the namespace is null.")
    return reply
