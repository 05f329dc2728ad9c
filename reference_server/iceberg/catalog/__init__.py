"""Names, warehouses and commits: the stored state of namespaces, tables and views."""
