"""Bodies drawn from the documents by Schemathesis, where a run asks for the kind `fuzz`.

The requirements are a suite of their own, beside those of the APIs: `fuzz.<api>.<operation>`. What an API adds is
its module `conformance.<api>.fuzzing`, see fuzzing.py.
"""
