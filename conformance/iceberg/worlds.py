"""The worlds of Iceberg's requirements: dimensions with their values, and the names that they make.

The catalog applies them: `home` has the place, its own name and state, and what lies beside; `table_id` the names;
`new_table` and `new_view` the states; `send` the form of a request and its connection (forms.py, support/states.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from conformance.iceberg.forms import request_forms
from conformance.values import worlds
from conformance.values.worlds import Dimension

PLACE, HOME, BESIDE, NAMES, STATE, VIEW_STATE = "place", "home", "beside", "names", "state", "view"
FORM, CONNECTION = "form", "connection"
OF_TABLES = ("*Table*", "tableExists", "*Scan*", "*Planning*", "*Credentials*", "reportMetrics", "commitTransaction")
OF_VIEWS = ("*View*", "viewExists")
OF_NAMESPACES = ("*Namespace*", "namespaceExists", "updateProperties")
IN_NAMESPACES = (*OF_TABLES, *OF_VIEWS, *OF_NAMESPACES, "listFunctions")
OF_PLANS = ("planTableScan", "fetchPlanningResult", "fetchScanTasks", "cancelPlanning")
OF_TOKENS = ("getToken",)
OF_LISTS = ("listTables", "listViews", "listNamespaces")
WITH_BODIES = (
    *("create*", "update*", "register*", "rename*", "replaceView", "commitTransaction"),
    *("planTableScan", "fetchScanTasks", "reportMetrics"),
)
SPELLED_OUT = (
    *("createNamespace", "createTable", "createView", "updateProperties", "updateTable", "replaceView"),
    *("registerTable", "planTableScan", "loadTable", "dropTable"),
)
OF_FILES = ("registerTable", "registerView")  # a server may refuse a file whose place does not fit the name
LEVELS = {"nested": ("outer",), "deep": ("outer", "inner")}  # around the home of an example, by place
HALF = 0.5  # of the worlds: a value costs several requests
MANY = 12  # siblings of an object, for listings

DIMENSIONS = (
    Dimension(
        PLACE,
        {
            "child": "",
            "nested": "in a namespace of two levels",
            "deep": "in a namespace of three levels",
        },
        IN_NAMESPACES,
        share=HALF,
        fixed_by=OF_FILES,
    ),
    Dimension(
        HOME,
        {
            "plain": "",
            "blank": "in a namespace with a blank in its name",
            "dot": "in a namespace with a dot in its name",
            "percent": "in a namespace with percent-coded letters in its name",
            "unicode": "in a namespace with letters beyond ASCII in its name",
            "properties": "in a namespace with properties",
            "remade": "in a namespace under the name of a dropped one",
        },
        IN_NAMESPACES,
        share=HALF,
        fixed_by=OF_FILES,
    ),
    Dimension(
        BESIDE,
        {
            "nothing": "",
            "kinds": "beside objects of other kinds",
            "prefix": "beside a namespace whose name begins alike",
            "many": "beside many objects",
        },
        IN_NAMESPACES,
        only={"many": OF_LISTS},
        share=HALF,
    ),
    Dimension(
        NAMES,
        {
            "plain": "",
            "blank": "for a name with a blank",
            "dot": "for a name with a dot",
            "percent": "for a name with percent-coded letters",
            "plus": "for a name with a plus sign",
            "unicode": "for a name with letters beyond ASCII",
            "case": "beside an object whose name differs in case",
            "long": "for a name of 100 letters",
            "underscore": "for a name that begins with an underscore",
            "digits": "for a name that begins with digits",
        },
        IN_NAMESPACES,
        except_for=("listFunctions",),  # nobody names functions
        fixed_by=OF_FILES,
        only={"case": (*OF_TABLES, *OF_VIEWS)},
    ),
    Dimension(
        STATE,
        {
            "new": "",
            "committed": "for a table with several commits",
            "evolved": "for a table whose schema was changed",
            "renamed": "for a renamed table",
            "remade": "for a table under the name of a dropped one",
            "registered": "for a registered table",
            "staged": "for a table that was staged and then committed",
            "snapshots": "for a table with snapshots",
            "refs": "for a table with a branch and a tag",
            "statistics": "for a table with statistics",
            "v1": "for a table of format version 1",
            "v3": "for a table of format version 3",
            "specs": "for a table with two partition specs",
            "sorted": "for a table with a sort order",
            "properties": "for a table with properties",
        },
        OF_TABLES,
        except_for=("createTable", *OF_PLANS),  # a new table is in no state yet, and plans need one with files
        fixed_by=OF_FILES,
    ),
    Dimension(
        VIEW_STATE,
        {
            "new": "",
            "replaced": "for a view that was replaced twice",
            "renamed": "for a renamed view",
            "remade": "for a view under the name of a dropped one",
            "dialects": "for a view with texts in two dialects",
        },
        OF_VIEWS,
        except_for=("createView",),
        fixed_by=OF_FILES,
        only={
            "dialects": ("load*", "list*", "drop*", "rename*", "*Exists")
        },  # a server may keep the dialects of a view
    ),
    Dimension(
        FORM,
        {"smallest": "", **{name: f"for requests {form.words}" for name, form in request_forms().items()}},
        except_for=OF_TOKENS,
        only={"spelled": SPELLED_OUT},
        always=True,
    ),
    Dimension(
        CONNECTION,
        {
            "kept": "",
            "fresh": "for requests in connections of their own",
            "chunked": "for bodies in chunks",
            "small": "for header names in small letters",
        },
        except_for=OF_TOKENS,
        only={"chunked": WITH_BODIES},
        always=True,
        refusable=("chunked",),  # with 411, RFC 9110
    ),
)


all_but = partial(worlds.all_but, DIMENSIONS)
# Of requirements that register files: a server decides by the place of a file whether it takes it.
ONLY_PLAIN: worlds.Pins = {dimension.name: (dimension.plain,) for dimension in DIMENSIONS}
# Forms of names: a name from the name in the plain world. Names stay different from each other.
Naming = Callable[[str], str]
FORMS_OF_HOMES: Mapping[str, Naming] = {
    "blank": "{} b".format,
    "dot": "{}.b".format,
    "percent": "{}%62".format,
    "unicode": "{}ü✓".format,
}
FORMS_OF_NAMES: Mapping[str, Naming] = {
    **FORMS_OF_HOMES,
    "plus": "{}+b".format,
    "case": str.upper,
    "long": lambda name: name.ljust(100, "l"),
    "underscore": "_{}".format,
    "digits": "12{}".format,
}


@cache
def with_separator(separator: str) -> frozenset[tuple[str, str]]:
    """Return the values whose names contain the separator of namespace levels: no path can name them."""
    forms = {HOME: FORMS_OF_HOMES, NAMES: FORMS_OF_NAMES}
    return frozenset(
        (name, value) for name, by_value in forms.items() for value, form in by_value.items() if separator in form("")
    )
