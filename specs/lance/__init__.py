"""What is known about the Lance Namespace beside its document and clauses."""
