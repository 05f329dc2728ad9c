"""Handlers are found by the names of operations, and only where they are written."""

from __future__ import annotations

from types import ModuleType

import pytest

from reference_server.api import find_handlers
from specs.openapi import Document

DOCUMENT = Document({"openapi": "3.1.0", "paths": {"/tables": {"get": {"operationId": "ListTables"}}}}, "test")
HANDLER = "async def list_tables(context):\n    '''List.'''\n"


def module(name: str, source: str, **attributes: object) -> ModuleType:
    created = ModuleType(name)
    created.__dict__.update(attributes)
    exec(source, created.__dict__)
    return created


def test_a_handler_has_the_name_of_its_operation():
    listings = module("listings", HANDLER)
    assert find_handlers(DOCUMENT, [module("other", ""), listings]) == {"ListTables": listings.list_tables}


@pytest.mark.parametrize("source", ["list_tables = 1", "def list_tables(context): ...", "class list_tables: ..."])
def test_what_is_no_coroutine_is_no_handler(source):
    listings = module("listings", HANDLER)
    assert find_handlers(DOCUMENT, [listings, module("other", source)]) == {"ListTables": listings.list_tables}


def test_what_a_module_imports_is_not_its_handler():
    listings = module("listings", HANDLER)
    borrowing = module("borrowing", "", list_tables=listings.list_tables)
    assert find_handlers(DOCUMENT, [borrowing]) == {}


def test_an_operation_has_one_handler():
    with pytest.raises(ValueError, match="ListTables has two handlers: one and other"):
        find_handlers(DOCUMENT, [module("one", HANDLER), module("other", HANDLER)])
