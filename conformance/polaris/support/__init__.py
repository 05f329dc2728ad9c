"""What requirements on Apache Polaris share."""
