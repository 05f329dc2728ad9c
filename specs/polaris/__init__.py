"""Facts about the Apache Polaris APIs: errors."""
