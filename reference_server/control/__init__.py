"""The control paths of a server, below `/_lakeproof`: what a test asks of its mock beside the APIs.

guard.py    who may use these paths
paths.py    the paths: a table of methods, paths and functions
client.py   the same in Python: methods of a server that use the paths
"""
