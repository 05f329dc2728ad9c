"""Wrong listings and definitions of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mutants.iceberg.blocks import metadata_become
from reference_server.faults import answers, fault
from reference_server.iceberg.faults.blocks import answer_becomes

LIST, LOAD = ["listFunctions"], ["loadFunction"]
OTHERS = [["samples", "net_price"]]


def _definitions(edit: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    return metadata_become(lambda metadata: {**metadata, "definitions": list(map(edit, metadata["definitions"]))})


fault("functions-by-name", "Functions are listed by their names alone.", on=LIST)(
    answer_becomes(identifiers=lambda ids: [id[-1:] for id in ids])
)
fault("functions-everywhere", "A namespace without functions lists those of another one.", on=LIST)(
    answer_becomes(identifiers=lambda ids: ids or OTHERS)
)
fault("functions-of-nothing", "The functions of a namespace that does not exist are an empty page.", on=LIST)(
    answers(200, {"identifiers": [], "next-page-token": None})
)
fault("function-versions-lost", "Overloads are shown without their versions.", on=LOAD)(
    _definitions(lambda overload: {**overload, "versions": []})
)
fault("function-id-spaced", "The id of an overload has spaces after its commas.", on=LOAD)(
    _definitions(lambda overload: {**overload, "definition-id": overload["definition-id"].replace(",", ", ")})
)
fault("function-specific-name-shared", "All overloads of a function have the same specific name.", on=LOAD)(
    _definitions(lambda overload: {**overload, "specific-name": "overload"})
)
fault("function-table-as-text", "Table functions say that they return text.", on=LOAD)(
    _definitions(
        lambda overload: {**overload, "return-type": "string"} if overload["function-type"] == "udtf" else overload
    )
)
fault("function-type-spaced", "Names of types are written with spaces.", on=LOAD)(
    _definitions(lambda overload: {**overload, "return-type": "decimal(12, 2)"})
)
