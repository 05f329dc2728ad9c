"""The model of an Iceberg catalog: namespaces, tables and views, with what commands do to them."""
