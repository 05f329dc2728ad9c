"""Code that several requirement modules of Apache Polaris share."""
