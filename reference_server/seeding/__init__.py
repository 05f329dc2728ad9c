"""Seeds: catalogs with content, described by one value that a file, Python or a request contains.

nodes.py     the value and the places in it, for errors
files.py     seeds in YAML and JSON
planting.py  a seed becomes steps of each API, and the steps are carried out

The module `seeds` of an API reads its part of a seed; every step calls operations of the API.
"""
