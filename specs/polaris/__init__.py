"""The Apache Polaris APIs: management, and the catalog that follows Iceberg's."""
