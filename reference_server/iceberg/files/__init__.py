"""FileIO: where metadata and data files lie, on disk or in S3."""
