"""Commands of `lakeproof`: each parses its options, calls one function and prints the outcome."""
