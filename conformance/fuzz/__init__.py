"""Requirements on bodies that Schemathesis draws from the documents, only in runs with the kind `fuzz`.

Their ids are `fuzz.<api>.<operation>`. An API adds its module `conformance.<api>.fuzzing` (see fuzzing.py).
"""
