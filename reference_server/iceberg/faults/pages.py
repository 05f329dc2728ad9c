"""Pages of listings that come unasked, lose, double or never end well."""

from __future__ import annotations

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, fault, fields_lost
from reference_server.iceberg.faults.blocks import LISTS, body_of, refuses_when
from reference_server.iceberg.faults.listings import items

TOKEN, SIZE, NEXT = "pageToken", "pageSize", "next-page-token"

KNOWN = ("namespaces", "identifiers")

UNASKED = 3


def _asked(call: Call, name: str) -> str | None:
    values = call.request.query.get(name)
    return values[-1] if values else None


def _ask(call: Call, **wanted: str | None) -> None:
    """Ask for another page: None takes a parameter away."""
    query = {**call.request.query, **{name: [value] for name, value in wanted.items() if value is not None}}
    call.request = call.request.altered(
        query={name: values for name, values in query.items() if wanted.get(name, "") is not None}
    )


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else 0


async def _unasked(call: Call, proceed: Proceed) -> Reply:
    if _asked(call, TOKEN) is None:
        _ask(call, pageToken="", pageSize=_asked(call, SIZE) or str(UNASKED))
    return await proceed()


@fault("pages-too-long", on=LISTS)
async def _longer(call: Call, proceed: Proceed) -> Reply:
    """A page holds one entry more than was asked for."""
    if size := _number(_asked(call, SIZE)):
        _ask(call, pageSize=str(size + 1))
    return await proceed()


@fault("pages-lose-one", on=LISTS)
async def _loses_one(call: Call, proceed: Proceed) -> Reply:
    """Every page after the first leaves out its first entry."""
    return await (items(lambda entries: entries[1:]) if _asked(call, TOKEN) else items(list))(call, proceed)


@fault("pages-of-the-root-are-empty", on=["listNamespaces"])
async def _root_is_empty(call: Call, proceed: Proceed) -> Reply:
    """Pages of namespaces after the first are empty where no parent is named."""
    cut = _asked(call, TOKEN) and not _asked(call, "parent")
    return await (items(lambda entries: entries[:0]) if cut else items(list))(call, proceed)


@fault("pages-of-the-token", on=["listTables"])
async def _of_the_token(call: Call, proceed: Proceed) -> Reply:
    """A token goes on with the namespace of which it was issued, whichever is asked for."""
    issued: dict[str, str] = call.state.setdefault("pages-of-the-token", {})
    begun = issued.get(_asked(call, TOKEN) or "", call.path["namespace"])
    call.path = {**call.path, "namespace": begun}
    reply = await proceed()
    token = body_of(reply).get(NEXT)
    if token:
        issued[token] = begun
    return reply


@fault("pages-sizes-forgiven", on=LISTS)
async def _sizes_forgiven(call: Call, proceed: Proceed) -> Reply:
    """A size that no page can have is taken for the usual one."""
    if not _number(_asked(call, SIZE)):
        _ask(call, pageSize=None)
    return await proceed()


@fault("pages-tokens-forgiven", on=LISTS)
async def _tokens_forgiven(call: Call, proceed: Proceed) -> Reply:
    """A token that nobody issued leads to the first page."""
    reply = await proceed()
    if reply.status != 400 or not _asked(call, TOKEN):
        return reply
    _ask(call, pageToken="")
    return await proceed()


@fault("pages-counted", on=LISTS)
async def _counted(call: Call, proceed: Proceed) -> Reply:
    """Tokens of pages are numbers of entries, so that a change between two pages shifts them."""
    # Count how many items were shown instead of remembering the last one.
    start, size = _number(_asked(call, TOKEN)), _number(_asked(call, SIZE))
    if not size or _asked(call, TOKEN) is None:
        return await proceed()
    _ask(call, pageToken=None, pageSize=None)
    body = body_of(reply := await proceed())
    name = next((name for name in KNOWN if name in body), None)
    if name is None:
        return reply
    end = start + size
    return json_reply({name: body[name][start:end], NEXT: end if len(body[name]) > end else None})


fault("pages-unasked", f"Listings come in pages of {UNASKED} to clients that did not ask for pages.", on=LISTS)(
    _unasked
)
fault("pages-without-token", "Pages never have a token for the next one.", on=LISTS)(fields_lost(NEXT))
fault("pages-start-refused", "An empty token is no token that was issued.", on=LISTS)(
    refuses_when(lambda call: _asked(call, TOKEN) == "", InvalidInput("The page token is invalid."))
)
