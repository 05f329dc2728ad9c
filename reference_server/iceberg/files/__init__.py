"""FileIO: access to metadata and data files, on disk or in S3."""
