"""Names and versions: which tables and namespaces there are, in storage or in the published directory layout."""
