"""The Iceberg REST catalog wing."""
