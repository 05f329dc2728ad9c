"""Options of an Iceberg REST catalog server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reference_server.iceberg.catalog.function_files import SAMPLES
from reference_server.iceberg.scans.content import BOUNDS_FORMS, BYTES
from reference_server.iceberg.scans.plans import MODES, SYNC
from reference_server.options import Options, option
from specs.identifiers import UNIT_SEPARATOR
from specs.openapi import Document

NAMESPACE, SAMPLE_NAMESPACE = "lakeproof", "samples"


@dataclass(frozen=True)
class IcebergOptions(Options):
    """Fields: `warehouses`, each `NAME` or `NAME=URI`, the default one first; `namespaces` that initially exist in it.

    The levels of a namespace have dots between them. `functions` is the folder of the namespaces' functions, see
    function_files.py. `scan_planning` is `sync` (scans are planned at once) or `async` (in the background).
    With `require_prefix` no warehouse has paths without a prefix. `namespace_separator` separates levels in paths.
    `scan_bounds` is the form of column bounds: `bytes` in hexadecimal or `values` as in the document. With
    `plain_locations` the location of a new table follows from its name, and objects may overlap.
    """

    warehouses: tuple[str, ...] = option(
        (),
        "--warehouse",
        "a warehouse, in a folder of the storage or at a URI (see below); repeatable.  [default: default]",
        metavar="NAME[=URI]",
    )
    namespaces: tuple[str, ...] = option(
        (),
        "--namespace",
        "a namespace that exists when the server starts, such as analytics or a.b; repeatable.",
        metavar="NAME",
    )
    functions: str = option(
        "",
        "--functions",
        "functions to show, FOLDER/<namespace>/<name>.json with the metadata of each.",
        metavar="FOLDER",
    )
    scan_planning: str = option(
        SYNC,
        "--scan-planning",
        "plan scans at once, or in the background while clients wait and ask again.",
        choices=MODES,
        show_default=True,
    )

    scan_bounds: str = option(
        BYTES,
        "--scan-bounds",
        "show bounds of columns as bytes in hexadecimal, as Java's client reads them, or as the document's values.",
        choices=BOUNDS_FORMS,
        show_default=True,
    )

    require_prefix: bool = option(
        False, "--require-prefix", "serve every warehouse by its prefix only: paths without one do not exist."
    )
    namespace_separator: str = option(
        UNIT_SEPARATOR,
        "--namespace-separator",
        "separator of the levels of a namespace in paths, named in the configuration.  [default: 0x1F]",
        metavar="TEXT",
    )

    no_default_properties: bool = option(
        False, "--no-default-properties", "new tables have the properties of the request, and no others."
    )

    plain_locations: bool = option(
        False,
        "--plain-locations",
        "new tables lie at WAREHOUSE/NAMESPACE/TABLE, also at, in or around others, as in Iceberg's own catalogs.",
    )

    @classmethod
    def embedded(cls, document: Document, server_settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return options with the sample functions, and a namespace where clients cannot create any; see Options."""
        warehouse, namespace = server_settings["warehouse"], server_settings["namespace"]
        if "create_namespace" not in document.names:
            namespace = namespace or NAMESPACE
        options = {
            "warehouses": (warehouse,) if warehouse else (),
            "namespaces": (namespace,) if namespace else (),
            "functions": str(SAMPLES),
        }
        settings = {
            "warehouse": warehouse.partition("=")[0],
            "namespace": namespace,
            "functions": server_settings["functions"] or SAMPLE_NAMESPACE,
        }
        return options, settings


OPTIONS = IcebergOptions
