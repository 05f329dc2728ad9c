"""Scenarios: what a catalog must make possible for Spark, with the real connectors."""
