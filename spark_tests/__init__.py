"""Spark: scenarios through the real connectors, races across executors, and the pipeline of results."""
