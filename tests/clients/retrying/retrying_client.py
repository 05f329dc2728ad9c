"""Appends a row to each table that a line of the input names, and prints how that ended: PyIceberg."""

import sys
import warnings

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog

warnings.simplefilter("ignore")
URL = sys.argv[1]
CATALOG = RestCatalog("mock", uri=URL, credential="root:s3cret", **{"oauth2-server-uri": f"{URL}/v1/oauth/tokens"})
for name in map(str.strip, sys.stdin):
    outcome = "success"
    try:
        CATALOG.load_table(f"a.{name}").append(pa.table({"id": [1]}))
    except Exception as error:
        outcome = type(error).__name__
    sys.stdout.write(f"outcome {outcome}\n")
    sys.stdout.flush()
