"""Facts about the Iceberg REST catalog: commits, errors, identifiers."""
