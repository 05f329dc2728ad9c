"""Scenarios on Apache Polaris: Spark sessions of several principals on one catalog."""
