"""Which statuses, clauses and cells of a document a run covered."""
