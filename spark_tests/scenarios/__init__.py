"""Scenarios: requirements on a catalog that Spark tests with the real connectors."""

SUITE = "spark"
PACKAGE = __name__
