"""What a catalog of Apache Polaris is beyond a warehouse of the Iceberg API: its locations, its kind, its policies."""
