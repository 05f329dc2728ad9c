"""The model of the Lance Namespace: namespaces, tables, registrations and tags, with what commands do to them."""
