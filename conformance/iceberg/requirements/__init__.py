"""The requirements of the Iceberg REST catalog API, in a module per topic."""
