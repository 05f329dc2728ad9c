"""Scenarios on Apache Polaris: Spark sessions of several principals in one catalog."""
