"""Scenarios: what a catalog must make possible for Spark, with the real connectors."""

SUITE = "spark"
PACKAGE = __name__
