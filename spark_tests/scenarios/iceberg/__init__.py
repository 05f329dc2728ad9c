"""Scenarios of Spark with Iceberg's connector."""
