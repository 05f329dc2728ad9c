"""Apache Iceberg's Java REST server and compatibility kit, as peers.

`jars.py` brings them, `fixture.py` starts the server, `rck.py` runs the kit against a URL, `embedded.py`
against our own server. `verdicts.py` turns the kit's outcomes into results like those of our own suite.
"""
