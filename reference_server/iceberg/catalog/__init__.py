"""Names, warehouses and commits: what storage keeps about namespaces, tables and views."""
