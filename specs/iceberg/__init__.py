"""What is known about the Iceberg REST catalog beside its document and clauses."""
