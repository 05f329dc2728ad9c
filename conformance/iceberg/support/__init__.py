"""Support of the Iceberg requirements: metadata, data files, models of the expected behaviour."""
