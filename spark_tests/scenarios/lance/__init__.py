"""Scenarios of Spark with Lance's connector, and of jobs whose executors use pylance."""
