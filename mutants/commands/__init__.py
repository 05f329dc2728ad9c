"""Commands of `python -m mutants`: each parses its options, calls one function and prints the outcome."""
