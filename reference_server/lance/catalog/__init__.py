"""Names and versions: existing tables and namespaces, in storage or in the published directory layout."""
