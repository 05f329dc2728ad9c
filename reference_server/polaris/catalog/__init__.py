"""Catalogs of Apache Polaris beyond a warehouse of the Iceberg API: locations, kinds, policies."""
