"""Apache Iceberg's Java REST server and compatibility kit, as peers.

`jars.py` fetches them, `fixture.py` starts the server, `rck.py` runs the kit against a URL, `embedded.py`
against our own server. `verdicts.py` converts the kit's outcomes to results like those of our own suite.
"""
