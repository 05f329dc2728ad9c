"""Apache Iceberg's Java REST server and compatibility kit, as peers.

`jars.py` brings them, `fixture.py` starts the server, `rck.py` runs the kit against a URL, `embedded.py`
against our own server. What the kit says becomes results of our kind in `verdicts.py`.
"""
