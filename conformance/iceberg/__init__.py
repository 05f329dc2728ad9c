"""Requirements for the Iceberg REST catalog API."""
